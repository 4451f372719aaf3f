"""Comprehensions: what they pick."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope


def filters(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Let a comprehension pick, or pick no more."""
    if not isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return
    source = scope.source
    for loop in node.generators:
        for test in loop.ifs:
            text = f"not {source.operand(test, 6)}"
            change = (source.replace(test, text),)
            yield Change("negation", test.lineno, 0.5, change, "picks the others")
        names = [one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)]
        end = source.span(loop.ifs[-1] if loop.ifs else loop.iter)[1]
        word = " and " if loop.ifs else " if "
        if source.text[end : end + 1] == ")" and not isinstance(node, ast.GeneratorExp):
            continue
        for name in names:
            for text in (name, f"{name} is not None", f"{name} != 0", f"{name} > 0", f"not {name}"):
                change = (Replacement(end, end, word + text),)
                says = f"picks only where `{text}`"
                yield Change("missing condition", node.lineno, 0.2, change, says)
            for text, weight in _matches(scope, name, node.lineno).items():
                change = (Replacement(end, end, word + text),)
                says = f"picks only where `{text}`"
                yield Change("missing condition", node.lineno, weight, change, says)


def pairs(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Leave out the pair of a thing with itself, and no step at all, where it goes over both."""
    match node:
        case (
            ast.ListComp(generators=[first, second])
            | ast.SetComp(generators=[first, second])
            | ast.GeneratorExp(generators=[first, second])
        ) if not second.ifs and not first.ifs:
            pass
        case _:
            return
    source = scope.source
    one, other = source.code(first.target), source.code(second.target)
    if source.code(first.iter) != source.code(second.iter):
        return
    end = source.span(second.iter)[1]
    for text in (f"{one} != {other}", f"{one} or {other}"):
        change = (Replacement(end, end, f" if {text}"),)
        yield Change("missing condition", node.lineno, 0.3, change, f"picks only where `{text}`")


def _matches(scope: Scope, name: str, line: int) -> dict[str, float]:
    """Return comparisons of what a comprehension goes through with the function's variables."""
    found: dict[str, float] = {}
    for other in scope.bound_before(line):
        if other == name:
            continue
        if scope.is_sized(other):
            found |= {f"{name} in {other}": 0.15, f"{name} not in {other}": 0.2}
        if not scope.is_sized(other) or scope.has(other, "str"):
            found |= {f"{name} == {other}": 0.25, f"{name} != {other}": 0.2}
        if scope.has(other, "int", "float"):
            found |= {f"{name} {op} {other}": 0.12 for op in ("<", "<=", ">", ">=")}
    return found
