"""Recall what earlier runs tried at the failure that was reproduced, before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.apart import TooMuch, apart
from bot.model.memory import (
    NOTHING_RECALLED,
    FailureSignature,
    Memory,
    MergedRepair,
    Recalled,
    TriedRepair,
)
from bot.model.progress import Noticed
from bot.repair.loop import Try
from bot.repair.memory.alike import near_files
from bot.repair.memory.carrying import (
    MOST_BYTES,
    MOST_PLACES,
    elsewhere,
    readable,
)
from bot.repair.memory.merging import merged_into
from bot.repair.memory.signature import signature_of
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.workspace.patching import patch_between
from bot.reporting.reasons import memory as said
from sandbox.git import ObjectStore


@dataclass(frozen=True, slots=True)
class _Found:
    """What is remembered, and what of it can be tried again.

    Attributes:
        recalled: All of it.
        again: Repairs that merge into the tree.
        notes: Why others don't.
    """

    recalled: Recalled
    again: tuple[MergedRepair, ...]
    notes: tuple[str, ...]


async def recall(run: Run, context: RepairContext) -> None:
    """Have the run know what is remembered for its failure; a restarted run knows the same."""
    memory, reproduction = run.tools.memory, run.known.reproduction
    signature = None if reproduction is None else signature_of(reproduction)
    known = run.job.known_repair
    if signature is None or (memory is None and known is None):
        return
    store, tree = context.source.store, context.prepared.tree
    found = await run.steps("recall", _found, known, memory, signature, store, tree)
    run.known.recalled, run.known.again = found.recalled, found.again
    run.known.note(*found.notes)
    for repair in found.again[:1]:
        run.listener(Noticed(said.known(repair)))


async def _found(
    known: TriedRepair | None,
    memory: Memory | None,
    signature: FailureSignature,
    store: ObjectStore,
    tree: str,
) -> _Found:
    recalled = NOTHING_RECALLED if memory is None else await memory.recall(signature)
    again: list[MergedRepair] = []
    notes: list[str] = []
    own = (*(() if known is None else (known,)), *recalled.same)
    for entry in own:
        merged = await _merged(entry, store, tree)
        if isinstance(merged, str):
            notes.append(merged)
        elif all(merged.patch != repair.patch for repair in again):
            again.append(merged)
    if all(repair.left_out for repair in again):
        again += await _carried_over((*own, *recalled.elsewhere), signature, store, tree)
    return _Found(recalled, tuple(again), tuple(notes))


async def _merged(entry: TriedRepair, store: ObjectStore, tree: str) -> MergedRepair | str:
    """Return an earlier repair merged into a tree, or why there is nothing to try."""
    merged = await merged_into(store, tree, entry)
    if merged is None:
        return said.conflicts(entry)
    if merged.tree == tree:
        return said.conflicts(entry) if merged.left_out else said.is_there(entry)
    return MergedRepair(entry, await patch_between(store, tree, merged.tree), merged.left_out)


async def _carried_over(
    entries: Sequence[TriedRepair], signature: FailureSignature, store: ObjectStore, tree: str
) -> list[MergedRepair]:
    """Return the changes of earlier repairs, made in other places that have the lines they changed."""
    paths = await store.paths(tree) if entries else ()
    found: list[MergedRepair] = []
    for entry in entries:
        near = near_files(paths, entry.patch.files, signature)
        contents = await store.files(tree, near, longest=MOST_BYTES)
        try:
            places = await apart(elsewhere, entry.patch.text, readable(contents))
        except TooMuch:
            continue
        for place in places:
            after = await store.overlaid(tree, {path: text.encode() for path, text in place.files})
            patch = await patch_between(store, tree, after)
            if patch and all(patch != repair.patch for repair in found):
                found.append(MergedRepair(entry, patch, carried=place.carried))
    return found[:MOST_PLACES]


def recalled_notes(run: Run, move: Try) -> tuple[str, ...]:
    """Return what a model was shown from memory, for the report."""
    found = run.known.recalled
    if not move.proposer.needs_model or found == NOTHING_RECALLED:
        return ()
    similar = (said.shown_attempts(found.similar),) if found.similar.entries else ()
    lessons = (said.shown_lessons(found.lessons),) if found.lessons else ()
    return similar + lessons
