"""Which variables come in pairs: bound together, or with names that people use side by side."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

_PAIRS = (
    ("left", "right"), ("low", "high"), ("lo", "hi"), ("first", "second"), ("first", "last"),
    ("start", "end"), ("begin", "end"), ("top", "bottom"), ("row", "column"), ("row", "col"),
    ("rows", "columns"), ("rows", "cols"), ("x", "y"), ("i", "j"), ("dx", "dy"), ("width", "height"),
    ("min", "max"), ("smaller", "larger"), ("head", "tail"), ("source", "target"), ("one", "other"),
    ("before", "after"), ("previous", "next"), ("prev", "next"), ("up", "down"), ("a", "b"),
    ("key", "value"), ("m", "n"),
)  # fmt: skip
"""Names that people use side by side."""


def beside(name: str) -> frozenset[str]:
    """Return the names that people use side by side with one."""
    pairs = (set(pair) for pair in _PAIRS if name in pair)
    return frozenset(other for pair in pairs for other in pair - {name})


def counterparts(
    variables: Collection[str], nodes: Iterable[ast.AST], fit: Callable[[str, str], bool]
) -> Mapping[str, str]:
    """Return the counterpart of each variable that has just one.

    Args:
        variables: Of a function.
        nodes: Of its syntax tree.
        fit: Whether two variables may stand for each other, by their types.
    """
    found: dict[str, set[str]] = {}
    known = [pair for pair in _PAIRS if set(pair) <= set(variables)]
    for item, other in (*_bound_together(nodes), *known):
        if item != other and fit(item, other):
            found.setdefault(item, set()).add(other)
            found.setdefault(other, set()).add(item)
    return {name: others.pop() for name, others in found.items() if len(others) == 1}


def _bound_together(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of `i = j = 0` and `left, right = halves`."""
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=one), ast.Name(id=other)]):
                yield one, other
            case ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=other)], ctx=ast.Store()):
                yield one, other
            case _:
                pass
