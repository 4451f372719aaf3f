"""Failed jobs that GitHub runs again: one sentence for each state of it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model import Verdict
from bot.reporting.example import example
from bot.reporting.markdown import code
from bot.reporting.prose import line
from bot.reporting.series import series

_MOST_NAMED = 5


@example()
def begun() -> str:
    """Say that GitHub runs them again."""
    return "GitHub is re-running the failed jobs on the same commit."


@example()
def had_it() -> str:
    """Say that once is enough."""
    return "The failed jobs were already re-run, so Fixpoint does not re-run them again."


@example()
def no_jobs() -> str:
    """Say that no failed check can be run again."""
    return "Fixpoint can re-run only GitHub Actions jobs, and none of the failed checks is one."


@example("GitHub denied POST /repos/acme/app/actions/runs/1/rerun-failed-jobs (Forbidden).")
def refused(why: str) -> str:
    """Say that GitHub does not run them."""
    return f"Could not re-run the failed jobs. {line(why)}"


@example(())
@example(("test (3.12)", "lint"))
def ended(failed: Sequence[str]) -> str:
    """Say how the jobs ended when they ran again; `failed` names those that failed again."""
    if not failed:
        return "The failed jobs passed on re-run."
    return f"Failed again on re-run: {series([*map(code, failed)], most=_MOST_NAMED)}."


@example()
def no_end() -> str:
    """Say that their end is not known."""
    return "GitHub did not report how the re-run of the failed jobs ended."


@example(None, Verdict.FLAKY)
@example((), Verdict.FLAKY)
@example(("test (3.12)",), Verdict.FLAKY)
@example((), Verdict.INFRASTRUCTURE)
def title(failed: Sequence[str] | None, verdict: Verdict) -> str:
    """Return the title of the check run; None for jobs whose end is not known."""
    what = "Flaky" if verdict is Verdict.FLAKY else "Infrastructure"
    if failed is None:
        return what
    return f"{what}: failed again on re-run" if failed else f"{what}: passed on re-run"
