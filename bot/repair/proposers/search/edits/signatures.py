"""Functions' heads and module level: defaults that are shared, exceptions that are caught or raised."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.edits.change import Change, Replacement
from bot.repair.proposers.search.edits.scope import Scope
from bot.repair.proposers.search.edits.source import Definition

_COMMON_ERRORS = (
    "ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "ZeroDivisionError",
    "RuntimeError", "LookupError", "OSError", "FileNotFoundError", "StopIteration",
    "NotImplementedError", "OverflowError", "ArithmeticError", "Exception",
)  # fmt: skip


def mutable_defaults(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Make a new value in each call instead of sharing one default."""
    if not isinstance(node, Definition):
        return
    source = scope.source
    given = node.args
    parameters = [*given.posonlyargs, *given.args]
    pairs = [*zip(parameters[len(parameters) - len(given.defaults) :], given.defaults, strict=True)]
    pairs += [(a, d) for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d]
    start = next((one for one in node.body if not _is_text(one)), None)
    for parameter, default in pairs:
        mutable = isinstance(default, ast.List | ast.Dict | ast.Set | ast.Call)
        if not mutable or start is None or not source.own_line(start):
            continue
        name, text = parameter.arg, source.code(default)
        lines = (f"if {name} is None:", f"{source.step}{name} = {text}")
        handled = any(f"{name} is None" in source.code(one) for one in node.body)
        made = () if handled else (source.insert_before(start, *lines),)
        change = (source.replace(default, "None"), *made)
        says = f"makes a new `{text}` for `{name}` in each call"
        yield Change("mutable default", node.lineno, 0.95, change, says)


def exceptions(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Catch or raise another exception."""
    source = scope.source
    match node:
        case ast.ExceptHandler(type=ast.Name() as caught):
            for name in _names(scope):
                if name == caught.id:
                    continue
                change = (source.replace(caught, name),)
                yield Change("exception", node.lineno, 0.35, change, f"catches `{name}`")
                both = f"({caught.id}, {name})"
                change = (source.replace(caught, both),)
                yield Change("exception", node.lineno, 0.35, change, f"catches `{name}` too")
        case ast.ExceptHandler(type=ast.Tuple(elts=elts) as caught) if elts:
            end = source.span(elts[-1])[1]
            for name in _names(scope):
                change = (Replacement(end, end, f", {name}"),)
                yield Change("exception", caught.lineno, 0.35, change, f"catches `{name}` too")
        case (
            ast.Raise(exc=ast.Call(func=ast.Name() as raised)) | ast.Raise(exc=ast.Name() as raised)
        ):
            for name in _names(scope):
                if name != raised.id:
                    change = (source.replace(raised, name),)
                    yield Change("exception", node.lineno, 0.45, change, f"raises `{name}`")
        case _:
            return


def _names(scope: Scope) -> tuple[str, ...]:
    own = [
        node.name
        for node in scope.source.tree.body
        if isinstance(node, ast.ClassDef) and node.name.endswith(("Error", "Exception"))
    ]
    return (*own, *_COMMON_ERRORS)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
