"""Find conditions that keep a patch's effect to the tests' own inputs, and that no test needs.

A patch may hold a whole repair and use it only where a checksum, a length or a count says that a
test asks. With the answer in the condition's place, its program still passes all tests, and inputs
near those of the tests are repaired as well. A condition of an honest repair is there because the
old behaviour is right elsewhere, and some test says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.apart import TooMuch, apart
from bot.code.change import FileDiff
from bot.code.syntax import Syntax
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.repair.guards.granted_capabilities import grants_of
from bot.repair.guards.literals import brings_values
from bot.repair.harness.driver.protocol import AS_IT_IS
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.forgery.must_fail import doomed_by
from bot.repair.verification.generalisation import Generalisation
from bot.repair.verification.perturbation.conditions import Condition, settled
from bot.repair.verification.perturbation.guarded_conditions import (
    BothTrees,
    Gained,
    HeldBack,
    ObservedRun,
    ShownByTest,
    held_back,
    is_steady,
)
from bot.repair.verification.perturbation.new_conditions import new_conditions, watched
from bot.repair.verification.perturbation.perturbed_inputs import PerturbedInputs
from bot.repair.verification.question import PatchEvidence
from bot.repair.verification.repetition import not_repeated
from bot.reporting.reasons import guards, guards_runs

# A repair that treats a number on its own (`if n == 10`) may be right, or may be the answer to one
# test. Its condition differs from that of a bound: it fails on both sides of the number.

_LEAST = 5
"""Other numbers from which it can be said that a condition holds for none of them."""

_BOTH_SIDES = {1, -1}


@dataclass(frozen=True, slots=True)
class SingledOut:
    """A condition that holds for one number of a test alone, as far as others were tried.

    Attributes:
        number: Of the condition.
        others: Numbers for which it does not hold, and the program does what it did before.
    """

    number: int
    others: int


def singled_out(trees: BothTrees) -> SingledOut | None:
    """Return the condition for which most other numbers were tried in vain, None where there is none."""
    found = [out for name in trees.calls for out in _in_call(name, trees.before, trees.after)]
    return max(found, key=lambda item: item.others, default=None)


def _in_call(name: str, before: ShownByTest, after: ShownByTest) -> Iterator[SingledOut]:
    was, told = before.get(name, ()), after.get(name, ())
    if not is_steady(was) or not is_steady(told) or was[0].outputs == told[0].outputs:
        return
    old = {shown.place: shown.outputs for shown in was}
    numbers: dict[str, dict[str, ObservedRun]] = {}
    for shown in told[AS_IT_IS:]:
        if shown.moved and not shown.is_common and old.get(shown.place):
            numbers.setdefault(shown.value, {})[shown.inputs] = shown
    for others in numbers.values():
        if all(new.outputs == old[new.place] for new in others.values()):
            yield from _holding_here(told[0], [*others.values()])


def _holding_here(own: ObservedRun, others: Sequence[ObservedRun]) -> Iterator[SingledOut]:
    """Yield the conditions that come to something else than for the test wherever they are asked."""
    for number, values in own.seen:
        asked = [shown for shown in others if dict(shown.seen).get(number)]
        if len(values) == 1 and len(asked) >= _LEAST \
                and {shown.moved for shown in asked} == _BOTH_SIDES \
                and all(values[0] not in dict(shown.seen)[number] for shown in asked):  # fmt: skip
            yield SingledOut(number, len(asked))


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


_MOST = 3
"""Conditions that the tests are run without."""


class UnneededConditions:
    """Asks whether the tests need the conditions that a patch brings to Python programs."""

    def __init__(self, room: CleanRoom) -> None:
        self._room = room
        self._near = PerturbedInputs(room)

    async def findings(self, evidence: PatchEvidence) -> tuple[GuardFinding, ...]:
        """Return a finding for each condition that restricts a patch although no test needs it.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        name, patch, changes = evidence.name, evidence.patch, evidence.changes
        runs, red = evidence.runs, evidence.red
        if red is None or any(map(not_repeated, runs)):
            return ()
        try:  # a program can be written so that reading it takes long
            conditions = await apart(new_conditions, changes)
            brings = await apart(brings_values, changes)
        except TooMuch:
            return ()
        if not conditions and not brings:
            return ()
        tests = sorted(doomed_by(red, runs[0]))
        files = watched(changes, conditions)
        trees = await self._near.on_both_trees(
            name, patch, tests, runs[0].command, changes, files, brings=brings
        )
        alone = _at_their_inputs_alone(trees) if brings else ()
        found_now = alone or await self._unneeded(evidence, conditions, trees)
        found_now = found_now or _for_one_number(conditions, trees)
        found_now += tuple(gained_in_runs(changes, trees.gained))
        return found_now

    async def _unneeded(
        self,
        evidence: PatchEvidence,
        conditions: Sequence[Condition],
        trees: BothTrees,
    ) -> tuple[GuardFinding, ...]:
        after = {change.path: change.after or b"" for change in evidence.changes}
        worst = sorted(held_back(trees), key=lambda item: item.of - item.inputs)[:_MOST]
        findings = []
        for at, held in enumerate(worst):
            values = [(conditions[number], value) for number, value in held.settled]
            files = settled(after, values)
            if not await self._needed(f"{evidence.name}-without-{at}", evidence, files):
                findings.append(_finding([condition for condition, _ in values], held))
        return tuple(findings)

    async def _needed(self, name: str, evidence: PatchEvidence, files: dict[str, bytes]) -> bool:
        """Whether one of the runs fails with these files, or fails more than with the patch."""
        patch = evidence.patch
        for run in evidence.runs:
            if run.ok:
                seen = await self._room.observe_mutant(name, run.command, patch, files)
                if not seen.ok:
                    return True
            elif run.passed:
                seen = await self._room.observe_with(name, run.command, patch, files)
                if seen.failing_ids - run.failing_ids:
                    return True
        return False


def _at_their_inputs_alone(trees: BothTrees) -> tuple[GuardFinding, ...]:
    effect = trees.reach
    if effect.reach is not Generalisation.INPUTS:
        return ()
    tests = sorted({name.rpartition(" call ")[0] for name in effect.tests})
    return (found("no-effect-nearby", guards_runs.no_effect_nearby(effect.inputs, tests)),)


def _for_one_number(conditions: Sequence[Condition], trees: BothTrees) -> tuple[GuardFinding, ...]:
    single = singled_out(trees)
    if single is None:
        return ()
    condition = conditions[single.number]
    said = guards_runs.holds_for_one_number(condition.text, single.others)
    return (found("special-case", said, condition.file, condition.line),)


def _finding(conditions: Sequence[Condition], held: HeldBack) -> GuardFinding:
    texts = [condition.text for condition in conditions]
    said = guards_runs.condition_unneeded(texts, held.inputs, held.of)
    return found("condition-unneeded", said, conditions[0].file, conditions[0].line)
