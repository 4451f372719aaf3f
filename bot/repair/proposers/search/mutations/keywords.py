"""Keyword arguments that a call could give: what the function has itself, and switches."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope
from bot.repair.proposers.search.mutations.source import Definition

_HANDED_ON = 0.5
_SWITCHED = 0.35


def keywords(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Hand on to a function of the file what this one was given by that name, or switch something."""
    if not isinstance(node, ast.Call) or any(one.arg is None for one in node.keywords):
        return
    source = scope.source
    close = source.span(node)[1] - 1
    if source.text[:close].rstrip().endswith(","):
        return
    comma = ", " if node.args or node.keywords else ""
    for text, weight in _options(scope, node).items():
        change = (Replacement(close, close, f"{comma}{text}"),)
        yield Change("arguments", node.lineno, weight, change, f"gives `{text}` too")


def _options(scope: Scope, node: ast.Call) -> dict[str, float]:
    """Return what the called functions take and the call does not give."""
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    given = {keyword.arg for keyword in node.keywords}
    names = scope.bound_before(node.lineno)
    found: dict[str, float] = {}
    for called in scope.source.definitions.get(name, ()):
        for parameter, default in _optional(called, len(node.args)):
            if parameter in given:
                continue
            if parameter in names:
                found[f"{parameter}={parameter}"] = _HANDED_ON
            if isinstance(default, ast.Constant) and isinstance(default.value, bool):
                found[f"{parameter}={not default.value}"] = _SWITCHED
    return found


def _optional(called: Definition, given: int) -> Iterator[tuple[str, ast.expr]]:
    """Yield the parameters with a default that so many arguments do not reach."""
    every = [*called.args.posonlyargs, *called.args.args]
    first = len(every) - len(called.args.defaults)
    offset = 1 if every[:1] and every[0].arg in {"self", "cls"} else 0
    for place, default in enumerate(called.args.defaults, start=first):
        if place - offset >= given and place >= len(called.args.posonlyargs):
            yield every[place].arg, default
    for one, default_ in zip(called.args.kwonlyargs, called.args.kw_defaults, strict=True):
        if default_ is not None:
            yield one.arg, default_
