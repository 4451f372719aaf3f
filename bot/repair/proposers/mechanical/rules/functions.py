"""The functions of a Python file, and the types of plain values."""

from __future__ import annotations

import ast

from bot.repair.proposers.mechanical.rules.source import Source

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


_RESULTS = {
    **dict.fromkeys(("len", "hash", "id", "ord"), "int"),
    **dict.fromkeys(("repr", "chr", "hex", "ascii", "format"), "str"),
    **dict.fromkeys(("isinstance", "issubclass", "hasattr", "callable", "any", "all"), "bool"),
    **{name: name for name in ("str", "int", "float", "bool", "bytes")},
}
"""What Python's own functions return, whatever they are given."""

_ALWAYS_BOOL = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
"""Comparisons that no class can let return anything else."""


def functions(source: Source) -> list[Function]:
    """Return the functions of a file, from top to bottom."""
    nodes = ast.walk(source.tree) if source.tree is not None else ()
    found = [node for node in nodes if isinstance(node, FUNCTIONS)]
    return sorted(found, key=lambda node: node.lineno)


def kind_of(value: ast.expr | None) -> str | None:
    """Return the type of a value as it stands, None where that isn't plain."""
    if value is None:
        return "None"
    if isinstance(value, ast.JoinedStr):
        return "str"
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        return "bool"
    if isinstance(value, ast.Compare):
        return "bool" if isinstance(value.ops[-1], _ALWAYS_BOOL) and not value.ops[1:] else None
    if isinstance(value, ast.Call):
        return _RESULTS.get(value.func.id) if isinstance(value.func, ast.Name) else None
    return (
        type(value.value).__name__.replace("NoneType", "None")
        if isinstance(value, ast.Constant)
        else None
    )
