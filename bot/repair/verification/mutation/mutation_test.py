"""Run the tests that decide on mutants of the lines that a patch changes."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.apart import TooMuch, apart
from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.code.syntax import is_compiled
from bot.concurrency import both
from bot.model import MutantResults, Observation, Patch
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.mutation.live_mutants import FileMutant, LiveMutants
from bot.repair.verification.mutation.mutants import mutants_of_change
from bot.repair.verification.question import PatchEvidence
from bot.repair.verification.repetition import not_repeated

MOST = 10
"""Mutants of a patch."""

_SECONDS = 8.0
"""Wall time after which no other mutant is begun: what is left of it is told, not run.

Two of them run at the same time.
"""


def mutants_in(changes: Sequence[FileDiff]) -> tuple[FileMutant, ...]:
    """Return mutants of the programs that a patch changes, tests aside; from each file in turn."""
    found = (
        _mutants_of(change)
        for change in changes
        if not is_test_file(change.path) and change.is_readable
    )
    turns = itertools.zip_longest(*found)
    return tuple(itertools.islice((item for turn in turns for item in turn if item), MOST))


def _mutants_of(change: FileDiff) -> Iterator[FileMutant]:
    after = change.after or b""
    chosen = mutants_of_change(change.path, change.before or b"", after, most=MOST)
    return (FileMutant(change.path, mutant, mutant.applied(after)) for mutant in chosen)


class MutationTest:
    """Asks how much the tests constrain what a patch changes."""

    def __init__(self, room: CleanRoom) -> None:
        self._room = room
        # What the tests notice there needs no sandbox of its own.
        self._live = LiveMutants(room)

    async def results(self, evidence: PatchEvidence) -> MutantResults | None:
        """Return how many mutants the tests caught; None where that can't be known.

        That is so where no tests were read from the passing runs, where those take too long to be
        repeated, or where the changed lines have no mutants. A mutant that survives one run has the
        next.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        failed = evidence.red.failing_ids if evidence.red is not None else frozenset()
        deciding = [
            replace(run, passed=run.passed | failed)
            for run in evidence.runs
            if (run.passed or run.counts) and run.ok and not not_repeated(run)
        ]
        if not deciding:
            return None
        try:  # a program can be written so that reading it takes long
            waiting = await apart(mutants_in, evidence.changes)
        except TooMuch:
            return None
        return await self._tried(evidence.name, evidence.patch, waiting, deciding, failed)

    async def _tried(
        self,
        name: str,
        patch: Patch,
        waiting: Sequence[FileMutant],
        deciding: Sequence[Observation],
        failed: frozenset[str],
    ) -> MutantResults | None:
        numbered = list(enumerate(waiting, 1))
        caught_live = await self._live.caught(name, patch, numbered, deciding[0], failed)
        ends = time.monotonic() + _SECONDS
        verdicts: dict[int, bool | None] = dict.fromkeys(caught_live, True)
        numbered = [pair for pair in numbered if pair[0] not in caught_live]

        async def some() -> None:
            while numbered and time.monotonic() < ends:
                number, file_mutant = numbered.pop(0)
                sandbox = f"{name}-mutant-{number}"
                verdicts[number] = await self._is_caught(sandbox, patch, file_mutant, deciding)

        await both(some(), some())
        survivors = [
            mutant.survivor
            for number, mutant in enumerate(waiting, 1)
            if verdicts.get(number) is False
        ]
        caught = sum(verdict is True for verdict in verdicts.values())
        results = MutantResults(caught, tuple(survivors), len(numbered))
        return results if results.total else None

    async def _is_caught(
        self, name: str, patch: Patch, mutant: FileMutant, deciding: Sequence[Observation]
    ) -> bool | None:
        verdict: bool | None = None
        for passing in deciding:
            seen = await self._room.observe_mutant(
                name, passing.command, patch, {mutant.file: mutant.data}
            )
            verdict = is_caught(passing, seen, compiled=is_compiled(mutant.file))
            if verdict is not False:
                break
        return verdict


def is_caught(passing: Observation, seen: Observation, *, compiled: bool) -> bool | None:
    """Return whether tests notice a mutant; None for a program that could not be run.

    Args:
        passing: The command with the patch, and the tests that are known to run then.
        seen: The same with the mutant.
        compiled: Whether the command fails for a program that its compiler refuses, too.
    """
    if seen.ok:
        return False
    if seen.timed_out or not compiled or seen.failing_ids & passing.passed:
        return True
    return None
