"""One file of a patch: its content and mode on both sides, and which of its lines differ. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise

from bot.code.syntax import Lines, Syntax, parse

LARGEST = 2 * 2**20
"""Bytes up to which a file is read for what it says; a bigger one is told as not examined."""

_ALIGNED = 4_000
"""Lines, on one side, up to which unequal middles are aligned; above it all of them differ."""

SYMLINK, SUBMODULE = "120000", "160000"


@dataclass(frozen=True)
class FileDiff:
    """A file that a patch touches.

    Attributes:
        path: In the repository.
        before: Its bytes on the untouched tree; None when it was not there. Of a symbolic link,
            where it leads; of a submodule, nothing.
        after: Likewise with the patch.
        mode_before: As git writes it, `100644`; None when it was not there.
        mode_after: Likewise with the patch.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode_before: str | None = "100644"
    mode_after: str | None = "100644"

    @property
    def is_new(self) -> bool:
        """Whether the patch brings the file."""
        return self.before is None

    @property
    def is_gone(self) -> bool:
        """Whether the patch removes the file."""
        return self.after is None

    @property
    def is_binary(self) -> bool:
        """Whether one of its sides is no text."""
        return any(b"\0" in (side or b"") for side in (self.before, self.after))

    @property
    def is_readable(self) -> bool:
        """Whether the file is a text of a size that guards read."""
        sizes = (len(side or b"") for side in (self.before, self.after))
        special = {self.mode_before, self.mode_after} & {SYMLINK, SUBMODULE}
        return not self.is_binary and max(sizes) <= LARGEST and not special

    @cached_property
    def old(self) -> Syntax | None:
        """The file without the patch, parsed; None where no grammar reads it."""
        return parse(self.path, self.before) if self.before is not None else None

    @cached_property
    def new(self) -> Syntax | None:
        """The file with the patch, parsed; None where no grammar reads it."""
        return parse(self.path, self.after) if self.after is not None else None

    @cached_property
    def lines_before(self) -> list[str]:
        """Lines of the untouched file."""
        return _lines(self.before)

    @cached_property
    def lines_after(self) -> list[str]:
        """Lines of the file with the patch."""
        return _lines(self.after)

    @cached_property
    def differing(self) -> tuple[Lines, Lines]:
        """The lines that go and the lines that come, by number from 1."""
        return differing_lines(self.lines_before, self.lines_after)

    @property
    def added(self) -> Lines:
        """Numbers of the lines that the patch brings."""
        return self.differing[1]

    @property
    def added_text(self) -> list[tuple[int, str]]:
        """The lines that the patch brings, each with its number."""
        return [(number, self.lines_after[number - 1]) for number in self.added.numbers]


def differing_lines(before: list[str], after: list[str]) -> tuple[Lines, Lines]:
    """Return the numbers, from 1, of lines that only one of two texts has."""
    start = _shared(before, after)
    end = _shared(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if max(len(old), len(new)) > _ALIGNED:
        return _range(start, len(old)), _range(start, len(new))
    blocks = SequenceMatcher(None, old, new, autojunk=True).get_matching_blocks()
    gone: list[int] = list(range(blocks[0].a))
    come: list[int] = list(range(blocks[0].b))
    for pair, following in pairwise(blocks):
        gone += range(pair.a + pair.size, following.a)
        come += range(pair.b + pair.size, following.b)
    return _numbered(gone, start), _numbered(come, start)


def _shared(one: list[str], other: list[str]) -> int:
    """Return how many lines two texts begin with alike."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _range(start: int, size: int) -> Lines:
    return _numbered(range(size), start)


def _numbered(positions: Iterable[int], start: int) -> Lines:
    return Lines(start + position + 1 for position in positions)


def _lines(side: bytes | None) -> list[str]:
    return (side or b"").decode("utf-8", "replace").split("\n")
