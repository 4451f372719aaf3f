"""Verify a candidate patch where its proposer can't reach: in a clean sandbox on the untouched tree."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.code.files import test_paths
from bot.limited_process import TooMuch, run_limited
from bot.model import (
    GuardFinding,
    Observation,
    Patch,
    Proposal,
    Severity,
    Verification,
)
from bot.model.guard_rules import PatchRules, configured, found
from bot.repair.guards.examine import GuardEvidence
from bot.repair.verification.candidate import (
    CandidatePatch,
    candidate_of,
    runs_doctests,
)
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.comparison import uncompared
from bot.repair.verification.confirmation import Confirmation
from bot.repair.verification.criteria import Criteria, PatchEvidence, Proved
from bot.repair.verification.destination import Destination
from bot.repair.verification.findings import findings_in, problem_of
from bot.repair.verification.pipeline import PassingRuns, Proof
from bot.repair.verification.ran_files import exactly, files_with_tests, places
from bot.reporting.reasons import guards
from sandbox.git import PatchDoesNotApply


@dataclass(frozen=True, slots=True)
class VerifiedProposal:
    """A proposal and its verification; the patch is the part that was verified."""

    proposal: Proposal
    verification: Verification | None


class Verifier:
    """Verifies candidate patches of one run."""

    def __init__(
        self,
        room: CleanRoom,
        rules: PatchRules,
        *,
        destination: Destination,
    ) -> None:
        self._room = room
        self._rules = rules
        self._passing = PassingRuns(room, rules, destination)

    async def verify(self, name: str, proposal: Proposal, question: Criteria) -> VerifiedProposal:
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
        doubts = Confirmation(self._room)
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

    async def prove(self, proof: Proof, evidence: PatchEvidence) -> Proved:
        """Return what a proof of an accepted patch shows."""
        changes = await self._room.changes(evidence.patch)
        return await proof.act(self._room, self._rules, replace(evidence, changes=changes))

    async def _candidate(
        self, patch: Patch, question: Criteria, written: tuple[str, ...]
    ) -> CandidatePatch:
        return await candidate_of(
            self._room.store,
            self._room.base_tree,
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
        paths = await self._room.store.paths(self._room.base_tree)
        defined = places(red.failing_ids, paths)
        files = await self._room.store.files(self._room.base_tree, list(defined)) if defined else {}
        return tuple(map(exactly, files_with_tests(files, defined, paths)))

    async def _verify_candidate(
        self, name: str, candidate: CandidatePatch, question: Criteria
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
        verification = await self._passing.of(name, candidate, question)
        shown = [finding for finding in verification.findings if finding not in findings]
        return replace(
            told,
            target=verification.target,
            runs=verification.runs,
            remarks=verification.remarks,
            problem=verification.problem,
            findings=(*findings, *configured(shown, self._rules.guards)),
        )

    async def _findings(
        self, candidate: CandidatePatch, question: Criteria
    ) -> tuple[GuardFinding, ...]:
        """Return what the guards say of a patch that has not been run."""
        evidence = GuardEvidence(question.red, len(candidate.patch.data))
        try:  # a program can be written so that reading it takes long
            return await run_limited(findings_in, candidate, question, evidence, self._rules)
        except TooMuch as error:
            unread = found("not-examined", guards.too_long_to_examine(str(error)))
            return (replace(unread, severity=Severity.REJECT),)


def _with_patch(proposal: Proposal, patch: Patch) -> Proposal:
    return proposal if patch == proposal.patch else replace(proposal, patch=patch)
