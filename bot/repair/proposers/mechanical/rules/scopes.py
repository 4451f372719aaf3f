"""Which names a line of Python can see, and which of them is meant by one that it can't."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_BLOCKS = (*_FUNCTIONS, ast.ClassDef)
_SHORT, _MIDDLE = 6, 10
"""Lengths of a name from which two, and three, wrong characters are still a slip."""


def visible(tree: ast.Module, line: int) -> frozenset[str]:
    """Return the names that a line can see: its own blocks', the module's and Python's."""
    inside = [node for node in ast.walk(tree) if isinstance(node, _BLOCKS) and _holds(node, line)]
    inside.sort(key=lambda node: node.lineno)
    innermost = inside[-1:]
    seen = [node for node in inside if isinstance(node, _FUNCTIONS) or node in innermost]
    names = {name for node in (tree, *seen) for name in bound(node)}
    return frozenset(names | {name for name in dir(builtins) if not name.startswith("_")})


def _holds(node: ast.AST, line: int) -> bool:
    body = getattr(node, "body", None)
    first = body[0].lineno if isinstance(body, list) and body else getattr(node, "lineno", 0)
    return first <= line <= (getattr(node, "end_lineno", 0) or 0)


def bound(block: ast.AST) -> Iterator[str]:
    """Yield the names that a block binds itself."""
    if isinstance(block, _FUNCTIONS):
        given = block.args
        both = (given.vararg, given.kwarg)
        for posonlyarg in (*given.posonlyargs, *given.args, *given.kwonlyargs, *both):
            if posonlyarg is not None:
                yield posonlyarg.arg
    for node in _own(block):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                yield name
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                for alias in aliases:
                    yield alias.asname or alias.name.partition(".")[0]
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name


def _own(block: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a block without those inside inner blocks, whose names stay."""
    waiting = list(ast.iter_child_nodes(block))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _BLOCKS):
            waiting.extend(ast.iter_child_nodes(node))


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a slip turns into `name`; None when none or several are as near.

    Names that differ only in case and underscores are nearest; else by the number of characters
    that are wrong, missing, too many or swapped: one from three characters on, two from six, three
    from ten.
    """
    allowed = 1 + (len(name) >= _SHORT) + (len(name) >= _MIDDLE)
    if len(name) < 3:  # noqa: PLR2004 - any other name is near
        return None
    near: dict[float, list[str]] = {}
    for other in known:
        if other == name or abs(len(other) - len(name)) > allowed + 1:
            continue
        distance = 0.5 if _plain(other) == _plain(name) else distance_between(name, other)
        if distance <= allowed:
            near.setdefault(distance, []).append(other)
    best = near[min(near)] if near else []
    return best[0] if len(best) == 1 else None


def is_slip(name: str, other: str) -> bool:
    """Whether `name` is what a finger makes of `other`, rather than another word.

    Case and underscores, two letters swapped, one left out or doubled inside: `heigth`, `widht`,
    `retun`. Another letter, a plural or a number is another name: `set_x`, `users`, `x2`.
    """
    if _plain(name) == _plain(other):
        return True
    if len(name) == len(other):
        return sorted(name) == sorted(other) and distance_between(name, other) == 1
    short, long = sorted((name, other), key=len)
    if len(long) - len(short) != 1:
        return False
    at = next((n for n, char in enumerate(short) if char != long[n]), len(short))
    plural = at == len(short) and long[at] == "s"
    return at > 0 and long[at].isalpha() and not plural and long[at + 1 :] == short[at:]


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()


def distance_between(one: str, other: str) -> int:
    """Return how many characters to change, insert, remove or swap (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for n, char in enumerate(one, 1):
        earlier, before = before, row
        row = [n]
        for m, wanted in enumerate(other, 1):
            cost = min(before[m] + 1, row[m - 1] + 1, before[m - 1] + (char != wanted))
            swapped = n > 1 and m > 1 and char == other[m - 2] and one[n - 2] == wanted
            row.append(min(cost, earlier[m - 2] + 1) if swapped else cost)
    return row[-1]
