"""Tell the failures that a commit did not bring: an older one has them too. Pure."""

from __future__ import annotations

from collections.abc import Collection

from bot.model import Observation, OtherFailure, OtherKind
from bot.repair.goal.set_aside import same_message, stable_name
from bot.reporting.reasons import other_failures as reasons


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
    messages = {stable_name(one.test): one.message for one in then.failing}
    return {
        one.test: OtherFailure(one.test, OtherKind.OLD, reasons.old(commit[:7]))
        for one in seen.failing
        if one.test in tests
        and (message := messages.get(stable_name(one.test))) is not None
        and same_message(message, one.message)
    }
