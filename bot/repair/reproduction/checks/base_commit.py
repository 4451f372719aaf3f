"""Run the failing command at the base commit of a pull request."""

from __future__ import annotations

from bot.model import Observation, Patch
from bot.repair.repair_context import RepairContext
from bot.repair.reproduction.changed_tests import touched_tests
from bot.repair.reproduction.checks.verdict import same_at_base
from bot.repair.run import Run
from bot.repair.tests_not_run import without_result
from bot.repair.workspace.patches import patch_between
from bot.repair.workspace.setup_inputs import touches_setup
from bot.reporting.reasons import reproduction


def has_base(context: RepairContext) -> bool:
    """Whether there is another commit to compare with: that of a pull request's base branch.

    On the default branch there is none: what fails there is repaired there.
    """
    return context.source.trusted != context.source.head


async def to_base(context: RepairContext) -> Patch:
    """Return the difference from the prepared tree to the base commit."""
    store = context.source.store
    tree = await store.tree_of(context.source.trusted)
    return await patch_between(store, context.prepared.tree, tree)


async def observe_at_base(
    run: Run, context: RepairContext, patch: Patch, *, step: str
) -> Observation:
    """Run the failing command at the base, in the environment of the failing commit."""
    observe = context.clean_room(run).observe
    name = f"{run.job.run_id}-{step.replace(' ', '-')}"
    return await run.steps(step, observe, name, context.commands.failing, patch)


async def note_base(run: Run, context: RepairContext, head: Observation) -> None:
    """Note it when the base of a pull request fails in the same way.

    A person asked for the repair, so the run continues anyway. Where the pull request changes what
    the setup makes, nothing is compared: that would need another setup.
    """
    if not has_base(context):
        return
    patch = await to_base(context)
    if touches_setup(patch.files):
        return
    base = await observe_at_base(run, context, patch, step="base")
    if same_at_base(head, base):
        silent = without_result(await touched_tests(context.source), head)
        told = reproduction.no_result(silent) if silent else ""
        run.known.note(f"{reproduction.base_fails_too(base.command)} {told}".rstrip())
