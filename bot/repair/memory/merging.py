"""Merge an earlier repair into today's tree: as git does, else line by line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.model.memory import TriedRepair
from bot.repair.memory.line_merge import LineEdit, lines_of, merged_lines
from sandbox.git import ObjectStore, PatchDoesNotApply


@dataclass(frozen=True, slots=True)
class MergedTree:
    """A tree with an earlier repair in it.

    Attributes:
        tree: Its id.
        left_out: Files in which a part of the repair had no room.
    """

    tree: str
    left_out: tuple[str, ...] = ()


async def merged_into(store: ObjectStore, tree: str, entry: TriedRepair) -> MergedTree | None:
    """Return a tree with a repair of before in it, or with what has room; None without its files.

    What is left out may not have mattered: whoever uses the tree has to try it.
    """
    before = dict(entry.before)
    try:
        return MergedTree(await store.merge(tree, entry.patch.data, before.values()))
    except PatchDoesNotApply:
        return await _merged_finely(store, tree, entry, before)


async def _merged_finely(
    store: ObjectStore, tree: str, entry: TriedRepair, before: Mapping[str, bytes]
) -> MergedTree | None:
    paths = entry.patch.files
    ours = await store.files(tree, paths)
    try:
        base = await store.overlaid(tree, {path: before.get(path) for path in paths})
        repaired = await store.apply(base, entry.patch.data)
    except PatchDoesNotApply:  # not all files are known as they were
        return None
    theirs = await store.files(repaired, paths)
    merged: dict[str, bytes] = {}
    plain: list[str] = []
    left_out: list[str] = []
    for path in paths:
        was, now, wanted = before.get(path), ours.get(path), theirs.get(path)
        if now in (was, wanted):
            plain.append(path)
        elif was is None or now is None or wanted is None or b"\0" in was + now + wanted:
            left_out.append(path)
        else:
            both = merged_lines(
                was, await _edits(store, was, now), await _edits(store, was, wanted)
            )
            merged[path] = both.content
            left_out += [path] if both.left_out else []
    tree = await store.put_back(tree, repaired, plain)
    return MergedTree(await store.overlaid(tree, merged), tuple(left_out))


async def _edits(store: ObjectStore, before: bytes, after: bytes) -> tuple[LineEdit, ...]:
    lines = lines_of(after)
    found = await store.line_ranges(before, after)
    return tuple(LineEdit(*old, lines[slice(*new)]) for old, new in found)
