"""Set both sides of a change up: once where it leaves what a setup reads alone, else each by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.model import Commands, Patch
from bot.repair.job import AtCommit, Commits, Job
from bot.repair.preparation.prepare import prepare
from bot.repair.preparation.setup_repair import kept_fresh
from bot.repair.repair_context import RepairContext
from bot.repair.run import Concluded, Run, RunState
from bot.repair.verification.base_and_head import Side, Sides
from bot.repair.verification.candidate import changes_between
from bot.repair.workspace.patches import patch_between
from bot.repair.workspace.setup_inputs import touches_setup
from bot.reporting.reasons import proof_rows


@dataclass(frozen=True, slots=True)
class ProvenChange:
    """What a proof is about.

    Attributes:
        job: Whose setup, commands and limits hold; its problem is what the change claims to fix.
        base: Commit without the change.
        head: Commit with it.
        seconds: For the whole proof.
    """

    job: Job
    base: str
    head: str
    seconds: float


@dataclass(frozen=True, slots=True)
class BothSides:
    """Both sides, ready to be compared.

    Attributes:
        base: Where the base was prepared; the head itself where it could not be.
        head: Where the head was; the same as `base` where one setup does for both.
        to_base: From what `base` prepared to the base.
        to_head: From what `head` prepared to the head.
        patch: From base to head.
    """

    base: RepairContext
    head: RepairContext
    to_base: Patch
    to_head: Patch
    patch: Patch

    @property
    def commands(self) -> Commands:
        """How they are tested."""
        return self.head.commands

    @property
    def shares(self) -> bool:
        """Whether one setup does for both."""
        return self.base is self.head


def other_side(run_id: str) -> str:
    """Return under which id the head is set up, where base and head are set up apart."""
    return f"{run_id}h"


async def set_up(run: Run, commits: Commits, change: ProvenChange) -> BothSides:
    """Return both sides of a change.

    Raises:
        Concluded: When the head can't be set up.
    """
    source = await commits.provide(change.base)
    await commits.provide(change.head)
    store = source.store
    before, after = [await store.tree_of(commit) for commit in (change.base, change.head)]
    patch = await patch_between(store, before, after)
    base: RepairContext | None
    try:
        base = await _prepared(run, commits, change.base)
    except Concluded as end:
        base = None
        run.known.note(proof_rows.base_not_set_up(end.reason))
    language = next(iter(base.commands.ecosystems), "") if base is not None else ""
    if base is not None and not touches_setup(patch.files, language):
        return BothSides(base, base, Patch(), patch, patch)
    anew = replace(run, job=replace(run.job, run_id=other_side(run.job.run_id)), known=RunState())
    try:
        head = await _prepared(anew, commits, change.head)
    except Concluded:
        run.known.reproduction = anew.known.reproduction
        raise
    run.known.note(*anew.known.notes)
    run.known.commands = head.commands
    if base is None:
        back = await patch_between(store, after, before)
        return BothSides(head, head, back, Patch(), patch)
    run.known.note(proof_rows.SET_UP_TWICE)
    return BothSides(base, head, Patch(), Patch(), patch)


async def sides_of(run: Run, both: BothSides, seconds: float) -> Sides:
    """Return where commands run, each for so long at most, as both sides are prepared now.

    Raises:
        PatchDoesNotApply: When the change does not fit what the setup makes.
    """
    before = await _side(run, both.base, both.to_base, seconds)
    after = await _side(run, both.head, both.to_head, seconds)
    store = after.room.store
    base = await store.tree_of(both.base.source.head)
    base = await store.apply(base, both.to_base.data) if both.to_base else base
    head = await store.apply(base, both.patch.data)
    return Sides(before, after, await changes_between(store, base, head))


async def _side(run: Run, context: RepairContext, patch: Patch, seconds: float) -> Side:
    room, tree = context.clean_room(run, seconds=seconds), context.prepared.tree
    return Side(room, patch, await room.store.apply(tree, patch.data) if patch else tree)


async def _prepared(run: Run, commits: Commits, commit: str) -> RepairContext:
    context = await prepare(run, AtCommit(commits, commit))
    return await kept_fresh(run, context)
