"""Read a diff as git writes it: which lines of which files change. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

NOWHERE = "/dev/null"
"""In place of the name of a file that is not there."""

_FILE = re.compile(r"^(?=diff --git )", re.MULTILINE)
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that stand together.

    Attributes:
        lines: Each with its sign (" ", "-" or "+"), and without its end.
        start: Number of the first of the old ones.
        new_start: Number of the first of the new ones.
        is_ended: Whether git says of none that it has no end.
    """

    lines: tuple[tuple[str, str], ...]
    start: int = 1
    new_start: int = 1
    is_ended: bool = True

    @property
    def old(self) -> tuple[str, ...]:
        """The lines as they were."""
        return tuple(text for sign, text in self.lines if sign != "+")

    @property
    def new(self) -> tuple[str, ...]:
        """The lines as they become."""
        return tuple(text for sign, text in self.lines if sign != "-")


@dataclass(frozen=True, slots=True)
class FileHunks:
    """What a diff says of one file.

    Attributes:
        heading: What stands before its lines.
        before: Its name before, with `a/` in front; `NOWHERE`, or "" where no lines change.
        after: Its name after, with `b/` in front; likewise.
        hunks: In their order.
    """

    heading: tuple[str, ...]
    before: str
    after: str
    hunks: tuple[Hunk, ...]


def file_hunks(diff: str) -> Iterator[FileHunks]:
    """Yield what a diff says of each file."""
    for section in _FILE.split(diff)[1:]:
        lines = section.split("\n")
        start = next((n for n, line in enumerate(lines) if line.startswith("@@ ")), len(lines))
        heading = tuple(lines[:start])
        names = {line[:4]: line[4:].removesuffix("\t") for line in heading}
        hunks = tuple(_hunks(lines[start:]))
        yield FileHunks(heading, names.get("--- ", ""), names.get("+++ ", ""), hunks)


def _hunks(lines: list[str]) -> Iterator[Hunk]:
    """Yield hunks; by their numbers of lines, since a line of theirs may look like a header."""
    at = 0
    while at < len(lines):
        head = _HUNK.match(lines[at])
        at += 1
        if head is None:
            continue
        start, old, new_start, new = (int(n) if n is not None else 1 for n in head.groups())
        found: list[tuple[str, str]] = []
        is_ended = True
        while at < len(lines) and (old or new or lines[at].startswith("\\")):
            sign, text = lines[at][:1] or " ", lines[at][1:]
            at += 1
            if sign == "\\":
                is_ended = False
                continue
            old -= sign != "+"
            new -= sign != "-"
            found.append((sign, text))
        yield Hunk(tuple(found), start, new_start, is_ended)
