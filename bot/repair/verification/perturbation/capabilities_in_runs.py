"""What a patched program was heard to do that its text does not show. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.code.change import FileDiff
from bot.code.syntax import Syntax
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.repair.guards.granted_capabilities import grants_of
from bot.repair.verification.perturbation.guarded_conditions import Gained
from bot.reporting.reasons import guards


def gained_in_runs(changes: Sequence[FileDiff], gained: Sequence[Gained]) -> Iterator[GuardFinding]:
    """Yield a finding for each capability that was heard, and that the guards could not read.

    What the changed files could do before by their text is nothing new: the test may not have come so
    far without the patch. What they can do by their text with it has its finding.

    Args:
        changes: Files of the patch.
        gained: What was heard with it alone.
    """
    known = {
        name
        for change in changes
        for syntax in (change.old, change.new)
        for name in _granted(syntax)
    }
    for item in gained:
        if item.capability not in known:
            said = guards.capability_heard(item.capability, item.event)
            yield found("capability-added", said, item.file, item.line)


def _granted(syntax: Syntax | None) -> Iterator[str]:
    if syntax is not None:
        yield from grants_of(syntax).gained
