"""Find out which protected paths the people behind a request ask to change."""

from __future__ import annotations

from bot.github.github import GitHub
from bot.github.values import Issue
from bot.model.request import FixRequest
from bot.model.untrusted import strip_comments, strip_hidden
from bot.repair.guards.requested import as_command, requested_paths


async def mandate(github: GitHub, request: FixRequest, issue: Issue) -> tuple[str, ...]:
    """Return globs, see `requested_paths`: of the words behind `/fix`, and of the issue's own.

    An issue's title and body count where their author, and who edited the body last, may write to
    the repository. A pull request's say what it does, and failed checks ask for nothing.

    Raises:
        GitHubError: When GitHub does not tell who may write.
    """
    if request.failed is not None:
        return ()
    asked = requested_paths(as_command(_shown(request.instructions)))
    if issue.is_pull_request:
        return asked
    reported = requested_paths(_shown(f"{issue.title}\n\n{issue.body}"))
    writers = sorted({issue.author, issue.written_by})
    if reported and all([await _may_write(github, request, login) for login in writers]):
        asked = tuple(dict.fromkeys((*asked, *reported)))
    return asked


async def _may_write(github: GitHub, request: FixRequest, login: str) -> bool:
    if login == request.actor:
        return True
    repo = request.repo
    return (await github.permission(repo, login)).may_write


def _shown(text: str) -> str:
    """Return what a reader sees of a text: nobody asks for what nobody can read."""
    return strip_hidden(strip_comments(text))
