"""Subscripts and slices: other ends, other indices, and keys that may be missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change
from bot.repair.proposers.search.mutations.scope import Scope

_DEFAULTS = (("", 0.35), (", 0", 0.4), (", []", 0.3), (", ''", 0.15), (", {}", 0.15), (", 1", 0.1))


def slices(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Move, drop or add an end of a slice."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice):
        return
    source = scope.source
    value = source.operand(node.value, 16)
    for inner, weight in _cuts(scope, node.slice, node.lineno).items():
        text = f"{value}[{inner}]"
        if text != source.code(node):
            says = f"takes `{text}` instead of `{source.code(node)}`"
            yield Change("slice", node.lineno, weight, (source.replace(node, text),), says)
    whole = (source.replace(node, source.code(node.value)),)
    yield Change("slice", node.lineno, 0.45, whole, f"takes all of `{value}`")


def _cuts(scope: Scope, cut: ast.Slice, line: int) -> dict[str, float]:
    """Return other ways to cut, as text between the brackets."""
    lower, upper, step = (
        scope.source.code(end) if end else "" for end in (cut.lower, cut.upper, cut.step)
    )
    by = f":{step}" if step else ""
    options = {
        f":{upper}{by}": 0.5, f"{lower}:{by}": 0.5, f"{upper}:{lower}{by}": 0.3,
        f"{lower}:{upper}:-1": 0.35, f"{lower}:{upper}": 0.3, f"{lower}:{upper}:2": 0.1,
    }  # fmt: skip
    ends = {"1": 0.55, "-1": 0.45, "2": 0.1}
    for name in scope.bound_before(line):
        if scope.has(name, "int"):
            ends |= {name: 0.35, f"{name} + 1": 0.35, f"{name} - 1": 0.15}
    for end, weight in ends.items():
        if not lower:
            options[f"{end}:{upper}{by}"] = weight
        if not upper:
            options[f"{lower}:{end}{by}"] = weight
    return options


def indices(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take the other end, one item further, or a value for missing keys."""
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
        return
    source = scope.source
    value, key = source.operand(node.value, 16), source.code(node.slice)
    loaded = isinstance(node.ctx, ast.Load)
    if loaded and not isinstance(node.slice, ast.Constant | ast.UnaryOp | ast.Tuple):
        for default, weight in _DEFAULTS:
            text = f"{value}.get({key}{default})"
            says = f"takes `{text}`, so that a missing key is no error"
            yield Change(
                "dict access", node.lineno, weight * 0.7, (source.replace(node, text),), says
            )
    if loaded and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        for default, weight in _DEFAULTS:
            text = f"{value}.get({key}{default})"
            says = f"takes `{text}`, so that a missing key is no error"
            yield Change(
                "dict access", node.lineno, weight * 0.6, (source.replace(node, text),), says
            )
    if loaded:
        whole = (source.replace(node, source.code(node.value)),)
        yield Change("index", node.lineno, 0.2, whole, f"takes all of `{value}`")
        swapped = f"{source.operand(node.slice, 16)}[{source.code(node.value)}]"
        if isinstance(node.slice, ast.Name):
            change = (source.replace(node, swapped),)
            yield Change("index", node.lineno, 0.1, change, f"takes `{swapped}`")
    match node.value:
        case ast.Subscript(value=table, slice=first) if not isinstance(first, ast.Slice):
            text = f"{source.code(table)}[{key}][{source.code(first)}]"
            change = (source.replace(node, text),)
            yield Change("index", node.lineno, 0.45, change, f"takes `{text}`")
        case _:
            pass


def items(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take an item of a value, or the values that it was counted with."""
    if not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Store):
        return
    if not scope.has(node.id, "list", "tuple", "str", "deque"):
        return
    source = scope.source
    above = source.parent(node)
    weight = 0.12 if isinstance(above, ast.Attribute | ast.Subscript | ast.Call) else 0.25
    for index in ("0", "-1", "1:", ":-1", "::-1"):
        text = f"{node.id}[{index}]"
        change = (source.replace(node, text),)
        yield Change("index", node.lineno, weight, change, f"takes `{text}` instead of `{node.id}`")


def answers(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take one item of what a call answers."""
    source = scope.source
    if not isinstance(node, ast.Call):
        return
    if not isinstance(source.parent(node), ast.Return | ast.Assign | ast.BinOp | ast.Compare):
        return
    for index, weight in (("0", 0.25), ("-1", 0.2), ("1", 0.1)):
        text = f"{source.code(node)}[{index}]"
        change = (source.replace(node, text),)
        says = f"takes `{text}` instead of `{source.code(node)}`"
        yield Change("index", node.lineno, weight, change, says)


def same_keys(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Count under the key that is looked up: `counts[a] = counts.get(b, 0) + 1`."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=owner, slice=ast.Name() as kept)]):
            pass
        case _:
            return
    source = scope.source
    for part in source.nodes(node.value):
        match part:
            case ast.Call(
                func=ast.Attribute(value=other, attr="get"), args=[ast.Name() as key, *_]
            ):
                pass
            case _:
                continue
        if source.code(other) == source.code(owner) and key.id != kept.id:
            for wrong, right in ((key, kept), (kept, key)):
                change = (source.replace(wrong, right.id),)
                says = f"uses `{right.id}` instead of `{wrong.id}`"
                yield Change("wrong key", node.lineno, 0.9, change, says)
