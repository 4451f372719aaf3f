"""How many mutants of a patch's changed lines its tests caught."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant with which the tests still pass.

    Attributes:
        file: That it changes.
        line: Of the patched file, from 1.
        says: What it does, as the end of a sentence: "has `<` instead of `<=`".
    """

    file: str
    line: int
    says: str


@dataclass(frozen=True, slots=True)
class MutantResults:
    """The tests that decide on a patch, run on mutants of the lines that it changes.

    Attributes:
        caught: Mutants with which a test fails.
        survivors: The others, in the order of the file.
        left: Mutants that time did not reach.
    """

    caught: int
    survivors: tuple[Survivor, ...] = ()
    left: int = 0

    @property
    def total(self) -> int:
        """How many were run."""
        return self.caught + len(self.survivors)
