"""How the repository's own checks ended on what a run published: one sentence each."""

from __future__ import annotations

from bot.model.request import FailedCheck
from bot.reporting.example import example
from bot.reporting.markdown import code
from bot.reporting.series import series

_MOST_NAMED = 5
_FAILED = (FailedCheck("lint"), FailedCheck("test (3.12)"))


@example((), limit=False)
@example(_FAILED, limit=False)
@example(_FAILED, limit=True)
def ended(failed: tuple[FailedCheck, ...], *, limit: bool) -> str:
    """Say that the checks pass, or which fail and what people can do."""
    if not failed:
        return "The repository's own checks pass with this fix."
    if limit:
        rest = "The repo config's limits for one fix are used up, so Fixpoint stops here."
    else:
        rest = "To continue, comment `/fix` on the pull request."
    return f"{_fail(failed)} {rest}"


@example(_FAILED, "https://github.com/acme/app/pull/8")
def goes_on(failed: tuple[FailedCheck, ...], url: str) -> str:
    """Say which checks fail, and where a new run works on them."""
    return f"{_fail(failed)} Continuing in {url}"


@example(green=True, pull_request=8)
@example(green=False, pull_request=None)
def title(green: bool, pull_request: int | None) -> str:  # noqa: FBT001 - the one thing it tells
    """Return the title of the check run."""
    where = "on the branch" if pull_request is None else f"in #{pull_request}"
    return f"Fixed {where}; checks {'pass' if green else 'fail'}"


def _fail(failed: tuple[FailedCheck, ...]) -> str:
    names = series([code(check.name) for check in failed], most=_MOST_NAMED)
    return f"The repository's own checks fail with this fix: {names}."
