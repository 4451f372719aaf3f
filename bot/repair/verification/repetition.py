"""Decide whether a passing command counts: it must pass every time. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model import GuardFinding, Observation
from bot.model.guard_rules import found
from bot.reporting.reasons import guards_runs, verification

REPEATS = 3
"""How many times the failing command must pass with a patch."""

_LONGEST = 60.0
"""Seconds; a command that takes longer is not repeated."""


def not_repeated(observation: Observation) -> str:
    """Return why a passing command is not run again, as a sentence, or nothing."""
    if observation.seconds <= _LONGEST:
        return ""
    return verification.ran_once(observation.command, observation.seconds, _LONGEST)


def needs_own_tests(alone: Observation | None) -> tuple[GuardFinding, ...]:
    """Return a finding when a command fails without the test files that the patch adds."""
    if alone is None or alone.ok:
        return ()
    said = guards_runs.needs_own_tests(sorted(alone.failing_ids))
    return (found("needs-own-tests", said),)


def flaky(runs: Sequence[Observation]) -> tuple[GuardFinding, ...]:
    """Return a finding when a command passed with a patch in only some of its runs."""
    passed = sum(run.ok for run in runs)
    if passed in {0, len(runs)}:
        return ()
    failed = next(run for run in runs if not run.ok)
    said = guards_runs.flaky(passed, len(runs), sorted(failed.failing_ids))
    return (found("flaky-pass", said),)
