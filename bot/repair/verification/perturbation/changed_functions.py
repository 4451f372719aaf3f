"""Which functions of Python programs a patch changes, as the interpreter names them. Pure."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from bot.code.change import FileDiff
from bot.code.syntax import parsed
from bot.repair.verification.perturbation.varied.python_conditions import functions_in, is_program

Place = tuple[str, int, str]
"""File, line in which the code of a function begins, and its name."""


def changed_functions(changes: Sequence[FileDiff]) -> tuple[list[Place], list[Place]]:
    """Return the functions that a patch changes or removes, and those that it changes or brings."""
    before: list[Place] = []
    after: list[Place] = []
    for change in filter(is_program, changes):
        old, new = _functions(change.before), _functions(change.after)
        before += _others(change.path, old, new)
        after += _others(change.path, new, old)
    return before, after


def _functions(data: bytes | None) -> list[tuple[str, ast.AST]]:
    tree = parsed(data)
    return list(functions_in(tree)) if tree is not None else []


def _others(
    path: str, these: Sequence[tuple[str, ast.AST]], those: Sequence[tuple[str, ast.AST]]
) -> Iterator[Place]:
    """Yield the places of functions that are not among those as they are."""
    known = Counter((name, ast.dump(node)) for name, node in those)
    for name, node in these:
        known[name, ast.dump(node)] -= 1
        if known[name, ast.dump(node)] < 0:
            yield path, _first_line(node), name.rpartition(".")[2]


def _first_line(node: ast.AST) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([getattr(node, "lineno", 1), *(decorator.lineno for decorator in decorators)])
