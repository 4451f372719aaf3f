"""A text file as an editor sees it: lines, numbers, and the newline that it is written with."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from bot.code.source import newline_of
from bot.model.untrusted import reveal_hidden

MOST_BYTES = 1 * 2**20
"""Larger files are for the shell: neither a model nor a checkpoint wants them whole."""
_VIEW_CHARACTERS = 24_000
_LINE_CHARACTERS = 1_000
_SEARCHED_LINES = 3_000
"""How many lines the search for the nearest text looks at; difflib is quadratic in each."""
_BINARY_PROBE = 8_000
"""A NUL in this many first bytes means binary: the rule of git (`buffer_is_binary`)."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A decoded file; bytes that are not UTF-8 are kept as lone surrogates."""

    text: str

    @classmethod
    def read(cls, data: bytes) -> TextFile | None:
        """Return the file, or None when it is binary."""
        if b"\0" in data[:_BINARY_PROBE]:
            return None
        return cls(data.decode("utf-8", "surrogateescape"))

    @property
    def data(self) -> bytes:
        """The bytes to write, those that were no UTF-8 unchanged."""
        return self.text.encode("utf-8", "surrogateescape")

    @property
    def newline(self) -> str:
        """The newline that most lines end with."""
        return newline_of(self.text)

    @property
    def lines(self) -> list[str]:
        """The lines without their ends, counted as `grep -n` and `sed` count them."""
        if not self.text:
            return []
        return [line.removesuffix("\r") for line in self.text.removesuffix("\n").split("\n")]

    def fitted(self, text: str) -> str:
        """Return text of a model with the newlines of this file."""
        return text.replace("\r\n", "\n").replace("\n", self.newline)

    def line_of(self, offset: int) -> int:
        """Return the number of the line that holds the character at `offset`, from 1."""
        return self.text.count("\n", 0, offset) + 1

    def offsets(self, wanted: str, most: int = 20) -> list[int]:
        """Return where `wanted` begins, overlapping ones included; at most `most` places."""
        found: list[int] = []
        start = self.text.find(wanted)
        while start != -1 and len(found) < most:
            found.append(start)
            start = self.text.find(wanted, start + 1)
        return found

    def numbered(self, first: int, last: int) -> str:
        """Return lines `first` to `last` (from 1, both included), each behind its number.

        A text that grows too long ends with a note that says where to read on.
        """
        lines = self.lines
        shown: list[str] = []
        room = _VIEW_CHARACTERS
        for number, line in enumerate(lines[first - 1 : last], start=first):
            row = f"{number}\t{_shown(line)}"
            room -= len(row) + 1
            if room < 0:
                rest = f"… lines {number} to {min(last, len(lines))} are not shown: "
                return "\n".join([*shown, f"{rest}view them with view_range …"])
            shown.append(row)
        return "\n".join(shown)

    def nearest(self, wanted: str) -> tuple[int, int] | None:
        """Return the lines most like `wanted`, as first and last number, or None.

        Lines that differ only in white space win over lines that merely look alike.
        """
        squeezed = [" ".join(line.split()) for line in self.lines]
        target = [" ".join(line.split()) for line in wanted.strip("\r\n").split("\n")]
        if not any(target):
            return None
        for start in range(len(squeezed) - len(target) + 1):
            if squeezed[start : start + len(target)] == target:
                return start + 1, start + len(target)
        longest = max(target, key=len)
        candidates = [line[:_LINE_CHARACTERS] for line in squeezed[:_SEARCHED_LINES]]
        match = difflib.get_close_matches(longest[:_LINE_CHARACTERS], candidates, n=1)
        if not match:
            return None
        first = max(1, candidates.index(match[0]) + 1 - target.index(longest))
        return first, min(len(squeezed), first + len(target) - 1)


def _shown(line: str) -> str:
    text = reveal_hidden(line.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    if len(text) <= _LINE_CHARACTERS:
        return text
    return f"{text[:_LINE_CHARACTERS]} … {len(text) - _LINE_CHARACTERS:,} more characters …"
