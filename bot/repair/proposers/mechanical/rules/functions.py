"""The functions of a Python file, what they can be called with, and the types of plain values."""

from __future__ import annotations

import ast
import builtins
import inspect

from bot.repair.proposers.mechanical.rules.source import RuleSource

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


def functions(source: RuleSource) -> list[Function]:
    """Return the functions of a file, from top to bottom."""
    nodes = ast.walk(source.tree) if source.tree is not None else ()
    found = [node for node in nodes if isinstance(node, FUNCTIONS)]
    return sorted(found, key=lambda node: node.lineno)


def takes(tree: ast.Module, name: str, call: ast.Call) -> bool:
    """Whether the function or class of a name, in the same file or Python's own, takes a call.

    What can't be known, because it is defined elsewhere or unpacks its arguments, is no.
    """
    defined = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.name == name
    ]
    unpacked = any(isinstance(value, ast.Starred) for value in call.args)
    if unpacked or any(keyword.arg is None for keyword in call.keywords):
        return False
    if not defined:
        return _builtin_takes(name, call)
    if len(defined) > 1:
        return False
    node, bound = defined[0], 0
    if isinstance(node, ast.ClassDef):
        makers = [each for each in node.body if isinstance(each, FUNCTIONS)]
        makers = [each for each in makers if each.name == "__init__"]
        if len(makers) != 1:
            return False
        node, bound = makers[0], 1
    return _fits(node.args, call, bound)


def _builtin_takes(name: str, call: ast.Call) -> bool:
    given = dict.fromkeys(keyword.arg for keyword in call.keywords if keyword.arg)
    try:
        inspect.signature(getattr(builtins, name, None)).bind(*call.args, **given)  # type: ignore[arg-type]  # a TypeError says so
    except TypeError:
        return False
    except ValueError:  # `range` and others tell nobody
        return True
    return True


def _fits(parameters: ast.arguments, call: ast.Call, bound: int) -> bool:
    """Whether a call gives each parameter behind the `bound` first its value, and no more."""
    ordered = [*parameters.posonlyargs, *parameters.args][bound:]
    needed = {each.arg for each in ordered[: len(ordered) - len(parameters.defaults)]}
    named = {each.arg for each in (*parameters.args, *parameters.kwonlyargs)}
    needed |= {
        each.arg
        for each, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
        if default is None
    }
    if len(call.args) > len(ordered) and parameters.vararg is None:
        return False
    filled = {each.arg for each in ordered[: len(call.args)]}
    by_name = {keyword.arg for keyword in call.keywords if keyword.arg}
    unknown = by_name - named
    return (
        not by_name & filled
        and (not unknown or parameters.kwarg is not None)
        and needed <= filled | by_name
    )


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
