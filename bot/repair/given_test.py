"""Put a test that somebody gave onto the untouched tree, so that it is what has to be repaired."""

from __future__ import annotations

from dataclasses import replace

from bot.model import Patch, Reproduction, Verdict
from bot.model.given_test import GivenTest
from bot.repair.repair_context import RepairContext
from bot.repair.run import Concluded, Run
from bot.repair.test_proof import narrowed
from bot.repair.workspace.patching import patch_between
from bot.reporting.reasons import given_test as reasons
from sandbox.git import PatchDoesNotApply


async def with_given_test(
    run: Run, context: RepairContext, given: GivenTest
) -> tuple[RepairContext, Patch]:
    """Return the context whose failing command runs the test, and the patch that adds it.

    Raises:
        Concluded: When the file is there already, or can't be.
    """
    patch = await run.steps("given test: patch", _patch, context, given)
    if patch is None:
        raise Concluded(Verdict.REFUSED, reasons.can_not_be_added(given.path))
    commands = context.commands
    if run.job.failing is None:
        commands = narrowed(commands, patch.files)
    prepared = await run.steps("given test: keep", context.preparation.add, patch, context.prepared)
    context.preparation.use(prepared, on_top=patch)
    run.known.commands = commands
    return replace(context, commands=commands, prepared=prepared), patch


def shown_by(found: Reproduction, patch: Patch) -> Reproduction:
    """Return the reproduction with the test that shows it."""
    return replace(found, test_patch=patch, reason=f"{reasons.given()} {found.reason}")


async def _patch(context: RepairContext, given: GivenTest) -> Patch | None:
    store, base = context.source.store, context.prepared.tree
    if await store.show(base, given.path) is not None:
        return None
    try:
        tree = await store.apply(base, given.as_diff())
    except PatchDoesNotApply:
        return None
    return await patch_between(store, base, tree)
