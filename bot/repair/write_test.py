"""Have a failing test written for a problem that no test shows yet, and prove that it shows it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.model import (
    Attempt,
    Cause,
    Observation,
    Patch,
    Proposal,
    Reproduction,
    Verification,
)
from bot.model.progress import Noticed, Phase, PhaseStarted
from bot.repair.mapping import map_repository
from bot.repair.proposers.base import Proposer
from bot.repair.run import RepairContext, Run
from bot.repair.test_proof import MOST_TRIES, narrowed, objection, test_files
from bot.repair.workspace.patching import patch_between
from bot.reporting.reasons import written_test


@dataclass(frozen=True, slots=True)
class Written:
    """A test that fails on the untouched tree for the reason that the problem gives.

    Attributes:
        context: The prepared tree with the test on top; its failing command runs the test.
        reproduction: The red run.
    """

    context: RepairContext
    reproduction: Reproduction


async def write_failing_test(
    run: Run, author: Proposer, context: RepairContext, green: Observation
) -> Written | str:
    """Return the context with the test on top, or why there is no such test, as a sentence.

    Args:
        run: The run.
        author: Writes the test.
        context: On the untouched tree.
        green: The failing command's passing run there.
    """
    rejected: list[Attempt] = []
    reason = ""
    for n in range(1, MOST_TRIES + 1):
        run.listener(PhaseStarted(Phase.WRITE_TEST, attempt=n))
        proposal = await _ask(run, author, context, n, tuple(rejected))
        result = await _prove(run, context, proposal.patch, green, n)
        if isinstance(result, Written):
            return result
        reason = result
        rejected.append(_rejection(n, author, proposal, reason))
        run.listener(Noticed(written_test.rejected(n, reason)))
        run.known.note(written_test.rejected(n, reason))
    return reason


def _rejection(n: int, author: Proposer, proposal: Proposal, reason: str) -> Attempt:
    """Return the try as an attempt for the next try to learn from; it is not counted."""
    return Attempt(
        n,
        author.traits.name,
        proposal,
        Verification(None, problem=reason),
        failing_before=(),
        seconds=0.0,
    )


async def _ask(
    run: Run, author: Proposer, context: RepairContext, n: int, rejected: tuple[Attempt, ...]
) -> Proposal:
    """Return what the author wrote, reduced to test files."""
    await map_repository(run, context, author.traits)
    task = replace(context.task(run, n, write_test=True), earlier=rejected)
    workbench = context.workbench(run, f"write-test-{n}")
    steps = workbench.remembering(run.steps)
    async with workbench.attended(lasting=steps.lasting):
        proposal: Proposal = await author.propose(
            task, workbench, steps, run.listener, run.known.spend
        )
    tests = await run.steps(f"write test {n}: keep tests", _only_tests, context, proposal.patch)
    return replace(proposal, patch=tests)


async def _only_tests(context: RepairContext, patch: Patch) -> Patch:
    store, base = context.source.store, context.prepared.tree
    tree = await store.apply(base, patch.data)
    return await patch_between(store, base, tree, test_files(patch))


async def _prove(
    run: Run, context: RepairContext, patch: Patch, green: Observation, n: int
) -> Written | str:
    if not patch:
        return written_test.not_written()
    commands = narrowed(context.commands, patch.files)
    room = context.clean_room(run)
    red = await run.steps(
        f"write test {n}: run on the untouched tree",
        room.observe, f"{run.job.run_id}-red-{n}", commands.failing, patch,
    )  # fmt: skip
    against = objection(red, green.failing_ids)
    if against is not None:
        return against
    if run.tools.reviewer is not None:
        step = f"write test {n}: judge"
        shows, why, usage = await run.steps(
            step, run.tools.reviewer.shows_problem, run.job.problem, red, patch, run.money(step)
        )
        run.known.spend(usage)
        if not shows:
            return written_test.another_failure(why)
    prepared = await run.steps(
        f"write test {n}: keep", context.preparation.add, patch, context.prepared
    )
    context.preparation.use(prepared, on_top=patch)
    reproduction = Reproduction(
        Cause.REAL,
        red,
        reason=written_test.shows_problem(),
        runs=(red.exit_code,),
        test_patch=patch,
    )
    return Written(replace(context, commands=commands, prepared=prepared), reproduction)
