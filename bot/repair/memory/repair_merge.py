"""Merge an earlier repair into today's tree: as git does, else line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.model.memory import TriedRepair
from sandbox.git import ObjectStore, PatchDoesNotApply

# Git's three-way merge takes changes of lines that touch each other for a conflict. A repair that is
# verified afterwards can be merged more finely.

_SAYS = re.compile(rb"\w")


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Lines that a change replaces.

    Attributes:
        start: First line that is replaced, counted from 0; where nothing is, the one to add before.
        end: The line behind the last one that is replaced.
        lines: What is there instead, with their line ends.
    """

    start: int
    end: int
    lines: tuple[bytes, ...]

    @property
    def only_adds(self) -> bool:
        """Whether it replaces nothing."""
        return self.start == self.end


@dataclass(frozen=True, slots=True)
class LineMerge:
    """Both changes in one text.

    Attributes:
        content: The text.
        left_out: Edits of the second change that the first one leaves no room for.
    """

    content: bytes
    left_out: int = 0


def merged_lines(before: bytes, first: Sequence[LineEdit], second: Sequence[LineEdit]) -> LineMerge:
    """Return a text with all of one change, and what of another one fits beside it.

    What both add at the same place is kept, that of the first one in front, if they share no line.

    Args:
        before: The text that both change.
        first: The change that counts.
        second: The one to be added, less what the first one has, too.
    """
    fitting, left_out = [], 0
    for edit in second:
        if edit in first:
            continue
        if any(_clash(edit, other) for other in first):
            left_out += 1
        else:
            fitting.append(edit)
    return LineMerge(b"".join(_applied(lines_of(before), first, fitting)), left_out)


def lines_of(text: bytes) -> tuple[bytes, ...]:
    """Return the lines of a text with their ends, as git counts them."""
    *whole, rest = text.split(b"\n")
    lines = tuple(line + b"\n" for line in whole)
    return (*lines, rest) if rest else lines


def _clash(edit: LineEdit, other: LineEdit) -> bool:
    """Whether two edits concern the same lines; those that only touch don't.

    Two that add at the same place do if they share a line: then they are two versions of one thing.
    """
    if edit.only_adds and other.only_adds:
        return edit.start == other.start and not _words(edit).isdisjoint(_words(other))
    return edit.start < other.end and other.start < edit.end


def _words(edit: LineEdit) -> frozenset[bytes]:
    """Return the lines of an edit that say something, without what surrounds them."""
    lines = (line.strip() for line in edit.lines)
    return frozenset(line for line in lines if _SAYS.search(line))


def _applied(
    before: Sequence[bytes], first: Iterable[LineEdit], second: Iterable[LineEdit]
) -> Iterator[bytes]:
    order = [
        (edit.start, edit.end, n, edit) for n, some in enumerate((first, second)) for edit in some
    ]
    at = 0
    for start, end, _, edit in sorted(order, key=lambda item: item[:3]):
        yield from before[at:start]
        yield from edit.lines
        at = end
    yield from before[at:]


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
