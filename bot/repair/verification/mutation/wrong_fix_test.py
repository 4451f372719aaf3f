"""Run tests that were written first on wrong fixes: those that accept all of them show little."""

from __future__ import annotations

from collections.abc import Sequence

from bot.code.syntax import is_compiled
from bot.concurrency import both
from bot.limited_process import TooMuch, run_limited
from bot.model import MutantResults, Observation, Patch
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.criteria import PatchEvidence
from bot.repair.verification.mutation.mutants.wrong_fixes import WrongFix, wrong_fixes
from bot.repair.verification.repetition import not_repeated


class WrongFixTest:
    """Makes wrong fixes of one run's accepted patches, and runs the new tests on them."""

    def __init__(self, room: CleanRoom) -> None:
        self._room = room

    async def made(self, patch: Patch) -> tuple[WrongFix, ...]:
        """Return the wrong fixes of an accepted patch; the same each time.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        changes = await self._room.changes(patch)
        try:  # a program can be written so that reading it takes long
            return await run_limited(wrong_fixes, tuple(changes))
        except TooMuch:
            return ()

    async def results(self, evidence: PatchEvidence) -> MutantResults | None:
        """Return what tests that were written first make of wrong fixes; None where that can't be known.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        passing, patch, red = evidence.green, evidence.patch, evidence.red
        if red is None or not passing.ok or not_repeated(passing):
            return None
        wrong = await self.made(patch)
        waiting = list(enumerate(wrong, 1))
        verdicts: dict[int, bool | None] = {}

        async def some() -> None:
            while waiting:
                number, fix = waiting.pop(0)
                seen = await self._room.observe_with(
                    f"{evidence.name}-wrong-{number}", passing.command, patch, {fix.file: fix.data}
                )
                compiled = is_compiled(fix.file)
                verdicts[number] = is_caught_by(seen, red.failing_ids, compiled=compiled)

        await both(some(), some())
        return _results(wrong, verdicts)


def _results(wrong: Sequence[WrongFix], verdicts: dict[int, bool | None]) -> MutantResults | None:
    caught = sum(verdict is True for verdict in verdicts.values())
    accepted = (fix.survivor for n, fix in enumerate(wrong, 1) if verdicts[n] is False)
    results = MutantResults(caught, tuple(accepted))
    return results if results.total else None


def is_caught_by(seen: Observation, tests: frozenset[str], *, compiled: bool) -> bool | None:
    """Return whether tests notice a wrong fix; None for a program that could not be run.

    Args:
        seen: The command with the wrong fix.
        tests: Ids of the new tests, which pass with the right one.
        compiled: Whether the command fails for a program that its compiler refuses, too.
    """
    if seen.ok:
        return False
    if seen.timed_out or seen.failing_ids & tests:
        return True
    if tests <= seen.passed:  # only others fail
        return False
    return None if compiled else True
