"""Return types that are missing or wrong, where the function's own returns say which is right."""

from __future__ import annotations

import ast
import re

from bot.repair.proposers.mechanical.rules.functions import (
    FUNCTIONS,
    Function,
    functions,
    kind_of,
)
from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.repair.proposers.mechanical.rules.scopes import visible
from bot.repair.proposers.mechanical.rules.source import RuleSource
from bot.repair.proposers.mechanical.rules.type_annotations import optional
from bot.reporting.reasons import mechanical

_MISSING = re.compile(
    r"^Function is missing a return type annotation|^Missing return type annotation"
)
_RETURNED = re.compile(
    r'^Incompatible return value type \(got "(?P<got>[^"]+)", expected "(?P<expected>[^"]+)"\)'
)


def _missing_return(reported: Reported) -> Repair | None:
    """Annotate a function that returns nothing, or plain values of one type."""
    source = reported.source
    for function in functions(source):
        first = min(
            [function.lineno, *(expression.lineno for expression in function.decorator_list)]
        )
        if function.returns is None and first <= reported.line <= function.lineno:
            kind = _returned(function)
            at = _colon(source, function)
            if kind is None or at is None:
                return None
            return Repair(
                source.replaced(at, at, f" -> {kind}"),
                mechanical.return_annotated(function.name, kind),
            )
    return None


def _returned(function: Function) -> str | None:
    """Return the type of everything that a function returns, None where that isn't plain."""
    own = list(_own(function))
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own):
        return None
    values = [node.value for node in own if isinstance(node, ast.Return)]
    kinds = {kind_of(value) for value in values}
    if not values or kinds == {"None"}:
        return "None"
    certain = isinstance(function.body[-1], ast.Return)
    return kinds.pop() if len(kinds) == 1 and certain else None


def _own(function: Function) -> list[ast.AST]:
    """Return the nodes of a function without those of functions and classes inside it."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        found.append(node)
        if not isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(node))
    return found


def _colon(source: RuleSource, function: Function) -> int | None:
    """Return where the colon behind a function's parameters stands."""
    depth, opened = 0, False
    for token in source.tokens:
        if token.start[0] < function.lineno:
            continue
        depth += (token.string in {"(", "["}) - (token.string in {")", "]"})
        opened = opened or token.string == "("
        if opened and depth == 0 and token.string == ":":
            return source.at(*token.start)
    return None


def _wrong_return(reported: Reported) -> Repair | None:
    """Annotate a function with the type of its only return, or with None besides if it returns that."""
    match = _RETURNED.search(reported.diagnostic.message)
    source = reported.source
    holding = [
        function
        for function in functions(source)
        if function.lineno <= reported.line <= (function.end_lineno or 0)
    ]
    if match is None or not holding or source.tree is None:
        return None
    function, got = holding[-1], match["got"].replace('"', "")
    returns = [node for node in _own(function) if isinstance(node, ast.Return)]
    named = set(re.findall(r"[A-Za-z_]\w*", got)) - {"None"}
    known = visible(source.tree, function.lineno)
    if got == "None" and len(returns) > 1 and function.returns is not None:
        whole = optional(source, function.returns)
        return Repair(whole, mechanical.none_returned(function.name)) if whole is not None else None
    if len(returns) != 1 or function.returns is None or not named <= known or "Any" in named:
        return None
    text = source.replaced(source.start(function.returns), source.end(function.returns), got)
    return Repair(text, mechanical.return_annotated(function.name, got))


RULES = (
    Rule(
        "missing return annotation",
        frozenset({"no-untyped-def", "ANN201", "ANN202", "ANN204"}),
        _MISSING,
        _missing_return,
        Example(
            "def greet(name: str):\n    print(name)\n",
            1,
            "no-untyped-def",
            "Function is missing a return type annotation",
            "def greet(name: str) -> None:\n    print(name)\n",
        ),
        more=(
            Example(
                "def size(names: list[str]):\n    return len(names)\n",
                1,
                "no-untyped-def",
                "Function is missing a return type annotation",
                "def size(names: list[str]) -> int:\n    return len(names)\n",
            ),
        ),
    ),
    Rule(
        "wrong return annotation",
        frozenset({"return-value"}),
        _RETURNED,
        _wrong_return,
        Example(
            "def size(name: str) -> str:\n    return len(name)\n",
            2,
            "return-value",
            'Incompatible return value type (got "int", expected "str")',
            "def size(name: str) -> int:\n    return len(name)\n",
        ),
    ),
)
