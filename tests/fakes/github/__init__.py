"""A local GitHub: its state, and a server that shows it as github.com would."""

from tests.fakes.github.faults import Trouble
from tests.fakes.github.model import Event, Issue, Repository
from tests.fakes.github.server import GitHubServer
from tests.fakes.github.state import GitHubState

__all__ = ["Event", "GitHubServer", "GitHubState", "Issue", "Repository", "Trouble"]
