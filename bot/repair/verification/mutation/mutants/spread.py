"""Choose a few mutants of changed lines: of each kind, from all over the change. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from bot.code.syntax import Lines, Syntax, line_of, parse, walk
from bot.repair.verification.mutation.mutants.faults import faults
from bot.repair.verification.mutation.mutants.mutant import Mutant


def mutants_of(
    path: str, data: bytes, lines: Iterable[int], *, most: int, before: bytes = b""
) -> tuple[Mutant, ...]:
    """Return mutants of some lines of a file, in the order in which they should be run.

    None of them is the file as it was, breaks the syntax, or comes to the same as another one.

    Args:
        path: Names the language.
        data: The file.
        lines: Numbers of the lines that may be changed.
        most: How many to return.
        before: The file without the patch.
    """
    syntax, wanted = parse(path, data), Lines(lines)
    if syntax is None or syntax.root.has_error or not wanted:
        return ()
    chosen: list[Mutant] = []
    seen = {program_of(path, data), program_of(path, before)}
    for mutant in _in_turn(_all_of(syntax, wanted)):
        if len(chosen) == most:
            break
        changed = mutant.applied(data)
        program = program_of(path, changed)
        if program not in seen and is_sound(path, changed):
            seen.add(program)
            chosen.append(mutant)
    return tuple(chosen)


def _all_of(syntax: Syntax, lines: Lines) -> Iterator[Mutant]:
    for node in walk(syntax.root, into=lines.touch):
        if lines.hold(line_of(node)):
            yield from faults(node, syntax.language)


def _in_turn(mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    """Yield one of each line and kind, then the second of each, and so on."""
    places: dict[tuple[int, int], int] = {}
    ranked = []
    for mutant in mutants:
        place = (mutant.kind, mutant.line)
        places[place] = turn = places.get(place, 0) + 1
        ranked.append((turn, mutant.kind, mutant.start, mutant.end, mutant))
    return (pair[-1] for pair in sorted(ranked, key=lambda item: item[:4]))


def program_of(path: str, data: bytes) -> object:
    """Return what two texts of the same program have in common, as far as that is cheap to know."""
    if path.endswith(".py"):
        try:
            return ast.dump(ast.parse(data))
        except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
            return data
    return data


def is_sound(path: str, data: bytes) -> bool:
    """Whether a program can be read; False where no grammar reads it."""
    syntax = parse(path, data)
    return syntax is not None and not syntax.root.has_error
