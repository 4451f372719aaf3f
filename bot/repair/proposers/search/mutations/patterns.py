"""Regular expressions that repeat a part in another way."""

from __future__ import annotations

import ast
import re

from bot.repair.proposers.search.mutations.change import Replacement
from bot.repair.proposers.search.mutations.rule import Idea, Ideas, rule
from bot.repair.proposers.search.mutations.scope import Scope

_PATTERN = re.compile(r"[+*?]|\\[a-zA-Z.]|\[.+\]")
_REPEATS = re.compile(r"(?<!\\)(?<=[^(|])[+*]")
_MODULES = frozenset({"re", "regex"})
_MOST = 24


@rule("pattern", ast.Constant)
def pattern(scope: Scope, node: ast.Constant) -> Ideas:
    """Repeat a part of a regular expression in another way: once or never, greedily or not.

    before: return re.match('a+b', a)
    after: return re.match('a*b', a)
    """
    if not _is_pattern(scope, node):
        return
    start, code = scope.source.span(node)[0], scope.source.code(node)
    for match in list(_REPEATS.finditer(code))[:_MOST]:
        sign, at = match[0], start + match.start()
        other = "*" if sign == "+" else "+"
        says = f"repeats with `{other}` instead of `{sign}` in the pattern"
        yield Idea((Replacement(at, at + 1, other),), says)
        lazy = code[match.end() : match.end() + 1] == "?"
        says = f"takes {'as much' if lazy else 'as little'} as `{sign}` can in the pattern"
        end = at + 2 if lazy else at + 1
        yield Idea((Replacement(at + 1, end, "" if lazy else "?"),), says)


def _is_pattern(scope: Scope, node: ast.Constant) -> bool:
    """Whether a constant is a pattern: it is given to `re`, or looks like one in a file with it."""
    above = scope.source.parent(node)
    if not isinstance(node.value, str) or isinstance(above, ast.Expr | ast.JoinedStr):
        return False
    match above:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re" | "regex"))):
            return True
        case _:
            known = _MODULES & scope.source.module_names
            return bool(known) and _PATTERN.search(node.value) is not None
