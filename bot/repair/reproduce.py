"""See the failure with own eyes before a cent is spent; where nothing fails, write a test first."""

from __future__ import annotations

from bot.model import Cause, Observation, Patch, Reproduction, Verdict
from bot.model.progress import Phase, PhaseStarted, Reproduced
from bot.repair.checks.base_commit import note_base
from bot.repair.guards import is_test_file
from bot.repair.loop import read_reproduction, verdict_of
from bot.repair.proposers.given import GivenPatch
from bot.repair.run import Concluded, RepairContext, Run
from bot.repair.verification.candidate import without
from bot.repair.write_test import write_failing_test
from sandbox.git import PatchDoesNotApply


async def reproduce(run: Run, context: RepairContext) -> RepairContext:
    """See the failure with own eyes; return the context that attempts start from."""
    run.listener(PhaseStarted(Phase.REPRODUCE, detail=context.commands.failing))
    runs = [await _observe(run, context, 1)]
    if not runs[0].ok and not runs[0].timed_out:  # what never ends is not waited for twice
        runs.append(await _observe(run, context, 2))
        if runs[1].ok:
            runs += [await _observe(run, context, n) for n in (3, 4)]
    reproduction = run.known.reproduction = read_reproduction(runs)
    if reproduction.cause is Cause.NOT_REPRODUCED and runs[0].ok:
        context = await _test_first(run, context, runs[0])
        reproduction = run.known.reproduction
    run.listener(Reproduced(reproduction))
    verdict = verdict_of(reproduction.cause)
    if verdict is not None:
        raise Concluded(verdict, reproduction.reason)
    if not runs[0].ok:
        await note_base(run, context, runs[0])
    return context


async def _observe(run: Run, context: RepairContext, n: int) -> Observation:
    room = context.clean_room(run)
    if n == 1:  # what the command itself leaves behind is no part of a repair
        return await run.steps(
            "reproduce 1",
            room.observe_writes, f"{run.job.run_id}-reproduce-1", context.commands.failing,
        )  # fmt: skip
    return await run.steps(
        f"reproduce {n}",
        room.observe, f"{run.job.run_id}-reproduce-{n}", context.commands.failing, Patch(),
    )  # fmt: skip


async def _test_first(run: Run, context: RepairContext, green: Observation) -> RepairContext:
    """Nothing fails yet: have a test written that does, or say what is missing for it."""
    given = run.who(lambda one: one.is_given)
    if isinstance(given, GivenPatch):
        run.known.reproduction = await _tests_of_the_patch(run, context, given.patch, green)
        return context
    problem = run.job.problem
    passes = f"`{context.commands.failing}` passes here"
    if not (problem.title or problem.body or problem.instructions):
        raise Concluded(
            Verdict.NOT_REPRODUCED, f"{passes}, and nothing describes what should fail instead."
        )
    author = run.who(lambda one: one.writes_tests)
    if author is None:
        raise Concluded(
            Verdict.NOT_REPRODUCED,
            f"{passes}. Writing a test that shows the problem takes a model, and none is configured.",
        )
    written = await write_failing_test(run, author, context, green)
    if isinstance(written, str):
        raise Concluded(
            Verdict.NOT_REPRODUCED, f"{passes}, and no test could be written that fails. {written}"
        )
    run.known.reproduction, run.known.commands = written.reproduction, written.context.commands
    return written.context


async def _tests_of_the_patch(
    run: Run, context: RepairContext, patch: Patch, green: Observation
) -> Reproduction:
    """Return how the tests that a patch brings fail without the rest of it."""
    store, base = context.source.store, context.prepared.tree
    others = tuple(file for file in patch.files if not is_test_file(file))
    passes = f"`{green.command}` passes without the patch"
    try:
        tests = await without(store, base, patch, others)
    except PatchDoesNotApply as error:
        raise Concluded(Verdict.NOT_REPRODUCED, f"{passes}. {error}") from error
    if not tests:
        raise Concluded(
            Verdict.NOT_REPRODUCED,
            f"{passes}, and the patch brings no test, so nothing shows what it repairs.",
        )
    red = await context.clean_room(run).observe(
        f"{run.job.run_id}-tests", context.commands.failing, tests
    )
    if red.ok:
        raise Concluded(
            Verdict.NOT_REPRODUCED,
            f"{passes}, and so do the tests that the patch brings: they show nothing.",
        )
    return Reproduction(
        Cause.REAL,
        red,
        reason="The tests that the patch brings fail without the rest of it.",
        runs=(red.exit_code,),
        test_patch=tests,
    )
