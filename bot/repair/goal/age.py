"""Tell the failures that a commit did not bring: an older one has them too. Pure."""

from __future__ import annotations

from collections.abc import Collection

from bot.ci.failure_identity import KnownFailures
from bot.model import Observation, OtherFailure, OtherKind
from bot.reporting.reasons import outside_causes as reasons


def excused_by_age(
    seen: Observation, then: Observation, tests: Collection[str], commit: str
) -> dict[str, OtherFailure]:
    """Return the failures that an older commit has too, by id.

    Args:
        seen: The failing command at the commit to repair.
        then: The same at the older one, in the same environment.
        tests: Those of `seen` that may be excused.
        commit: The older one, 40 hex digits.
    """
    known = KnownFailures(then.failing)
    return {
        failure.test: OtherFailure(failure.test, OtherKind.OLD, reasons.old(commit[:7]))
        for failure in seen.failing
        if failure.test in tests and known.same(failure)
    }
