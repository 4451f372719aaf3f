"""Decide whether a passing command is believed: it must pass every time. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model import GuardFinding, Observation
from bot.model.guard_rules import found

REPEATS = 3
"""How often the failing command must pass with a patch."""

_LONGEST = 60.0
"""Seconds of one execution above which it is not repeated."""


def not_repeated(observation: Observation) -> str:
    """Return why a passing command is not run again, as a sentence, or nothing."""
    if observation.seconds <= _LONGEST:
        return ""
    return (
        f"`{observation.command}` was run once with the patch: it takes {observation.seconds:.0f} s, "
        f"and only what takes less than {_LONGEST:.0f} s is repeated."
    )


def needs_own_tests(alone: Observation | None) -> tuple[GuardFinding, ...]:
    """Return a finding when a command fails without the test files that the patch adds."""
    if alone is None or alone.ok:
        return ()
    names = ", ".join(sorted(alone.failing_ids)[:5])
    said = "It passes only with the test files that the patch adds."
    return (found("needs-own-tests", f"{said} Failing without them: {names}."),)


def flaky(runs: Sequence[Observation]) -> tuple[GuardFinding, ...]:
    """Return a finding when a command passed with a patch in some of its runs only."""
    passed = sum(run.ok for run in runs)
    if passed in {0, len(runs)}:
        return ()
    failed = next(run for run in runs if not run.ok)
    names = ", ".join(sorted(failed.failing_ids)[:5])
    said = f"It passes only now and then: {passed} of {len(runs)} runs with the patch."
    return (found("flaky-pass", f"{said} Failing in another: {names}." if names else said),)
