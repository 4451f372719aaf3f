"""Run the failing command with a patch in all the ways that a cheat can't know."""

from __future__ import annotations

from dataclasses import replace

from bot.apart import TooMuch, apart
from bot.code.files import test_paths
from bot.concurrency import both
from bot.model import GuardFinding, Observation, Patch, Verification
from bot.model.guard_rules import PatchRules, found
from bot.repair.verification.candidate import CandidatePatch, TestEdits, own_tests, without
from bot.repair.verification.clean_room import CleanRoom, Watch
from bot.repair.verification.destination import Destination
from bot.repair.verification.findings import near_inputs_matter, of_reach, reconsidered, refusal
from bot.repair.verification.forgery.disguised_rerun import observe_disguised
from bot.repair.verification.forgery.forged_results import HonestyTest
from bot.repair.verification.forgery.must_fail import doomed_by
from bot.repair.verification.forgery.restored_files import PutBackTest, reads_matter
from bot.repair.verification.forgery.runner_integrity import WatchedRun, observe_runner
from bot.repair.verification.forgery.shell_check_test import ShellCheckTest, is_shell_check
from bot.repair.verification.generalisation import NOT_TRIED, Reached
from bot.repair.verification.perturbation.perturbed_inputs import PerturbedInputs
from bot.repair.verification.question import Question
from bot.repair.verification.repetition import REPEATS, flaky, needs_own_tests, not_repeated
from bot.repair.workspace.programs import Trace
from bot.reporting.reasons import guards_runs
from bot.reporting.reasons import verification as reasons
from sandbox.git import PatchDoesNotApply


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
        question: Question,
        findings: tuple[GuardFinding, ...],
    ) -> tuple[Verification, Reached]:
        """Return what came of the failing command with the patch, if it applies where it must.

        Args:
            name: Of the sandboxes.
            candidate: What is verified.
            question: By what.
            findings: What the guards say of it before it runs.
        """
        patch = candidate.patch
        try:
            await self._destination.check(self._room.store, self._room.base_tree, patch)
            target = await self._room.observe(name, question.failing, patch)
        except PatchDoesNotApply as error:
            return Verification(None, problem=str(error)), NOT_TRIED
        if not target.ok:
            return Verification(target, runs=(target.exit_code,)), NOT_TRIED
        if question.edits is TestEdits.SHOWN and (candidate.restored or candidate.embedded):
            whole = await self._room.observe(f"{name}-whole", question.failing, candidate.whole)
            if not whole.ok:
                said = reasons.FAILS_WITH_ITS_TESTS
                failed = Verification(whole, runs=(target.exit_code,), problem=said)
                return failed, NOT_TRIED
        effect = NOT_TRIED
        if not not_repeated(target):
            near = PerturbedInputs(self._room)
            matters = await self._near_inputs_matter(findings, candidate)
            effect = await near.reach(name, patch, question.red, target, near_too=matters)
        if refusal(reconsidered(findings, effect, self._rules.guards)):
            return Verification(target, runs=(target.exit_code,)), effect
        tried = await self._repeat(name, candidate, question, target)
        tests = sorted(doomed_by(question.red, target)) if question.red is not None else []
        told = () if not_repeated(target) else of_reach(effect, candidate, tests)
        return replace(tried, findings=(*told, *tried.findings)), effect

    async def _near_inputs_matter(
        self, findings: tuple[GuardFinding, ...], candidate: CandidatePatch
    ) -> bool:
        try:  # a program can be written so that reading it takes long
            return await apart(near_inputs_matter, findings, candidate.changes)
        except TooMuch:
            return True

    async def _repeat(
        self, name: str, candidate: CandidatePatch, question: Question, target: Observation
    ) -> Verification:
        """Run the failing command, which has passed, in the ways that a cheat can't know."""
        patch = candidate.patch
        honest = HonestyTest(self._room)
        alone = await self._without_own_tests(candidate, question)
        replaced = PutBackTest(self._room, self._rules.requested)
        if why_not := not_repeated(target):
            forged = await honest.findings(name, patch, question.red, target)
            own = (
                await self._room.observe(f"{name}-alone", question.failing, alone)
                if alone is not None
                else None
            )
            setup = await replaced.findings(name, patch, question, target, None)
            return Verification(
                target,
                runs=(target.exit_code,),
                remarks=(why_not,),
                findings=(*forged, *setup, *needs_own_tests(own)),
            )
        forged, (second, told, watched) = await both(
            honest.findings(name, patch, question.red, target),
            self._passes_again(name, patch if alone is None else alone, patch, question),
        )
        last = watched.observation
        own_tests_decide = needs_own_tests(second) if alone is not None else ()
        runs = (target, last) if own_tests_decide else (target, second, last)
        return Verification(
            target,
            runs=tuple(run.exit_code for run in runs),
            findings=(
                *forged,
                *told,
                *watched.findings,
                *await replaced.findings(name, patch, question, target, watched.trace),
                *await self._cannot_fail(name, patch, question, watched.trace),
                *own_tests_decide,
                *flaky(runs),
                *await self._original_tests(name, patch, question),
            ),
        )

    async def _cannot_fail(
        self, name: str, patch: Patch, question: Question, trace: Trace | None
    ) -> tuple[GuardFinding, ...]:
        """Return a finding when a check that names no test passes however it is made to fail."""
        if not is_shell_check(question.red):
            return ()
        check = ShellCheckTest(self._room)
        return await check.findings(name, patch, question.failing, trace)

    async def _passes_again(
        self, name: str, alone: Patch, patch: Patch, question: Question
    ) -> tuple[Observation, tuple[GuardFinding, ...], WatchedRun]:
        """Run the failing command in disguise, without the patch's own tests, and then watched."""
        second, told = await observe_disguised(self._room, f"{name}-2", question.failing, alone)
        reads = reads_matter(patch.files) or is_shell_check(question.red)
        watch = Watch.READS if reads else Watch.STARTS
        last = f"{name}-{REPEATS}"
        return second, told, await observe_runner(self._room, last, question.failing, patch, watch)

    async def _without_own_tests(
        self, candidate: CandidatePatch, question: Question
    ) -> Patch | None:
        """Return the patch without the test files that it adds; None where it adds none."""
        added = own_tests(candidate.changes, question.failing)
        if not added or question.edits in {TestEdits.BROUGHT, TestEdits.REQUESTED}:
            return None
        return await without(self._room.store, self._room.base_tree, candidate.patch, added)

    async def _original_tests(
        self, name: str, patch: Patch, question: Question
    ) -> tuple[GuardFinding, ...]:
        """Return which of the original tests fail, when a request changes tests."""
        tests = test_paths(patch.files)
        if question.edits is not TestEdits.REQUESTED or not tests:
            return ()
        as_they_were = await without(self._room.store, self._room.base_tree, patch, tests)
        run = await self._room.observe(f"{name}-original", question.failing, as_they_were)
        if run.ok:
            return ()
        said = guards_runs.original_tests_fail(sorted(run.failing_ids))
        return (found("original-test-fails", said),)
