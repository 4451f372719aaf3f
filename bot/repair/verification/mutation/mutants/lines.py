"""The mutants of a change: of its lines, or of those around them. Pure."""

from __future__ import annotations

from bot.code.change import differing_lines
from bot.repair.verification.mutation.mutants.mutant import Mutant
from bot.repair.verification.mutation.mutants.spread import mutants_of


def mutants_of_change(path: str, before: bytes, after: bytes, *, most: int) -> tuple[Mutant, ...]:
    """Return mutants of the lines that a change brings.

    Where it brings none, or none that has mutants, they are of the lines around them.

    Args:
        path: Names the language.
        before: The file without the change.
        after: The file with it.
        most: How many to return.
    """
    lines = changed_lines(_lines(before), _lines(after))
    return mutants_of(path, after, lines, most=most, before=before) or mutants_of(
        path, after, _around(lines), most=most, before=before
    )


def changed_lines(before: list[str], after: list[str]) -> list[int]:
    """Return the numbers of the lines that came, from 1; the lines around a gap where none did."""
    gone, come = differing_lines(before, after)
    if come or not gone:
        return come.numbers
    gap = gone.numbers[0]
    return [line for line in (gap - 1, gap) if 0 < line <= len(after)]


def _around(lines: list[int]) -> list[int]:
    return sorted({near for line in lines for near in (line - 1, line, line + 1)})


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").split("\n")
