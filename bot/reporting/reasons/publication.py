"""Why a verified patch is not published, or not before a person approves it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.series import series

_NAMED = 3
"""Files that a sentence names before it counts the others."""


@example()
def from_a_fork() -> str:
    """The branch belongs to somebody else's repository."""
    return "The pull request comes from a fork."


@example()
def suggestions_only() -> str:
    """The repository wants patches as comments."""
    return "This repository's `confidence` is `suggest`."


@example()
def pull_request_closed() -> str:
    """People closed it during the run."""
    return "The pull request was closed while Fixpoint was working on it."


@example("feature", "7d1f0b2", "2c64ae4")
def branch_moved(branch: str, head: str, fixed: str) -> str:
    """People pushed during the run."""
    return f"The branch {branch} moved to {head} while Fixpoint was working on {fixed}."


@example("caf\udce9.py")
def path_not_utf8(path: str) -> str:
    """GitHub's API takes paths as JSON."""
    return f"GitHub's API does not accept the file name {path!r} because it is not UTF-8."


@example("feature")
def onto_your_branch(branch: str) -> str:
    """The fix would be a commit on a branch of people."""
    return f"It would add a commit to {branch}, a branch that Fixpoint did not create."


@example("src/settings.py:12")
def looks_like_a_credential(place: str) -> str:
    """The patch adds what has a token's shape."""
    return f"{place} looks like a credential; anyone who can read the repository would see it."


@example([".github/workflows/ci.yml"])
def changes_automation(paths: Sequence[str]) -> str:
    """The patch changes what starts as soon as it is pushed."""
    return f"It changes CI or automation: {series(paths, most=_NAMED)}."


@example(["package.json", "package-lock.json", "a/go.mod", "b/go.mod"])
def changes_dependencies(paths: Sequence[str]) -> str:
    """The patch changes what is installed."""
    return f"It changes dependencies: {series(paths, most=_NAMED)}."


@example(3, most=0)
@example(3, most=1)
def deletes_files(files: int, *, most: int) -> str:
    """The patch deletes more files than the repo config lets pass."""
    return f"It deletes {count(files, 'file')} (allowed without approval: {most})."


@example(1240, most=200)
def deletes_lines(lines: int, *, most: int) -> str:
    """The patch deletes more lines than the repo config lets pass."""
    return f"It deletes {count(lines, 'line')} (allowed without approval: {most:,})."


@example()
def waiting() -> str:
    """A person must approve the patch first."""
    return "Waiting for approval."


@example()
def question_lost() -> str:
    """What an answer was for is not in the database."""
    return "This approval no longer exists."


@example("ann")
def approved(by: str) -> str:
    """A person approved the patch."""
    return f"{by} approved the patch."


@example("ann")
def rejected(by: str) -> str:
    """A person rejected the patch."""
    return f"{by} rejected the patch."


@example()
def approval_expired() -> str:
    """Nobody answered in time."""
    return "The approval expired."
