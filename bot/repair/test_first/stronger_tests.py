"""Have tests that accept every wrong fix strengthened, once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.errors import BudgetExhausted, ProviderError
from bot.model import Attempt, MutantResults, Patch
from bot.model.progress import Noticed, Phase, PhaseStarted, Verified
from bot.repair.attempts.attempt_verification import verify_proposal
from bot.repair.loop import Try
from bot.repair.proposers.base import Proposer
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.test_first.test_writer import WrittenTests, ask_for_tests, proven
from bot.repair.test_proof import MOST_TRIES, is_weak
from bot.repair.verification.mutation.wrong_fix_test import WrongFixTest
from bot.repair.workspace.patches import patch_between
from bot.reporting.reasons import verification as reasons
from sandbox.base import SandboxError
from sandbox.git import GitError

_N = MOST_TRIES + 1
"""Number of the try."""


@dataclass(frozen=True, slots=True)
class _Weak:
    """Tests that accept every wrong fix, and what is needed to write better ones."""

    attempt: Attempt
    author: Proposer
    results: MutantResults
    context: RepairContext
    untested: RepairContext


async def with_strong_tests(run: Run, context: RepairContext) -> RepairContext:
    """Return the context with tests that catch a wrong fix, if they can be had in one round.

    The accepted attempt of the run is verified by the new ones then. Else all stays as it is, the
    report says why, and its finding asks a person to look.
    """
    weak = _weak(run, context)
    if weak is None:
        return context
    said = reasons.to_be_strengthened(weak.results.total)
    run.listener(Noticed(said))
    before = run.known.reproduction, run.known.commands, run.known.specification
    try:
        found = await _once_more(run, weak)
    except (BudgetExhausted, ProviderError, SandboxError, GitError) as error:
        found = str(error)
    if isinstance(found, RepairContext):
        run.known.note(reasons.STRENGTHENED)
        return found
    run.known.reproduction, run.known.commands, run.known.specification = before
    patch = before[0].test_patch if before[0] is not None else None
    context.preparation.use(context.prepared, on_top=patch)
    run.known.note(reasons.not_strengthened(found))
    return context


def _weak(run: Run, context: RepairContext) -> _Weak | None:
    attempt = next((entry for entry in run.known.attempts if entry.accepted), None)
    results = attempt.verification.wrong_fixes if attempt and attempt.verification else None
    author = run.who(lambda item: item.writes_tests)
    if attempt is None or results is None or not is_weak(results):
        return None
    if author is None or context.untested is None:
        return None
    return _Weak(attempt, author, results, context, context.untested)


async def _once_more(run: Run, weak: _Weak) -> RepairContext | str:
    """Return the tree with better tests, by which the attempt is verified; or why there are none."""
    context, untested = weak.context, weak.untested
    run.listener(PhaseStarted(Phase.WRITE_TEST, attempt=_N))
    wrong = await _test(run, context).made(weak.attempt.proposal.patch)
    task = context.task(run, _N, write_test=True)
    task = replace(task, earlier=(), wrong_fixes=tuple(fix.diff for fix in wrong))
    proposal = await ask_for_tests(run, weak.author, context, task)
    step = f"write test {_N}: all tests"
    tests = await run.steps(step, _all_tests, context, untested, proposal.patch)
    untested.preparation.use(untested.prepared)
    written = await proven(run, untested, replace(proposal, patch=tests), frozenset(), _N)
    if isinstance(written, str):
        return written
    return await _verified_by(run, weak, written)


async def _verified_by(run: Run, weak: _Weak, written: WrittenTests) -> RepairContext | str:
    run.known.reproduction, run.known.commands = written.reproduction, written.context.commands
    run.known.specification = written.specification
    attempt, place = weak.attempt, run.known.attempts.index(weak.attempt)
    move = Try(next(traits for traits in run.ladder if traits.name == attempt.proposer))
    run.listener(PhaseStarted(Phase.VERIFY, attempt=attempt.n))
    key = f"{attempt.proposer} {len(run.known.tried)}: with stronger tests"
    verified = await verify_proposal(run, written.context, move, key, attempt.proposal)
    verification = verified.verification
    if verification is None or not verification.accepted:
        return reasons.FIX_FAILS
    if is_weak(verification.wrong_fixes):
        return reasons.NO_BETTER
    run.known.attempts[place] = replace(
        attempt,
        proposal=verified.proposal,
        verification=verification,
        failing_before=run.known.named_before,
    )
    run.listener(Verified(attempt.n, verification))
    return written.context


async def _all_tests(context: RepairContext, untested: RepairContext, patch: Patch) -> Patch:
    """Return the tests of before with what a patch makes of them, against the untouched tree."""
    store = context.source.store
    tree = await store.apply(context.prepared.tree, patch.data) if patch else context.prepared.tree
    return await patch_between(store, untested.prepared.tree, tree)


def _test(run: Run, context: RepairContext) -> WrongFixTest:
    return WrongFixTest(context.clean_room(run))
