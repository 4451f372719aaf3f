"""Read a patch as what it changes in which files, to make the same change elsewhere. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NOWHERE = "/dev/null"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that stand together.

    Attributes:
        lines: Each with its sign (" ", "-" or "+"), and without its end.
        start: Number of the first of the old ones.
    """

    lines: tuple[tuple[str, str], ...]
    start: int = 1

    @property
    def old(self) -> tuple[str, ...]:
        """The lines as they were."""
        return tuple(text for sign, text in self.lines if sign != "+")

    @property
    def new(self) -> tuple[str, ...]:
        """The lines as they become."""
        return tuple(text for sign, text in self.lines if sign != "-")

    def trimmed(self, most: int) -> Hunk:
        """Return it with up to so many lines less of what it leaves as it is, at either end.

        Where it only adds, those alone say where: it stays as it is.
        """
        lines, start = list(self.lines), self.start
        if all(sign != "-" for sign, _ in lines):
            return self
        for _ in range(most):
            if lines[0][0] == " ":
                lines.pop(0)
                start += 1
            if lines[-1][0] == " ":
                lines.pop()
        return Hunk(tuple(lines), start)


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a patch changes in one file."""

    path: str
    hunks: tuple[Hunk, ...]


def changes_of(patch: str) -> tuple[FileChange, ...]:
    """Return what a patch changes in files that are there; what it adds as a whole is left out.

    Returns nothing for one that deletes, or changes what is no text: neither can be made elsewhere.
    """
    sections = re.split(r"^(?=diff --git )", patch, flags=re.MULTILINE)[1:]
    found = [_change(section.split("\n")) for section in sections]
    changed = tuple(one for one in found if one is not None and one.path != _NOWHERE)
    return () if None in found else changed


def _change(lines: list[str]) -> FileChange | None:
    """Return the change of one file, `/dev/null` for a new one; None for what can't be carried."""
    start = next((n for n, line in enumerate(lines) if line.startswith("@@ ")), None)
    heads = {line[:4]: line[4:] for line in lines[:start] if line[:4] in {"--- ", "+++ "}}
    old, new = heads.get("--- ", ""), heads.get("+++ ", "")
    if start is None or new == _NOWHERE or not new.startswith("b/"):
        return None
    if old == _NOWHERE:
        return FileChange(_NOWHERE, ())
    return FileChange(new.removeprefix("b/").rstrip("\t"), tuple(_hunks(lines[start:])))


def _hunks(lines: list[str]) -> Iterator[Hunk]:
    """Yield hunks; by their numbers of lines, since a line of theirs may look like a header."""
    at = 0
    while at < len(lines):
        head = _HUNK.match(lines[at])
        at += 1
        if head is None:
            continue
        start, old, new = (int(n) if n is not None else 1 for n in head.groups())
        found: list[tuple[str, str]] = []
        while (old or new) and at < len(lines):
            sign, text = lines[at][:1] or " ", lines[at][1:]
            at += 1
            if sign == "\\":
                continue
            old -= sign != "+"
            new -= sign != "-"
            found.append((sign, text))
        yield Hunk(tuple(found), start)
