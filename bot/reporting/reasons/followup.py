"""What becomes of a published commit, or of flaky jobs that run again: notes for the database."""

from __future__ import annotations

from bot.reporting.example import example


@example()
def run_not_over() -> str:
    """The run that published the commit has not reported yet."""
    return "Waiting for the run's report."


@example()
def no_open_pull_request() -> str:
    """Nobody works on the commit."""
    return "No open pull request has this commit."


@example()
def no_check_yet() -> str:
    """No check of the commit has begun."""
    return "Waiting for the first check."


@example()
def rerun_not_over() -> str:
    """The flaky jobs run again."""
    return "Waiting for the re-run of flaky jobs."


@example()
def checks_passed() -> str:
    """The fix is good."""
    return "The checks passed."


@example()
def checks_failed() -> str:
    """The fix is not good enough."""
    return "The checks failed."


@example()
def no_checks() -> str:
    """The commit has none."""
    return "The commit has no checks."


@example("3fa9c1d20b7e", "The checks passed.")
def checks_of(run_id: str, note: str) -> str:
    """How the checks of what a run published ended."""
    return f"Published by run {run_id}. {note}"
