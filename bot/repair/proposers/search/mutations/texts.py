"""Texts that come out with something at an end that does not belong there, or without it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from bot.repair.proposers.search.mutations.change import Change
from bot.repair.proposers.search.mutations.hints import Difference
from bot.repair.proposers.search.mutations.scope import Scope

_READING = frozenset(
    {"read", "readline", "getvalue", "decode", "recv", "group", "input", "read_text"}
)
"""Methods that bring text from elsewhere."""

_TRIMMING = frozenset({"strip", "lstrip", "rstrip", "removeprefix", "removesuffix"})


def trimmed(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take off the ends of a text what tests do not expect there."""
    if not scope.hints.differences or not isinstance(node, ast.expr):
        return
    role = _role(scope, node)
    if not role:
        return
    source = scope.source
    for ending, weight in _endings(scope.hints.differences).items():
        text = f"{source.operand(node, 16)}{ending}"
        says = f"takes `{ending}` of `{source.code(node)}`"
        yield Change("text", node.lineno, role * weight, (source.replace(node, text),), says)
    for pattern, weight in _additions(scope.hints.differences).items():
        text = pattern.format(source.operand(node, 11))
        says = f"takes `{text}` instead of `{source.code(node)}`"
        yield Change("text", node.lineno, role * weight, (source.replace(node, text),), says)


def by_line(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Do with each line of a text what is done with the whole of it."""
    match node:
        case ast.Call(func=func, args=[ast.Name(id=name)], keywords=[]):
            pass
        case _:
            return
    source = scope.source
    if not scope.has(name, "str") or not isinstance(source.parent(node), ast.Assign | ast.Return):
        return
    each = f"{source.code(func)}(line)"
    for text, weight in (
        (f"[part for line in {name}.splitlines() for part in {each}]", 0.4),
        (f"'\\n'.join({each} for line in {name}.splitlines())", 0.25),
    ):
        says = f"calls `{source.code(func)}` on each line of `{name}`"
        yield Change("text", node.lineno, weight, (source.replace(node, text),), says)


def _role(scope: Scope, node: ast.expr) -> float:
    """Return how likely a text is put right here: where it comes in, or where it goes out."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) if name in _READING:
            return 1.0
        case ast.Call(func=ast.Attribute(attr=name)) if name in _TRIMMING:
            return 0.0
        case ast.Call() | ast.JoinedStr() | ast.BinOp() | ast.Subscript() | ast.Name():
            pass
        case _:
            return 0.0
    match scope.source.parent(node):
        case ast.Return() | ast.Yield():
            return 0.8
        case ast.Assign(value=value) if value is node:
            return 0.5
        case _:
            return 0.0


def _endings(differences: tuple[Difference, ...]) -> Mapping[str, float]:
    """Return calls that make the actual texts the expected ones."""
    found: dict[str, float] = {}
    for one in differences:
        if not one.expected or len(one.actual) <= len(one.expected):
            continue
        if one.actual.endswith(one.expected):
            found |= _calls(one.actual.removesuffix(one.expected), "lstrip", "removeprefix")
        if one.actual.startswith(one.expected):
            found |= _calls(one.actual.removeprefix(one.expected), "rstrip", "removesuffix")
        if one.actual.strip() == one.expected:
            found[".strip()"] = 0.85
    return found


def _calls(surplus: str, strip: str, remove: str) -> dict[str, float]:
    if surplus.isspace():
        return {f".{strip}()": 0.9, f".{remove}({surplus!r})": 0.5}
    calls = {f".{remove}({_quoted(surplus)})": 0.9}
    if len(surplus) == 1:
        calls |= {f".{strip}({_quoted(surplus)})": 0.6, f".strip({_quoted(surplus)})": 0.4}
    return calls


def _additions(differences: tuple[Difference, ...]) -> Mapping[str, float]:
    """Return what joins the actual texts with what they lack, as patterns with one place."""
    found: dict[str, float] = {}
    for one in differences:
        if not one.actual or len(one.actual) >= len(one.expected):
            continue
        if one.expected.endswith(one.actual):
            front = _quoted(one.expected.removesuffix(one.actual))
            found[f"{_doubled(front)} + {{}}"] = 0.65
        if one.expected.startswith(one.actual):
            end = _quoted(one.expected.removeprefix(one.actual))
            found[f"{{}} + {_doubled(end)}"] = 0.65
    return found


def _quoted(text: str) -> str:
    """Return a text as code that everybody can read, invisible letters as their numbers."""
    return ascii(text)


def _doubled(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
