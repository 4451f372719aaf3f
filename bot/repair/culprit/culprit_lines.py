"""Say where an event leads: which lines that decide the head still has, and what the commit did to them."""

from __future__ import annotations

from collections.abc import Iterator

from bot.model.culprit import ChangedLines, Culprit, EventKind, EventLead, WhatChanged
from bot.model.hunks import FileHunks, file_hunks
from bot.repair.job import Source
from sandbox.git import GitError, ObjectStore

_MOST_LINES = 2_000
"""Beyond which lines lead nowhere."""

_MOST_DIFF = 20_000
"""Characters."""


async def lead_of(source: Source, found: WhatChanged) -> EventLead:
    """Return where the commits that were found lead; a release leads to no lines of the repository."""
    lines: set[tuple[str, int]] = set()
    diffs = []
    for culprit in found.culprits:
        if culprit.event.kind is not EventKind.COMMIT or not culprit.lines:
            continue
        try:
            after = culprit.event.after
            moved = await source.store.renamed(after, source.head)
            for part in culprit.lines:
                lines |= await _at_head(source, after, part, moved.get(part.file, part.file))
            diffs.append(await _deciding_diff(source.store, culprit))
        except GitError:  # of a commit that is not here any more
            continue
    diff = "".join(diffs)
    return EventLead(
        found,
        frozenset(lines) if len(lines) <= _MOST_LINES else frozenset(),
        diff if len(diff) <= _MOST_DIFF else "",
    )


async def _at_head(
    source: Source, commit: str, part: ChangedLines, file: str
) -> set[tuple[str, int]]:
    """Return the lines as the head numbers them in a file; what was changed since is left out."""
    then = await source.store.show(commit, part.file)
    today = await source.store.show(source.head, file)
    if then is None or today is None:
        return set()
    moved = await source.store.line_ranges(then, today) if then != today else ()
    return {
        (file, number)
        for line in range(part.first, part.last + 1)
        if (number := moved_to(line, moved)) is not None
    }


def moved_to(line: int, ranges: tuple[tuple[tuple[int, int], tuple[int, int]], ...]) -> int | None:
    """Return the number of a line in a later text; None for one that is not there any more.

    Args:
        line: Its number, from 1.
        ranges: Which lines became which, each from 0 on, its end not included.
    """
    shift = 0
    for (start, end), (new_start, new_end) in ranges:
        if line - 1 < start:
            break
        if line - 1 < end:
            return None
        shift += (new_end - new_start) - (end - start)
    return line + shift


async def _deciding_diff(store: ObjectStore, culprit: Culprit) -> str:
    """Return what a commit did to the lines that decide, as a diff."""
    event = culprit.event
    files = sorted({part.file for part in culprit.lines})
    whole = await store.diff(event.before, event.after, only=files)
    sections = file_hunks(whole.data.decode("utf-8", "replace"))
    return "".join(text for section in sections for text in _shown(section, culprit.lines))


def _shown(section: FileHunks, parts: tuple[ChangedLines, ...]) -> Iterator[str]:
    path = section.after.removeprefix("b/")
    kept = []
    for hunk in section.hunks:
        last = hunk.new_start + max(1, len(hunk.new))
        if any(
            part.file == path and part.first <= last and part.last >= hunk.new_start
            for part in parts
        ):
            kept.append(hunk)
    if kept:
        yield f"--- {section.before}\n+++ {section.after}\n"
    for hunk in kept:
        yield f"@@ -{hunk.start},{len(hunk.old)} +{hunk.new_start},{len(hunk.new)} @@\n"
        yield "".join(f"{sign}{text}\n" for sign, text in hunk.lines)
