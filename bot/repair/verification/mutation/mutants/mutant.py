"""One small fault in a file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class FaultKind(IntEnum):
    """What becomes of a piece of a line; those that say most of a test come first."""

    OPPOSITE = 0
    NEIGHBOUR = 1
    LEFT_OUT = 2
    CONSTANT = 3


@dataclass(frozen=True, slots=True)
class Mutant:
    """New text in the place of some bytes of a file.

    Attributes:
        kind: Of fault.
        line: Where it is, from 1.
        start: First byte that it replaces.
        end: First byte that stays.
        text: What stands there instead.
        says: What it does, as the end of a sentence: "has `<` instead of `<=`".
    """

    kind: FaultKind
    line: int
    start: int
    end: int
    text: bytes
    says: str

    def applied(self, data: bytes) -> bytes:
        """Return the file with the fault."""
        return data[: self.start] + self.text + data[self.end :]
