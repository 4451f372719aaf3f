"""Flaky jobs that GitHub runs once more: one sentence for each state of it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.markdown import code
from bot.reporting.prose import line

BEGUN = "GitHub runs the failed jobs once more, on the same commit."
HAD_IT = "The failed jobs had been run again before, so they are not run once more."
NO_JOBS = "Only jobs of GitHub Actions can be run once more; these checks are none."

_MOST_NAMED = 5


def refused(why: str) -> str:
    """Say that GitHub does not run them."""
    return f"The failed jobs are not run once more. {line(why)}"


def ended(failed: Sequence[str]) -> str:
    """Say how the jobs ended when they ran once more; `failed` names those that failed again."""
    if not failed:
        return "Run once more by GitHub on the same commit, the failed jobs pass."
    names = ", ".join(code(name) for name in failed[:_MOST_NAMED])
    more = len(failed) - _MOST_NAMED
    others = f" and {more} more" if more > 0 else ""
    return f"Run once more by GitHub on the same commit, these failed again: {names}{others}."


NO_END = "GitHub did not say how the failed jobs ended when they ran once more."


def title(failed: Sequence[str] | None) -> str:
    """Return the title of the check run; None for jobs whose end is not known."""
    if failed is None:
        return "Verdict: flaky"
    return f"Verdict: flaky; {'it failed again' if failed else 'run again, it passes'}"
