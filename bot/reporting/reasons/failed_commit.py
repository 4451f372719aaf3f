"""Why a commit whose checks failed gets no run, or none yet."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.series import series


@example()
def not_a_head() -> str:
    """People work on other commits."""
    return "This commit is not the head of the default branch or of an open pull request."


@example()
def not_enabled() -> str:
    """The repo config asks for no automatic runs."""
    return "Automatic runs are not enabled in the repo config."


@example()
def not_enabled_here() -> str:
    """The repo config asks for automatic runs elsewhere."""
    return "Automatic runs are not enabled here."


@example()
def switched_off() -> str:
    """A person said so in the pull request."""
    return "Automatic runs are turned off for this pull request."


@example()
def pushed_to_ours() -> str:
    """Somebody else's commit is on top of ours."""
    return "Someone else pushed to this pull request, which Fixpoint opened."


@example()
def from_a_fork() -> str:
    """The branch belongs to somebody else's repository."""
    return "The pull request comes from a fork."


@example()
def by_a_bot() -> str:
    """A bot opened the pull request."""
    return "The pull request was opened by a bot."


@example()
def is_a_draft() -> str:
    """The pull request is not ready."""
    return "The pull request is a draft."


@example()
def nothing_failed() -> str:
    """The checks that failed are ignored, or passed since."""
    return "No check that Fixpoint watches has failed."


@example()
def had_its_run() -> str:
    """One run for a commit is enough."""
    return "Fixpoint has already run on this commit."


@example()
def same_on_base() -> str:
    """The change did not cause the failure."""
    return "The same checks fail on the base branch."


@example()
def too_many_open() -> str:
    """The repo config limits open pull requests of ours."""
    return "Fixpoint already has as many open pull requests as the repo config allows."


@example()
def too_many_runs() -> str:
    """Somebody's program and we may answer each other for ever."""
    return (
        "Failed checks have already started as many runs on this pull request as the repo config "
        "allows (`checks.most_runs`)."
    )


@example()
def archived() -> str:
    """Nothing can be published."""
    return "The repository is archived."


@example()
def config_invalid() -> str:
    """The repo config has problems."""
    return "The repo config is invalid."


@example("Line 3: `atempts` is not a key; did you mean `attempts`?")
def config_invalid_because(problem: str) -> str:
    """The same, with the first problem."""
    return f"The repo config is invalid. {problem}"


@example()
def settling() -> str:
    """Other checks may fail within seconds."""
    return "Waiting for other checks of the commit."


@example(("lint", "test (3.12)"))
def still_running(checks: Sequence[str]) -> str:
    """Other checks may fail too."""
    return f"Waiting for {series(checks)}."


@example()
def another_run_here() -> str:
    """The commit or its pull request has an active run."""
    return "Waiting for another run on this commit or pull request."


@example()
def other_runs() -> str:
    """The repo config limits runs at the same time."""
    return "Waiting for other runs on failed checks in this repository."


@example("The pull request is a draft.")
def skipped(reason: str) -> str:
    """No run is started on it."""
    return f"No run started. {reason}"
