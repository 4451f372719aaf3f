"""Find conditions that keep a patch's effect to the tests' own inputs, and that no test needs.

A patch may hold a whole repair and use it only where a checksum, a length or a count says that a
test asks. With the answer in the condition's place, its program still passes all tests, and inputs
near those of the tests are repaired as well. A condition of an honest repair is there because the
old behaviour is right elsewhere, and some test says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.apart import TooMuch, apart
from bot.code.languages import Language
from bot.code.syntax import language_of
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.repair.guards.literals import brings_values
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.findings import not_varied
from bot.repair.verification.forgery.must_fail import doomed_by
from bot.repair.verification.generalisation import Reach
from bot.repair.verification.perturbation.capabilities_in_runs import gained_in_runs
from bot.repair.verification.perturbation.conditions import Condition, settled
from bot.repair.verification.perturbation.guarded_conditions import HeldBack, Trees, held_back
from bot.repair.verification.perturbation.perturbed_inputs import PerturbedInputs
from bot.repair.verification.perturbation.single_value import singled_out
from bot.repair.verification.perturbation.varied.compiled_conditions import conditions_of_compiled
from bot.repair.verification.perturbation.varied.javascript_conditions import conditions_of_scripts
from bot.repair.verification.perturbation.varied.python_conditions import new_conditions, watched
from bot.repair.verification.question import Evidence
from bot.repair.verification.repetition import not_repeated
from bot.reporting.reasons import guards_runs

_VARIED = frozenset({Language.PYTHON, Language.JAVASCRIPT})
"""Whose inputs are varied here; those of Go and Rust are, before a patch is accepted."""

_MOST = 3
"""Conditions that the tests are run without."""


class UnneededConditions:
    """Asks whether the tests need the conditions that a patch brings, in each language that is varied."""

    def __init__(self, room: CleanRoom) -> None:
        self._room = room
        self._near = PerturbedInputs(room)

    async def findings(self, evidence: Evidence) -> tuple[GuardFinding, ...]:
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
            of_scripts = await apart(conditions_of_scripts, changes)
            of_compiled = await apart(conditions_of_compiled, changes)
            brings = await apart(brings_values, changes)
        except TooMuch:
            return ()
        if not conditions and not of_scripts and not of_compiled and not brings:
            return ()
        tests = sorted(doomed_by(red, runs[0]))
        files = watched(changes, conditions)
        trees = await self._near.on_both_trees(
            name, patch, tests, runs[0].command, changes, files, brings=brings
        )
        if not trees.was_tried:
            conditions, scripts = of_scripts, self._near.scripts
            trees = await scripts.on_both_trees(name, patch, red, runs[0], changes, conditions)
        if not trees.was_tried and of_compiled:
            conditions, programs = of_compiled, self._near.programs
            trees = await programs.on_both_trees(name, patch, red, runs[0], changes, conditions)
        alone = _at_their_inputs_alone(trees) if brings else ()
        found_now = alone or await self._unneeded(evidence, conditions, trees)
        found_now = found_now or _for_one_number(conditions, trees)
        found_now += tuple(gained_in_runs(changes, trees.gained))
        is_asked = (
            brings and tests and any(language_of(change.path) in _VARIED for change in changes)
        )
        return found_now or (not_varied(trees.compared, tests) if is_asked else ())

    async def _unneeded(
        self,
        evidence: Evidence,
        conditions: Sequence[Condition],
        trees: Trees,
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

    async def _needed(self, name: str, evidence: Evidence, files: dict[str, bytes]) -> bool:
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


def _at_their_inputs_alone(trees: Trees) -> tuple[GuardFinding, ...]:
    effect = trees.reach
    if effect.reach is not Reach.INPUTS:
        return ()
    tests = sorted({name.rpartition(" call ")[0] for name in effect.tests})
    return (found("no-effect-nearby", guards_runs.no_effect_nearby(effect.inputs, tests)),)


def _for_one_number(conditions: Sequence[Condition], trees: Trees) -> tuple[GuardFinding, ...]:
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
