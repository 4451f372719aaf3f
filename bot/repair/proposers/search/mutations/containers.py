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


def _is_container(value: ast.expr) -> bool:
    """Whether a value is a new list, dict or set, by its looks."""
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in SIZED
        case _:
            return False
