"""Verify what a proposer left: by the failing command, then against everything else that runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.model import (
    Failure,
    Observation,
    Patch,
    Proposal,
    Revert,
    Verification,
)
from bot.model.guard_rules import PatchRules, configured, found
from bot.model.specification import RequestKind
from bot.repair.goal.joined_observation import joined
from bot.repair.goal.unabridged_command import complete
from bot.repair.guards.test_change_request import asks_for_test_changes
from bot.repair.loop import Try
from bot.repair.preparation.patched_setup import renewed
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.tests_not_run import not_run
from bot.repair.verification.candidate import TestEdits
from bot.repair.verification.comparison import passing_now, uncompared
from bot.repair.verification.criteria import Criteria, PatchEvidence
from bot.repair.verification.pipeline import When, proofs
from bot.repair.verification.verify import VerifiedProposal, Verifier
from bot.reporting.reasons import revert, test_first


async def verify_proposal(
    run: Run, context: RepairContext, move: Try, key: str, proposal: Proposal
) -> VerifiedProposal:
    """Verify by the failing command first, and by the whole suite only if that passes.

    Raises:
        BudgetExhausted: Before everything was run that the verification needs.
    """
    if not (proposal.renews and proposal.patch):
        return await _verified(run, context, context, move, key, proposal)
    made = await renewed(run, context, proposal.patch, key)
    if isinstance(made, str):
        return VerifiedProposal(proposal, Verification(None, problem=made))
    return await _verified(run, context, made, move, key, proposal)


async def _verified(
    run: Run,
    untouched: RepairContext,
    context: RepairContext,
    move: Try,
    key: str,
    proposal: Proposal,
) -> VerifiedProposal:
    """Verify in `context`, and compare with what the untouched tree shows with what is installed today."""
    verifier = context.verifier(run)
    name = f"{run.job.run_id}-verify-{len(run.known.tried)}"
    verified = await run.steps(
        f"{key}: verify", verifier.verify, name, proposal, _question(run, context, move)
    )
    verification, patch = verified.verification, verified.proposal.patch
    if verification is None or verification.target is None:
        return verified
    if not verification.target.ok:
        if not _may_be_a_draft(run, verification):
            return verified
        told = await _compared(run, untouched, verifier, key, name, verified)
        return replace(verified, verification=told)
    target = verification.target
    verification = await _beside(run, context, key, name, patch, verification)
    if not verification.target or not verification.target.ok:
        return replace(verified, verification=verification)
    if run.known.reproduction is not None:
        red = run.known.reproduction.observation
        verification = checked(run.job.rules, verification, red, verification.target)
        verification = _with_besides(run, verification, red, target)
    verified = replace(verified, verification=verification)
    if not verification.accepted:
        return verified
    verification = await _compared(run, untouched, verifier, key, name, verified)
    if verification is not None and verified.proposal.reverts:
        verification = _without_own_tests(run, verification, verified.proposal.reverts)
    if verification is not None and verification.accepted:
        runs = tuple(filter(None, (target, verification.suite)))
        evidence = _evidence(name, verified.proposal, runs, _question(run, context, move))
        verification = replace(verification, mutants=evidence.mutants)
        for proof in proofs(When.ACCEPTED, evidence):
            proved = await run.steps(f"{key}: {proof.name}", verifier.prove, proof, evidence)
            verification = proved.added_to(verification)
        verification = _with_untested_points(run, verification)
    return replace(verified, verification=verification)


def _evidence(
    name: str, proposal: Proposal, runs: tuple[Observation, ...], question: Criteria
) -> PatchEvidence:
    """Return what is known of an accepted patch; its changes are read where it is proved."""
    known = proposal.assurance.mutants if proposal.assurance is not None else None
    return PatchEvidence(
        name, proposal.patch, (), runs, question, guesses=proposal.guesses, mutants=known
    )


def _with_untested_points(run: Run, verification: Verification) -> Verification:
    """Return the verification with the points of the specification that nothing has verified."""
    asked, reproduction = run.known.specification, run.known.reproduction
    is_change = run.known.kind is RequestKind.CHANGE
    said: list[str] = []
    if asked is None:
        said = [test_first.CHANGE_UNTESTED] if is_change else []
    elif is_change or (reproduction is not None and reproduction.test_patch is not None):
        said = [test_first.untested(n, point.expected) for n, point in asked.untested]
    findings = [found("point-untested", text) for text in said]
    untested = configured(findings, run.job.rules.guards)
    return replace(verification, findings=(*verification.findings, *untested))


def _may_be_a_draft(run: Run, verification: Verification) -> bool:
    """Whether a patch that mends only some failures is worth a comparison with the full suite."""
    reproduction = run.known.reproduction
    if reproduction is None or not reproduction.undecided or verification.target is None:
        return False
    before = reproduction.observation.failing_ids if reproduction.observation else frozenset()
    return verification.target.failing_ids < before and not verification.refused


async def _compared(
    run: Run,
    context: RepairContext,
    verifier: Verifier,
    key: str,
    name: str,
    verified: VerifiedProposal,
) -> Verification | None:
    """Return the verification with what the patch breaks in everything else that can be run.

    Args:
        run: Of it.
        context: The untouched tree, with what is installed today.
        verifier: Runs the patch.
        key: Front of the steps' names.
        name: Of the sandboxes.
        verified: By the failing command.
    """
    verification, patch = verified.verification, verified.proposal.patch
    mended = _mended(run, verification)
    for n, baseline in enumerate(await _baselines(run, context)):
        more = f" {n + 1}" if n else ""
        if verification is None or verification.new_failures:
            break
        verification = await run.steps(
            f"{key}: compare{more}",
            verifier.compare, f"{name}{more.strip()}", patch, verification, baseline, mended,
        )  # fmt: skip
        verification = checked(run.job.rules, verification, baseline, verification.suite)
        verification = _with_besides(run, verification, baseline, verification.suite)
    return _without_left(run, verification)


def _with_besides(
    run: Run, verification: Verification, before: Observation | None, after: Observation | None
) -> Verification:
    """Return the verification with what a run shows to pass of that which no patch has to mend."""
    reproduction = run.known.reproduction
    if reproduction is None or before is None or after is None:
        return verification
    found = passing_now(reproduction.others, before, after)
    return replace(verification, besides=tuple(dict.fromkeys((*verification.besides, *found))))


def _without_own_tests(
    run: Run, verification: Verification, reverts: Sequence[Revert]
) -> Verification:
    """Return the verification of what takes a commit back: that commit's own tests are for a person."""
    tests = [test for each in reverts for test in each.tests]
    own = tuple(
        failure for failure in verification.new_failures if any(_is(failure, *t) for t in tests)
    )
    if not own:
        return verification
    said = found("reverted-test-fails", revert.own_tests_fail([failure.test for failure in own]))
    new = tuple(failure for failure in verification.new_failures if failure not in own)
    findings = (*verification.findings, *configured([said], run.job.rules.guards))
    return replace(verification, new_failures=new, findings=findings)


def _is(failure: Failure, file: str, name: str) -> bool:
    """Whether a failure is that of a test that a file has by that name."""
    last = name.rpartition("::")[2].rpartition(" > ")[2]
    return failure.file in {None, file} and failure.test.partition("[")[0].endswith(last)


def _without_left(run: Run, verification: Verification | None) -> Verification | None:
    """Return the verification of half a repair, which breaks nothing by what it leaves to mend.

    That may fail of something else now, as where a test comes further than it did.
    """
    if verification is None or verification.target is None or verification.target.ok:
        return verification
    left = verification.target.failing_ids & run.known.failing_before
    new = tuple(failure for failure in verification.new_failures if failure.test not in left)
    return replace(verification, new_failures=new)


def _mended(run: Run, verification: Verification | None) -> frozenset[str]:
    """Return the failures that the failing command no longer has with the patch."""
    reproduction = run.known.reproduction
    if reproduction is None or reproduction.observation is None or reproduction.whole is None:
        return frozenset()
    target = verification.target if verification is not None else None
    left = target.failing_ids if target is not None else frozenset()
    return reproduction.observation.failing_ids - left


async def _beside(
    run: Run, context: RepairContext, key: str, name: str, patch: Patch, verification: Verification
) -> Verification:
    """Return the verification with what the patch does to the other failed jobs of the commit."""
    for n, other in enumerate(context.beside, start=2):
        act = other.clean_room(run).passes
        command = other.commands.failing
        seen = await run.steps(f"{key}: verify {n}", act, f"{name}-{n}", command, patch)
        if isinstance(seen, str):
            return replace(verification, problem=seen)
        if verification.target is not None:
            verification = replace(verification, target=joined((verification.target, seen)))
    return verification


def _question(run: Run, context: RepairContext, move: Try) -> Criteria:
    """Return the criteria by which a proposer's patch is verified."""
    reproduction, edits = run.known.reproduction, TestEdits.LEFT_OUT
    red = reproduction.observation if reproduction is not None else None
    flaky = run.known.flaky_goal
    if move.proposer.may_edit_tests:
        edits = TestEdits.KEPT
    elif flaky is not None or asks_for_test_changes(run.job.problem.instructions):
        edits = TestEdits.REQUESTED
    elif (
        move.proposer.is_given and reproduction is not None and reproduction.test_patch is not None
    ):
        edits = TestEdits.BROUGHT
    elif red is not None and red.asks_for_more:
        edits = TestEdits.WANTED
    elif move.proposer.is_given:
        edits = TestEdits.SHOWN
    wrong_fixes = run.job.wrong_fixes and context.untested is not None
    return Criteria(context.commands.failing, red, edits, context.texts, wrong_fixes, flaky)


def checked(
    rules: PatchRules,
    verification: Verification,
    before: Observation | None,
    after: Observation | None,
) -> Verification:
    """Return the verification with findings on tests that a passing run left out."""
    if before is None or after is None:
        return verification
    seen = configured(not_run(before, after), rules.guards)
    return replace(verification, findings=tuple(dict.fromkeys((*verification.findings, *seen))))


async def _baselines(run: Run, context: RepairContext) -> tuple[Observation, ...]:
    """Return what a patch is compared with: runs on the untouched tree that show more than its goal.

    That is the failing command before it was narrowed, if it was, and the whole suite, if that is
    another one.
    """
    reproduction = run.known.reproduction
    whole = reproduction.whole if reproduction is not None else None
    suite = await _baseline(run, context)
    return tuple(observation for observation in (whole, suite) if observation is not None)


async def _baseline(run: Run, context: RepairContext) -> Observation | None:
    """Return the whole suite on the untouched tree; it runs once, and only when needed."""
    commands, reproduction = context.commands, run.known.reproduction
    if reproduction is None or commands.test == commands.failing:
        return None
    if reproduction.whole is not None and reproduction.whole.command == commands.test:
        return None
    if reproduction.baseline is not None:
        return reproduction.baseline
    if run.known.endless is not None and run.known.endless.command == commands.test:
        return run.known.endless
    baseline = await run.steps(
        "baseline",
        context.clean_room(run).observe, f"{run.job.run_id}-baseline", commands.test, Patch(),
    )  # fmt: skip
    whole = complete(baseline) if uncompared(baseline) and not baseline.timed_out else None
    if whole is not None:  # then the tests behind an error of the suite's own can be compared
        told = await run.steps(
            "baseline complete",
            context.clean_room(run).observe, f"{run.job.run_id}-baseline-2", whole, Patch(),
        )  # fmt: skip
        baseline = baseline if uncompared(told) else told
    run.known.reproduction = replace(reproduction, baseline=baseline)
    return baseline
