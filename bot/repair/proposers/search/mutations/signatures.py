"""Functions' heads: defaults that are shared."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change
from bot.repair.proposers.search.mutations.scope import Scope
from bot.repair.proposers.search.mutations.source import Definition


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


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
