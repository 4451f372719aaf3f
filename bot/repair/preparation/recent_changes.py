"""Which lines and texts changed recently: a new fault is probably there.

Read from the host's own object store; git never runs in the work tree for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.apart import TooMuch, apart
from bot.repair.changed_texts import ChangedText, texts_of
from bot.repair.job import Source
from sandbox.git import GitError

_COMMITS = 5
"""How many commits count as lately, where no other branch says where the work began."""

_MOST = 2_000
"""Changed lines beyond which newness says nothing."""

_LONGEST = 400_000
"""Characters of a diff beyond which a changed text says nothing."""

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")

Line = tuple[str, int]


async def recent_lines(source: Source) -> frozenset[Line]:
    """Return the lines of the head, as path and number, that its last commits changed.

    For a pull request, and for a work tree with changes, that is what they change. Files that are
    new as a whole are left out: of them it says nothing. Where the history is cut, it is empty.
    """
    try:
        before = await source.store.before(source.head, source.trusted, _COMMITS)
        diff = await source.store.hunks(before, source.head) if before else b""
    except GitError:
        return frozenset()
    lines = frozenset(lines_of(diff))
    return lines if len(lines) <= _MOST else frozenset()


async def recent_texts(source: Source) -> tuple[ChangedText, ...]:
    """Return the texts of programs that the same commits changed; none where the history is cut."""
    try:
        before = await source.store.before(source.head, source.trusted, _COMMITS)
        diff = await source.store.hunks(before, source.head) if before else b""
    except GitError:
        return ()
    text = diff.decode("utf-8", "replace")
    if len(text) > _LONGEST:
        return ()
    try:
        return await apart(texts_of, text)
    except TooMuch:
        return ()


def lines_of(diff: bytes) -> Iterator[Line]:
    """Yield the lines that a diff without context adds or changes; where it only removes, those around.

    Args:
        diff: As `git diff --unified=0` prints it.
    """
    path, left = "", 0
    for line in diff.split(b"\n"):
        if left:  # a removed or added line may look like a header
            left -= 1
        elif line.startswith(b"+++ "):
            path = line[4:].removeprefix(b"b/").decode("utf-8", "surrogateescape")
        elif hunk := _HUNK.match(line):
            removed, start, added = (int(n) if n is not None else 1 for n in hunk.groups())
            left = removed + added
            yield from ((path, n) for n in _numbers(start, added))


def _numbers(start: int, added: int) -> range:
    """Return the numbers of a hunk's lines; one that only removes stands behind line `start`."""
    return range(start, start + added) if added else range(max(1, start), start + 2)
