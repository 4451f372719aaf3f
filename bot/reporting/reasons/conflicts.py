"""A pull request of ours conflicts with its base: what becomes of it, and why."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.markdown import code
from bot.reporting.series import series


@example("Refuse negative totals, too.")
def asked_since(instructions: str) -> str:
    """What a redo has to do besides: people asked for it in the pull request, and got it."""
    return f"Requested since then, in the pull request: {instructions}"


@example()
def off() -> str:
    """The repo config wants no repair made again."""
    return "The repo config turns this off."


@example()
def switched_off() -> str:
    """A person wants no automatic runs on the pull request."""
    return "Automatic runs are off for this pull request (`/fix auto off`)."


@example(("ada",))
@example(("ada", "wes"))
@example(())
def others(authors: Sequence[str]) -> str:
    """Somebody else pushed to the branch: what they wrote is theirs."""
    who = series([code(one) for one in authors], most=3) if authors else "others"
    return f"The branch also has commits by {who}."


@example()
def only_reported() -> str:
    """The repo config wants no patches."""
    return "A patch was found, but the repo config wants reports only (`confidence: diagnose`)."


@example()
def limits_used_up() -> str:
    """What one repair may cost is spent."""
    return "The repo config's limits for one fix are used up."


@example()
def had_its_run() -> str:
    """It was tried for these very commits."""
    return "A run was started for this head and base already."


@example()
def opened_elsewhere() -> str:
    """The run that opened the pull request is not known here."""
    return "The run that opened this pull request is no longer known."


@example()
def merges() -> str:
    """There is no conflict."""
    return "It merges without conflicts."


@example()
def closed() -> str:
    """Nobody works on it any more."""
    return "It is closed."


@example()
def not_known_yet() -> str:
    """GitHub is still finding out."""
    return "GitHub doesn't know yet whether it merges."


@example(8)
def never_known(looks: int) -> str:
    """GitHub did not find out."""
    return f"GitHub didn't say in {count(looks, 'look')} whether it merges."


@example()
def another_run_here() -> str:
    """One run at a time works on a pull request."""
    return "Waiting for the active run on this pull request to finish."


@example()
def other_runs() -> str:
    """The repository has as many automatic runs as it allows at a time."""
    return "Waiting for other automatic runs in this repository to finish."


@example(12, "It merges without conflicts.")
def looked(number: int, note: str) -> str:
    """What a look at a pull request found: for the log."""
    return f"#{number}: {note}"


@example("main", "next")
def base_changed(before: str, now: str) -> str:
    """The pull request does not merge into the branch any more that was to be repaired."""
    return f"It merges into {code(now)} now, but the failure was on {code(before)}."


@example("7d1f0b2")
def head_moved(head: str) -> str:
    """Somebody pushed to the branch while the repair was made again."""
    return f"The branch is now at {head}."
