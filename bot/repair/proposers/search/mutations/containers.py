"""Which variables and attributes code makes containers, and which of them it never fills."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

SEQUENCES = frozenset({"list", "tuple", "str", "bytes", "deque"})
SIZED = SEQUENCES | {"dict", "set", "frozenset", "defaultdict", "Counter", "OrderedDict"}
CHANGERS = frozenset({
    "append", "appendleft", "extend", "insert", "add", "update", "remove", "discard", "clear",
    "sort", "reverse", "move_to_end",
})  # fmt: skip
"""Methods that change a container and answer nothing."""
_READERS = frozenset({"len", "sorted", "sum", "min", "max", "list", "tuple", "set", "any", "all"})


def never_filled(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Return the variables that are made empty containers, and that nothing is put into."""
    empty = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _is_empty(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return frozenset(empty - {name for node in nodes for name in _filled(node)})


def made(nodes: Sequence[ast.AST]) -> Iterator[ast.Attribute]:
    """Yield the attributes that are given a new list, dict or set."""
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Attribute() as place], value=value):
                pass
            case ast.AnnAssign(target=ast.Attribute() as place, value=ast.expr() as value):
                pass
            case _:
                continue
        if _is_container(value):
            yield place


def _is_empty(value: ast.expr) -> bool:
    """Whether a value is a new container with nothing in it."""
    match value:
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
            return name in SIZED
        case _:
            return False


def _is_container(value: ast.expr) -> bool:
    """Whether a value is a new list, dict or set, by its looks."""
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in SIZED
        case _:
            return False


def _filled(node: ast.AST) -> Iterator[str]:
    """Yield the container that a node may put something into."""
    match node:
        case (
            ast.Attribute(value=ast.Name(id=name))
            | ast.Subscript(value=ast.Name(id=name), ctx=ast.Store())
            | ast.AugAssign(target=ast.Name(id=name))
        ):
            yield name
        case ast.Call(func=ast.Name(id=reader)) if reader in _READERS:
            return
        case ast.Call(args=arguments):
            yield from (one.id for one in arguments if isinstance(one, ast.Name))
        case _:
            return
