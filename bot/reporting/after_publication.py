"""How the project's own checks judge what a run published: one sentence each."""

from __future__ import annotations

from bot.model.request import FailedCheck
from bot.reporting.figures import count
from bot.reporting.markdown import code

_MOST_NAMED = 5


def judged(failed: tuple[FailedCheck, ...], *, limit: bool) -> str:
    """Say that the checks pass, or which fail and that nothing more is tried."""
    if not failed:
        return "The project's own checks pass on it."
    if limit:
        rest = "What the repo config allows for one repair is used up, so nothing more is tried."
    else:
        rest = "To go on, comment `/fix` there."
    return f"{_fail(failed)} {rest}"


def goes_on(failed: tuple[FailedCheck, ...], url: str) -> str:
    """Say which checks fail, and where work goes on."""
    return f"{_fail(failed)} Work goes on in {url}"


def title(green: bool, pull_request: int | None) -> str:  # noqa: FBT001 - the one thing it tells
    """Return the title of the check run."""
    where = "on the branch" if pull_request is None else f"in #{pull_request}"
    return f"Fixed {where}; its checks {'pass' if green else 'fail'}"


def _fail(failed: tuple[FailedCheck, ...]) -> str:
    names = ", ".join(code(check.name) for check in failed[:_MOST_NAMED])
    if len(failed) > _MOST_NAMED:
        names += f" and {count(len(failed) - _MOST_NAMED, 'other')}"
    return f"The project's own checks fail on it: {names}."
