"""Rewrite a test so that one of its values is another.

It goes on where it would fail, and tells what its assertions look at.
"""

from __future__ import annotations

import ast
import copy
import random
from typing import Any, Iterator

from .suite import UNCOMPILABLE
from .variations import other_word, renamed, vary, words

SEEN, RAISED, GIVEN = "__seen__", "__raised__", "__given__"
"""Names in a rewritten test: notes a value, notes an exception, varies an argument."""

SAME = "="
"""Front of a place that is a word or number, wherever it occurs in the test; alone: all of them."""


def varied(node: Any, place: Any, seed: str) -> Any:
    """Return a test that goes on where it fails, with one of its values varied.

    Args:
        node: Its function.
        place: The number of a literal, an argument's name, or `SAME` and a word; None: nothing is
            varied.
        seed: Settles how.
    """
    node = copy.deepcopy(node)
    node.decorator_list = []
    if isinstance(place, int):
        _vary_literal(list(literals(node.body))[place:], seed)
    before: list[Any] = []
    if isinstance(place, str) and place.startswith(SAME):
        before = [_varied_argument(argument) for argument in arguments(node)]
        names = other_names(place, words_of(node), seed)
        node.body = [_Renaming(names).visit(statement) for statement in node.body]
    elif isinstance(place, str):
        before = [_varied_argument(place)]
    body = [_spared(_Seeing().visit(statement)) for statement in node.body]
    node.body = [*before, *body]
    return ast.fix_missing_locations(node)


def arguments(node: Any) -> list[str]:
    """Return the names of what a test is given."""
    return [item.arg for item in (*node.args.args, *node.args.kwonlyargs) if item.arg != "self"]


def words_of(node: Any) -> list[str]:
    """Return the words and numbers in a test's literals, each once."""
    values = [
        child.value
        for child in ast.walk(ast.Module(node.body, []))
        if isinstance(child, ast.Constant)
    ]
    return list(dict.fromkeys(word for value in values for word in words(value)))


def other_names(place: str, known: list[str], seed: str) -> dict[str, str]:
    """Return by what a place's words are replaced."""
    word = place[len(SAME) :]
    return {item: other_word(item, seed) for item in ([word] if word else known)}


class _Renaming(ast.NodeTransformer):
    """Puts other words and numbers in literals."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        return node

    def visit_Constant(self, node: ast.Constant) -> Any:
        new = renamed(node.value, self._names)
        return ast.copy_location(ast.Constant(new), node) if type(new) is type(node.value) else node


def _vary_literal(chosen: list[Any], seed: str) -> None:
    for parent, field, at, value in chosen[:1]:
        new = ast.parse(repr(vary(value, random.Random(seed))), mode="eval").body  # noqa: S311 - no secret
        old = getattr(parent, field) if at is None else getattr(parent, field)[at]
        ast.copy_location(new, old)
        if at is None:
            setattr(parent, field, new)
        else:
            getattr(parent, field)[at] = new


def literals(body: list[Any]) -> Iterator[tuple[Any, str, int | None, Any]]:
    """Yield where literals stand: node, field, index there, value."""
    waiting: list[Any] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            continue
        for field, part in ast.iter_fields(node):
            parts = part if isinstance(part, list) else [part]
            for at, element in enumerate(parts):
                if isinstance(element, ast.expr):
                    try:
                        value = ast.literal_eval(element)
                    except (*UNCOMPILABLE, TypeError):
                        pass
                    else:
                        if isinstance(
                            value, (int, float, str, list, tuple, dict)
                        ) and not isinstance(value, bool):
                            yield node, field, at if isinstance(part, list) else None, value
                if isinstance(element, ast.AST):
                    waiting.append(element)


def _varied_argument(name: str) -> Any:
    return ast.parse(f"{name} = {GIVEN}({name})").body[0]


def _spared(statement: Any) -> Any:
    """Return a statement after which its function goes on whatever it raises."""
    handler = ast.parse(
        f"try:\n    pass\nexcept BaseException as error_of_this:\n    {RAISED}(error_of_this)"
    ).body[0]
    handler.body = [statement]  # type: ignore[attr-defined]
    return ast.copy_location(handler, statement)


class _Seeing(ast.NodeTransformer):
    """Notes the values that assertions look at."""

    def visit_Assert(self, node: ast.Assert) -> Any:
        if isinstance(node.test, ast.Compare):
            node.test.left = _noted(node.test.left)
            node.test.comparators = [_noted(comparator) for comparator in node.test.comparators]
        else:
            node.test = _noted(node.test)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr.startswith("assert"):
            node.args = [
                expression if isinstance(expression, ast.Starred) else _noted(expression)
                for expression in node.args
            ]
        return node


def _noted(value: ast.expr) -> ast.expr:
    call = ast.Call(func=ast.Name(id=SEEN, ctx=ast.Load()), args=[value], keywords=[])
    return ast.copy_location(call, value)


def code_of(node: Any, path: str) -> Any:
    """Return a function's code, None where it does not compile."""
    module = ast.Module(body=[node], type_ignores=[])
    try:
        whole = compile(module, path, "exec", dont_inherit=True)
    except UNCOMPILABLE:
        return None
    return next(
        (const for const in whole.co_consts if getattr(const, "co_name", "") == node.name), None
    )
