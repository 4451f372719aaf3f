"""Set a tree up anew with a patch that changes what is installed, to verify the patch there."""

from __future__ import annotations

from dataclasses import replace

from bot.model import Patch
from bot.model.progress import Phase, PhaseStarted
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.workspace.patches import patch_between
from bot.repair.workspace.preparation import Preparation
from bot.repair.workspace.sandbox_cleanup import MOST_EXTENSIONS, RETESTED, renewed_place
from bot.repair.workspace.setup_result import Prepared, SetupFailed, why_setup_failed


async def renewed(run: Run, context: RepairContext, patch: Patch, key: str) -> RepairContext | str:
    """Return the same tree where the setup ran with a patch, without the patch; or why it can't be.

    The tests of the untouched tree are not run there: they are compared with what they show today.

    Args:
        run: Of it.
        context: The tree, and those of the other failed jobs.
        patch: What it is set up with.
        key: Front of the steps' names.
    """
    made = []
    for number, each in enumerate((context, *context.beside)):
        place = renewed_place(len(run.known.places))
        run.known.places += (place,)
        preparation = each.preparation.elsewhere(place, run.listener)
        run.listener(PhaseStarted(Phase.SETUP))
        prepared = await run.steps(
            f"{key}: set up with it {number}", _set_up, preparation, each, patch
        )
        if isinstance(prepared, SetupFailed):
            return why_setup_failed(prepared)
        preparation.use(prepared)
        made.append(replace(each, preparation=preparation, prepared=prepared))
    first, *beside = made
    return replace(first, beside=tuple(beside))


async def _set_up(
    preparation: Preparation, context: RepairContext, patch: Patch
) -> Prepared | SetupFailed:
    """Run the setup with the patch, in an environment of its own, and take the patch back."""
    store, before = context.source.store, context.prepared.tree
    preparation.use(context.prepared)
    changed = await preparation.add(patch, context.prepared)
    made = await preparation.anew(changed, MOST_EXTENSIONS)
    if isinstance(made, SetupFailed):
        return made
    undo = await patch_between(store, await store.apply(before, patch.data), before)
    return replace(await preparation.add(undo, made, RETESTED), tree=before)
