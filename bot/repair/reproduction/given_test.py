"""Put tests that are there already onto the untouched tree, so that they are what has to be repaired.

Somebody gave one with the request, an earlier repair of the same brought them, or the run that this
one continues wrote them.
"""

from __future__ import annotations

from dataclasses import replace

from bot.model import Patch, Reproduction, Verdict
from bot.model.given_test import GivenTest
from bot.model.memory import TriedRepair
from bot.model.specification import kind_of
from bot.repair.job import Job
from bot.repair.memory.merging import merged_into
from bot.repair.repair_context import RepairContext
from bot.repair.run import Concluded, Run
from bot.repair.test_proof import narrowed
from bot.repair.workspace.patching import patch_between
from bot.reporting.reasons import test_first as reasons
from sandbox.git import PatchDoesNotApply


async def with_tests(run: Run, context: RepairContext) -> tuple[RepairContext, Patch | None]:
    """Return the context whose failing command runs the tests that are there, and the patch of them.

    Raises:
        Concluded: When the file of a given test is there already, or can't be.
    """
    if run.job.given_test is not None:
        return await _with_given_test(run, context, run.job.given_test)
    if run.job.known_tests is not None:
        return await _with_known_tests(run, context, run.job.known_tests)
    if run.job.written_tests is not None:
        return await _with_written_tests(run, context, run.job.written_tests)
    return context, None


async def _with_given_test(
    run: Run, context: RepairContext, given: GivenTest
) -> tuple[RepairContext, Patch]:
    patch = await run.steps("given test: patch", _patch, context, given)
    if patch is None:
        raise Concluded(Verdict.REFUSED, reasons.can_not_be_added(given.path))
    return await _added(run, context, patch), patch


async def _with_known_tests(
    run: Run, context: RepairContext, known: TriedRepair
) -> tuple[RepairContext, Patch | None]:
    """Add the tests of an earlier repair, unless they don't merge here, or are here already."""
    patch = await run.steps("known tests: patch", _merged, context, known)
    return (context, None) if patch is None else await _added_for_the_same(run, context, patch)


async def _with_written_tests(
    run: Run, context: RepairContext, tests: Patch
) -> tuple[RepairContext, Patch | None]:
    """Add the tests that were written before, on the same commit; they are not asked for again."""
    patch = await run.steps("written tests: patch", _applied, context, tests.data)
    return (context, None) if patch is None else await _added_for_the_same(run, context, patch)


async def _added_for_the_same(
    run: Run, context: RepairContext, patch: Patch
) -> tuple[RepairContext, Patch]:
    """Add tests that show what is asked for now as well."""
    run.known.kind = kind_of(run.job.problem.instructions)
    run.known.specification = run.job.specification
    return await _added(run, context, patch), patch


async def _added(run: Run, context: RepairContext, patch: Patch) -> RepairContext:
    commands = context.commands
    if run.job.failing is None and run.job.only_known_tests_fail:
        commands = narrowed(commands, patch.files)
    prepared = await run.steps("given test: keep", context.preparation.add, patch, context.prepared)
    context.preparation.use(prepared, on_top=patch)
    run.known.commands = commands
    return replace(context, commands=commands, prepared=prepared)


def shown_by(found: Reproduction, patch: Patch, job: Job) -> Reproduction:
    """Return the reproduction with the tests that show it: given, or of an earlier repair."""
    if job.given_test is not None:
        whence = reasons.GIVEN
    elif job.known_tests is not None:
        whence = reasons.of_repair(job.known_tests.pull_request or 0)
    else:
        whence = reasons.OF_RUN
    return replace(found, test_patch=patch, reason=f"{whence} {found.reason}")


async def _patch(context: RepairContext, given: GivenTest) -> Patch | None:
    if await context.source.store.show(context.prepared.tree, given.path) is not None:
        return None
    return await _applied(context, given.as_diff())


async def _applied(context: RepairContext, diff: bytes) -> Patch | None:
    store, base = context.source.store, context.prepared.tree
    try:
        tree = await store.apply(base, diff)
    except PatchDoesNotApply:
        return None
    return await patch_between(store, base, tree)


async def _merged(context: RepairContext, known: TriedRepair) -> Patch | None:
    store, base = context.source.store, context.prepared.tree
    merged = await merged_into(store, base, known)
    if merged is None or merged.left_out or merged.tree == base:
        return None
    return await patch_between(store, base, merged.tree)
