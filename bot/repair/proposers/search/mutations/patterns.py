"""Patterns: how often something may stand there, and how greedily it is taken."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope

_MODULES = frozenset({"re", "regex"})
_PATTERN = re.compile(r"[+*?]|\\[a-zA-Z.]|\[.+\]")
_REPEATS = re.compile(r"(?<!\\)(?<=[^(|])(?P<sign>[+*])(?P<lazy>\??)")
_ATOMS = re.compile(r"(?<!\\)\\[dwsDWS](?![+*?{\]-])")
_MOST = 24


def repeats(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Let a part of a pattern be missing, or demand it; take as little as possible, or as much."""
    if not isinstance(node, ast.Constant):
        return
    place = _text(scope, node)
    if place is None:
        return
    start, code, weight = place
    for match in list(_REPEATS.finditer(code))[:_MOST]:
        sign, at = match["sign"], start + match.start()
        other = "*" if sign == "+" else "+"
        change = (Replacement(at, at + 1, other),)
        says = f"repeats with `{other}` instead of `{sign}` in the pattern"
        yield Change("pattern", node.lineno, weight, change, says)
        if match["lazy"]:
            change = (Replacement(at + 1, at + 2, ""),)
            says = f"takes as much as `{sign}` can in the pattern"
        else:
            change = (Replacement(at + 1, at + 1, "?"),)
            says = f"takes as little as `{sign}` can in the pattern"
        yield Change("pattern", node.lineno, 0.6 * weight, change, says)
    for match in list(_ATOMS.finditer(code))[:_MOST]:
        at = start + match.end()
        for sign in ("+", "*", "?"):
            change = (Replacement(at, at, sign),)
            says = f"repeats `{match[0]}` with `{sign}` in the pattern"
            yield Change("pattern", node.lineno, 0.4 * weight, change, says)


def _text(scope: Scope, node: ast.Constant) -> tuple[int, str, float] | None:
    """Return where a string stands that is a pattern, its code, and how sure that is."""
    if not isinstance(node.value, str):
        return None
    source = scope.source
    code = source.code(node)
    above = source.parent(node)
    if isinstance(above, ast.Expr | ast.JoinedStr | ast.FormattedValue) or code[:1] in "fF":
        return None
    given = isinstance(above, ast.Call) and _is_pattern_call(above)
    if not given and not (_MODULES & source.module_names and _PATTERN.search(node.value)):
        return None
    return source.span(node)[0], code, 0.7 if given else 0.5


def _is_pattern_call(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Name(id=module)):
            return module in _MODULES
        case _:
            return False
