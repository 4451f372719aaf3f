"""Verify a candidate patch where its proposer can't reach: in a clean sandbox on the untouched tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.apart import TooMuch, apart
from bot.at_once import both
from bot.model import (
    GuardFinding,
    MutantResults,
    Observation,
    Patch,
    Proposal,
    Severity,
    Verification,
)
from bot.model.guard_rules import PatchRules, configured, found
from bot.repair.guards.examine import GuardEvidence
from bot.repair.guards.files import test_paths
from bot.repair.verification.candidate import (
    CandidatePatch,
    TestEdits,
    candidate_of,
    changes_between,
    files_of_tests,
    own_tests,
    runs_doctests,
    without,
)
from bot.repair.verification.clean_room import CleanRoom, Watch
from bot.repair.verification.comparison import uncompared
from bot.repair.verification.confirmation import Confirmation
from bot.repair.verification.disguised_rerun import observe_disguised
from bot.repair.verification.findings import (
    findings_in,
    near_inputs_matter,
    of_reach,
    problem_of,
    reconsidered,
    refusal,
)
from bot.repair.verification.forged_results import HonestyTest
from bot.repair.verification.live_mutants import LiveMutants
from bot.repair.verification.must_fail import doomed_by
from bot.repair.verification.mutation_test import MutationTest
from bot.repair.verification.neighbourhood import NOT_TRIED, Reached
from bot.repair.verification.perturbed_inputs import PerturbedInputs
from bot.repair.verification.put_back import PutBackTest, reads_matter
from bot.repair.verification.question import Question
from bot.repair.verification.ran_files import exactly, files_with_tests, places
from bot.repair.verification.repetition import REPEATS, flaky, needs_own_tests, not_repeated
from bot.repair.verification.runner_integrity import WatchedRun, observe_runner
from bot.repair.verification.shell_check_test import ShellCheckTest, is_shell_check
from bot.repair.verification.unneeded_conditions import UnneededConditions
from bot.repair.workspace.patching import patch_between
from bot.repair.workspace.programs import Trace
from bot.reporting.reasons import guards_additions, guards_runs
from bot.reporting.reasons import verification as reasons
from sandbox.git import ObjectStore, PatchDoesNotApply


@dataclass(frozen=True, slots=True)
class VerifiedProposal:
    """A proposal and its verification; the patch is the part that was verified."""

    proposal: Proposal
    verification: Verification | None


@dataclass(frozen=True, slots=True)
class Destination:
    """Where an accepted patch goes.

    Attributes:
        head: The commit that it must fit.
        prepared: Tree of that commit after the setup.
    """

    head: str
    prepared: str


class Verifier:
    """Verifies candidate patches of one run."""

    def __init__(
        self,
        room: CleanRoom,
        store: ObjectStore,
        base_tree: str,
        rules: PatchRules,
        *,
        destination: Destination,
    ) -> None:
        self._room = room
        self._store = store
        self._base_tree = base_tree
        self._rules = rules
        self._destination = destination

    async def verify(self, name: str, proposal: Proposal, question: Question) -> VerifiedProposal:
        """Return the proposal, reduced to what may be published and verified by the failing command.

        Args:
            name: Of the sandbox.
            proposal: What to verify.
            question: By what.
        """
        written = question.red.written if question.red is not None else ()
        try:
            candidate = await self._candidate(proposal.patch, question, written)
        except PatchDoesNotApply as error:
            return VerifiedProposal(proposal, Verification(target=None, problem=str(error)))
        verification = await self._verify_candidate(name, candidate, question)
        if candidate.own and verification.target is not None and not verification.target.ok:
            # what the command writes itself may yet be what the repair consists of
            candidate = await self._candidate(proposal.patch, question, ())
            verification = await self._verify_candidate(f"{name}-all", candidate, question)
        return VerifiedProposal(_with_patch(proposal, candidate.patch), verification)

    async def compare(
        self,
        name: str,
        patch: Patch,
        verification: Verification,
        baseline: Observation,
        mended: frozenset[str] = frozenset(),
    ) -> Verification:
        """Return the verification of a passing patch, with what it breaks in the whole suite.

        Args:
            name: Of the sandbox.
            patch: What was verified.
            verification: By the failing command.
            baseline: The suite on the untouched tree.
            mended: Tests of it that fail there and pass alone with the patch: here they must too.
        """
        if baseline.timed_out:
            return self._not_compared(verification, baseline)
        suite = await self._room.observe_shuffled(f"{name}-suite", baseline.command, patch)
        if not suite.ok and uncompared(baseline):
            return self._not_compared(replace(verification, suite=suite), baseline)
        doubts = Confirmation(self._room, self._store, self._base_tree)
        suite, fresh = await doubts.confirmed(name, patch, baseline, suite, mended)
        return replace(verification, suite=suite, new_failures=fresh)

    def _not_compared(self, verification: Verification, baseline: Observation) -> Verification:
        """Return the verification with why nothing tells what else the patch does.

        A person is asked where there are tests; a suite that names none may lack its own runner.
        """
        reason = uncompared(baseline)
        shown: tuple[GuardFinding, ...] = ()
        if baseline.timed_out or baseline.named or baseline.others:
            shown = configured([found("suite-uncompared", reason)], self._rules.guards)
        return replace(verification, uncompared=reason, findings=(*verification.findings, *shown))

    async def try_mutants(
        self, name: str, patch: Patch, runs: Sequence[Observation], red: Observation | None
    ) -> MutantResults | None:
        """Return what the tests that decided on an accepted patch notice of mutants of it.

        Args:
            name: Of the sandboxes.
            patch: What was verified.
            runs: That passed with it.
            red: The failing command without it.
        """
        tree = await self._store.apply(self._base_tree, patch.data)
        changes = await changes_between(self._store, self._base_tree, tree)
        failed = red.failing_ids if red is not None else frozenset()
        live = LiveMutants(self._room, self._store, self._base_tree)
        return await MutationTest(self._room, live).results(name, patch, changes, runs, failed)

    async def try_conditions(
        self, name: str, patch: Patch, runs: Sequence[Observation], red: Observation | None
    ) -> tuple[GuardFinding, ...]:
        """Return findings on conditions of an accepted patch that restrict it without need.

        Args:
            name: Of the sandboxes.
            patch: What was verified.
            runs: That passed with it, the failing command's first.
            red: The failing command without it.
        """
        tree = await self._store.apply(self._base_tree, patch.data)
        changes = await changes_between(self._store, self._base_tree, tree)
        near = PerturbedInputs(self._room, self._store, self._base_tree)
        findings = await UnneededConditions(self._room, near).findings(
            name, patch, changes, runs, red
        )
        return configured(findings, self._rules.guards)

    async def _candidate(
        self, patch: Patch, question: Question, written: tuple[str, ...]
    ) -> CandidatePatch:
        return await candidate_of(
            self._store,
            self._base_tree,
            patch,
            edits=question.edits,
            globs=(*await self._that_ran(question.red), *self._rules.restored),
            written=written,
            requested=self._rules.requested,
            doctests=runs_doctests(question.failing, question.red),
        )

    async def _that_ran(self, red: Observation | None) -> tuple[str, ...]:
        """Return globs of the files whose tests failed and that no convention calls tests."""
        if red is None:
            return ()
        paths = await self._store.paths(self._base_tree)
        defined = places(red.failing_ids, paths)
        files = await self._store.files(self._base_tree, list(defined)) if defined else {}
        return tuple(map(exactly, files_with_tests(files, defined, paths)))

    async def _verify_candidate(
        self, name: str, candidate: CandidatePatch, question: Question
    ) -> Verification:
        findings = await self._findings(candidate, question)
        told = Verification(
            None,
            findings=findings,
            changed_tests=test_paths(candidate.patch.files),
            restored=candidate.restored,
            problem=problem_of(candidate, findings),
        )
        if told.problem:
            return told
        verification, effect = await self._try(name, candidate, question, findings)
        findings = reconsidered(findings, effect, self._rules.guards)
        shown = [finding for finding in verification.findings if finding not in findings]
        return replace(
            told,
            target=verification.target,
            runs=verification.runs,
            remarks=verification.remarks,
            problem=verification.problem or refusal(findings),
            findings=(*findings, *configured(shown, self._rules.guards)),
        )

    async def _findings(
        self, candidate: CandidatePatch, question: Question
    ) -> tuple[GuardFinding, ...]:
        """Return what the guards say of a patch that has not been run."""
        evidence = GuardEvidence(
            question.red,
            await files_of_tests(self._store, self._base_tree, question.red, question.failing),
            len(candidate.patch.data),
        )
        try:  # a program can be written so that reading it takes long
            return await apart(findings_in, candidate, question, evidence, self._rules)
        except TooMuch as error:
            unread = found("not-examined", guards_additions.too_long_to_examine(str(error)))
            return (replace(unread, severity=Severity.REJECT),)

    async def _try(
        self,
        name: str,
        candidate: CandidatePatch,
        question: Question,
        findings: tuple[GuardFinding, ...],
    ) -> tuple[Verification, Reached]:
        """Run the failing command with the patch, if the patch applies where it must."""
        patch = candidate.patch
        try:
            await self._check_destination(patch)
            target = await self._room.observe(name, question.failing, patch)
        except PatchDoesNotApply as error:
            return Verification(None, problem=str(error)), NOT_TRIED
        if not target.ok:
            return Verification(target, runs=(target.exit_code,)), NOT_TRIED
        if question.edits is TestEdits.SHOWN and (candidate.restored or candidate.embedded):
            whole = await self._room.observe(f"{name}-whole", question.failing, candidate.whole)
            if not whole.ok:
                said = reasons.fails_with_its_tests()
                failed = Verification(whole, runs=(target.exit_code,), problem=said)
                return failed, NOT_TRIED
        effect = NOT_TRIED
        if not not_repeated(target):
            near = PerturbedInputs(self._room, self._store, self._base_tree)
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
        honest = HonestyTest(self._room, self._store, self._base_tree)
        alone = await self._without_own_tests(candidate, question)
        replaced = PutBackTest(self._room, self._store, self._base_tree, self._rules.requested)
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
        check = ShellCheckTest(self._room, self._store, self._base_tree)
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
        return await without(self._store, self._base_tree, candidate.patch, added)

    async def _original_tests(
        self, name: str, patch: Patch, question: Question
    ) -> tuple[GuardFinding, ...]:
        """Return which of the original tests fail, when a request changes tests."""
        tests = test_paths(patch.files)
        if question.edits is not TestEdits.REQUESTED or not tests:
            return ()
        as_they_were = await without(self._store, self._base_tree, patch, tests)
        run = await self._room.observe(f"{name}-original", question.failing, as_they_were)
        if run.ok:
            return ()
        said = guards_runs.original_tests_fail(sorted(run.failing_ids))
        return (found("original-test-fails", said),)

    async def _check_destination(self, patch: Patch) -> None:
        """Raise `PatchDoesNotApply` for a patch of what only the setup made."""
        head, prepared = self._destination.head, self._destination.prepared
        if await self._store.tree_of(head) == self._base_tree:
            return
        tree = await self._store.apply(self._base_tree, patch.data)
        whole = await patch_between(self._store, prepared, tree)
        try:
            await self._store.apply(head, whole.data)
        except PatchDoesNotApply as error:
            raise PatchDoesNotApply(
                "The patch builds on what the setup commands changed in the work tree, so it does "
                f"not apply to the commit itself: {error}"
            ) from error


def _with_patch(proposal: Proposal, patch: Patch) -> Proposal:
    return proposal if patch == proposal.patch else replace(proposal, patch=patch)
