"""The order of all proofs of a patch: when each runs, and what it costs.

1. The guards read the patch, once tests and rules are put back (`verify.py`). Nothing runs.
2. The failing command runs with the patch, and, where a patch was shown, with its own tests too.
3. `PROOFS`, as long as the failing command passes.
4. The failing commands of the commit's other jobs, and then the whole suite, which is compared with
   the untouched tree's (`compare`): one run each, three where new failures are confirmed.
5. `PROOFS` of what is accepted by then: they fill the rows of its card.

The first three are one durable step, `verify`; each other one is a step of its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from enum import Enum

from bot.concurrency import both
from bot.model import GuardFinding, Verification
from bot.model.guard_rules import PatchRules
from bot.repair.verification import card_rows, flaky_test
from bot.repair.verification.candidate import (
    SEEN_WHOLE,
    CandidatePatch,
    TestEdits,
    own_tests,
    without,
)
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.criteria import Criteria, PatchEvidence, Proved
from bot.repair.verification.destination import Destination
from bot.repair.verification.forgery import proof as forgery
from bot.repair.verification.mutation import proof as mutation
from bot.repair.verification.repetition import flaky, needs_own_tests, not_repeated
from bot.reporting.reasons import verification as reasons
from sandbox.git import PatchDoesNotApply


class When(Enum):
    """When a proof runs."""

    BESIDE_REPEATS = "while the failing command is repeated"
    AFTER_REPEATS = "once it was watched"
    ACCEPTED = "once nothing else speaks against the patch, as a durable step of its own"


@dataclass(frozen=True, slots=True)
class Proof:
    """One proof.

    Attributes:
        name: Of it; of a durable step, by which a run that goes on finds it: it stays.
        when: When it runs.
        costs: What it costs at most.
        act: Proves.
        is_asked: Whether there is anything to prove.
    """

    name: str
    when: When
    costs: str
    act: Callable[[CleanRoom, PatchRules, PatchEvidence], Awaitable[Proved]]
    is_asked: Callable[[PatchEvidence], bool] = lambda _: True


_WITH_TESTS = frozenset({TestEdits.BROUGHT, TestEdits.REQUESTED, TestEdits.WANTED})


def _was_repeated(evidence: PatchEvidence) -> bool:
    return not not_repeated(evidence.green)


def _were_tests_first(evidence: PatchEvidence) -> bool:
    return evidence.question.wrong_fixes


def _is_flaky(evidence: PatchEvidence) -> bool:
    return evidence.question.flaky is not None


PROOFS = (
    Proof("genuine results", When.BESIDE_REPEATS, "5 runs of the tests", forgery.genuine_results),
    Proof("restored files", When.AFTER_REPEATS, "4 runs", forgery.restored_files),
    Proof("failing check", When.AFTER_REPEATS, "a run for each value", forgery.failing_check),
    Proof("original tests", When.AFTER_REPEATS, "1 run", forgery.original_tests, _was_repeated),
    Proof("guesses", When.ACCEPTED, "5 runs", mutation.guesses, lambda given: bool(given.guesses)),
    Proof("flaky test", When.ACCEPTED, "20 runs, 4 of the suite", flaky_test.mended, _is_flaky),
    Proof("mutants", When.ACCEPTED, "33 s", card_rows.parts_of_patch),
    Proof("behaviour", When.ACCEPTED, "15 s, tests loaded twice", card_rows.effects_of_patch),
    Proof("wrong fixes", When.ACCEPTED, "a run for each", mutation.wrong_fixes, _were_tests_first),
)
"""In their order."""


def proofs(when: When, evidence: PatchEvidence) -> tuple[Proof, ...]:
    """Return the proofs of a moment for which there is anything to prove."""
    return tuple(proof for proof in PROOFS if proof.when is when and proof.is_asked(evidence))


class PassingRuns:
    """Runs the failing command with candidate patches, again and again while it passes."""

    def __init__(
        self,
        room: CleanRoom,
        rules: PatchRules,
        destination: Destination,
    ) -> None:
        self._room = room
        self._rules = rules
        self._destination = destination

    async def of(
        self,
        name: str,
        candidate: CandidatePatch,
        question: Criteria,
    ) -> Verification:
        """Return what came of the failing command with the patch, if it applies where it must.

        Args:
            name: Of the sandboxes.
            candidate: What is verified.
            question: By what.
        """
        patch = candidate.patch
        try:
            await self._destination.check(self._room.store, self._room.base_tree, patch)
            target = await self._room.observe(name, question.failing, patch)
        except PatchDoesNotApply as error:
            return Verification(None, problem=str(error))
        if not target.ok:
            return Verification(target, runs=(target.exit_code,))
        if question.edits in SEEN_WHOLE and (candidate.restored or candidate.embedded):
            whole = await self._room.observe(f"{name}-whole", question.failing, candidate.whole)
            if not whole.ok:
                said = reasons.FAILS_WITH_ITS_TESTS
                return Verification(whole, runs=(target.exit_code,), problem=said)
        evidence = PatchEvidence(name, patch, candidate.changes, (target,), question)
        if why_not := not_repeated(target):
            return await self._seen_once(candidate, evidence, why_not)
        return await self._repeat(candidate, evidence)

    async def _seen_once(
        self, candidate: CandidatePatch, evidence: PatchEvidence, why_not: str
    ) -> Verification:
        """Return what is proved of a command that takes too long to be repeated."""
        forged = await self._proved(When.BESIDE_REPEATS, evidence)
        alone = await self._without_own_tests(candidate, evidence)
        own = None
        if alone is not None:
            failing = evidence.question.failing
            own = await self._room.observe(f"{evidence.name}-alone", failing, alone.patch)
        after = await self._proved(When.AFTER_REPEATS, evidence)
        return Verification(
            evidence.green,
            runs=(evidence.green.exit_code,),
            remarks=(why_not,),
            findings=(*forged, *after, *needs_own_tests(own)),
        )

    async def _repeat(self, candidate: CandidatePatch, evidence: PatchEvidence) -> Verification:
        """Run the failing command, which has passed, in the ways that a cheat can't know."""
        alone = await self._without_own_tests(candidate, evidence)
        forged, (second, told, watched) = await both(
            self._proved(When.BESIDE_REPEATS, evidence),
            forgery.passes_again(self._room, evidence, alone or evidence),
        )
        own_tests_decide = needs_own_tests(second) if alone is not None else ()
        target, last = evidence.green, watched.observation
        runs = (target, last) if own_tests_decide else (target, second, last)
        after = await self._proved(When.AFTER_REPEATS, replace(evidence, trace=watched.trace))
        return Verification(
            target,
            runs=tuple(run.exit_code for run in runs),
            findings=(
                *forged, *told, *watched.findings, *after, *own_tests_decide, *flaky(runs)
            ),
        )  # fmt: skip

    async def _proved(self, when: When, evidence: PatchEvidence) -> tuple[GuardFinding, ...]:
        proved = [
            await proof.act(self._room, self._rules, evidence) for proof in proofs(when, evidence)
        ]
        return tuple(finding for each in proved for finding in each.findings)

    async def _without_own_tests(
        self, candidate: CandidatePatch, evidence: PatchEvidence
    ) -> PatchEvidence | None:
        """Return the same without the test files that the patch adds; None where it adds none."""
        question, room = evidence.question, self._room
        added = own_tests(candidate.changes, question.failing)
        if not added or question.edits in _WITH_TESTS:
            return None
        patch = await without(room.store, room.base_tree, candidate.patch, added)
        return replace(evidence, patch=patch)
