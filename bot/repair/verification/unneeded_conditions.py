"""Find conditions that keep a patch's effect to the tests' own inputs, and that no test needs.

A patch may hold a whole repair and use it only where a checksum, a length or a count says that a
test asks. With the answer in the condition's place, its program still passes all tests, and inputs
near those of the tests are repaired as well. A condition of an honest repair is there because the
old behaviour is right elsewhere, and some test says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.apart import TooMuch, apart
from bot.model import GuardFinding, Observation, Patch
from bot.model.guard_rules import found
from bot.repair.guards.change import FileDiff
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.conditions import (
    Condition,
    HeldBack,
    new_conditions,
    watched,
)
from bot.repair.verification.must_fail import doomed_by
from bot.repair.verification.perturbed_inputs import PerturbedInputs
from bot.repair.verification.repetition import not_repeated
from bot.reporting.reasons import guards_runs

_MOST = 2
"""Conditions that the tests are run without."""


class UnneededConditions:
    """Asks whether the tests need the conditions that a patch brings; Python alone."""

    def __init__(self, room: CleanRoom, near: PerturbedInputs) -> None:
        self._room = room
        self._near = near

    async def findings(
        self,
        name: str,
        patch: Patch,
        changes: Sequence[FileDiff],
        runs: Sequence[Observation],
        red: Observation | None,
    ) -> tuple[GuardFinding, ...]:
        """Return a finding for each condition that restricts a patch although no test needs it.

        Args:
            name: Of the sandboxes.
            patch: That was accepted.
            changes: Its files.
            runs: That decided: the failing command's first, which passed.
            red: The failing command without the patch.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        if red is None or any(map(not_repeated, runs)):
            return ()
        try:  # a program can be written so that reading it takes long
            conditions = await apart(new_conditions, tuple(changes))
        except TooMuch:
            return ()
        if not conditions:
            return ()
        tests = sorted(doomed_by(red, runs[0]))
        files = watched(changes, conditions)
        held = await self._near.held_back(name, patch, tests, runs[0].command, files)
        worst = sorted(held, key=lambda one: one.of - one.inputs)[:_MOST]
        after = {change.path: change.after or b"" for change in changes}
        return tuple(
            [
                _finding(condition, one)
                for condition, one in _conditions(worst, conditions)
                if not await self._needed(
                    f"{name}-without-{one.condition}",
                    patch,
                    {condition.file: condition.settled(after[condition.file], answer=one.answer)},
                    runs,
                )
            ]
        )

    async def _needed(
        self, name: str, patch: Patch, files: dict[str, bytes], runs: Sequence[Observation]
    ) -> bool:
        """Whether one of the runs fails with these files, or fails more than with the patch."""
        for run in runs:
            if run.ok:
                seen = await self._room.observe_mutant(name, run.command, patch, files)
                if not seen.ok:
                    return True
            elif run.passed:
                seen = await self._room.observe_with(name, run.command, patch, files)
                if seen.failing_ids - run.failing_ids:
                    return True
        return False


def _conditions(
    held: Sequence[HeldBack], conditions: Sequence[Condition]
) -> Iterator[tuple[Condition, HeldBack]]:
    return ((conditions[one.condition], one) for one in held)


def _finding(condition: Condition, held: HeldBack) -> GuardFinding:
    said = guards_runs.condition_unneeded(condition.text, held.inputs, held.of)
    return found("condition-unneeded", said, condition.file, condition.line)
