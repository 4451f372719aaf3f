"""Templates: code as it is before and after, with single letters for the parts that stay.

In what is before, `a` to `c` and `f` stand for any expression, `d` for one that is no constant, `k`
for one that may be a key, `v` and `w` for a variable, an attribute or an item, `q` for one of these
that may be a sequence, `s` for a variable that is one, `l` for one that is a container, `t` for a
text, `n` for a whole number, `m` for the name of an attribute or a method, and `*z` for all
arguments of a call. A letter that stands in what is after alone is each variable that is bound
there: `x` any, `i` a number, `s` a sequence.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product

from bot.repair.proposers.search.evidence import UNPARSABLE
from bot.repair.proposers.search.mutations.precedence import needed, strength
from bot.repair.proposers.search.mutations.scope import SEQUENCES, FunctionScope

Parts = dict[str, str]
"""By letter, the code that it stands for."""

_PLACES = ast.Name | ast.Attribute | ast.Subscript
_KINDS = {"s": SEQUENCES, "l": frozenset({"list", "dict", "set"}), "t": frozenset({"str"})}


@dataclass(frozen=True)
class Template:
    """What some code may have to become.

    Attributes:
        before: An expression, or a statement.
        after: The same.
        statement: Whether `before` is matched with whole statements.
    """

    before: str
    after: str
    statement: bool = False

    def texts(self, scope: FunctionScope, node: ast.AST) -> Iterator[str]:
        """Yield what a node may become; nothing where it is something else."""
        parts: Parts = {}
        if _matches(scope, _parsed(self.before, statement=self.statement), node, parts):
            yield from _filled(scope, self.after, parts, node)

    @property
    def kind(self) -> type[ast.AST] | None:
        """The type of the nodes that it may match; None where it may be any expression."""
        pattern = _parsed(self.before, statement=self.statement)
        return None if _letter(pattern) else type(pattern)


@cache
def _parsed(text: str, *, statement: bool) -> ast.AST:
    [parsed] = ast.parse(text).body
    return parsed if statement or not isinstance(parsed, ast.Expr) else parsed.value


@cache
def _strength(code: str) -> int:
    """Return how tightly the code of a part binds; it may stand on several lines."""
    try:
        return strength(ast.parse(f"({code}\n)", mode="eval").body)
    except UNPARSABLE:
        return 0


def _letter(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) and re.fullmatch("[a-z]", node.id) else ""


def _matches(scope: FunctionScope, pattern: ast.AST, node: ast.AST, parts: Parts) -> bool:
    """Whether a node is what a pattern says; fills in the parts that letters stand for."""
    if letter := _letter(pattern):
        return isinstance(node, ast.expr) and _binds(scope, letter, node, parts)
    if type(pattern) is not type(node):
        return False
    if isinstance(pattern, ast.Call) and isinstance(node, ast.Call) and _takes_all(pattern):
        items: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
        parts["z"] = ", ".join(scope.source.part(child) for child in items)
        return _matches(scope, pattern.func, node.func, parts)
    return all(
        _same(scope, getattr(pattern, name), getattr(node, name, None), parts)
        for name in pattern._fields
        if name not in {"ctx", "kind", "type_comment"}
    )


def _takes_all(call: ast.Call) -> bool:
    return any(isinstance(expression, ast.Starred) for expression in call.args)


def _same(scope: FunctionScope, pattern: object, value: object, parts: Parts) -> bool:
    if isinstance(pattern, ast.AST):
        return isinstance(value, ast.AST) and _matches(scope, pattern, value, parts)
    if isinstance(pattern, list):
        return (
            isinstance(value, list)
            and len(pattern) == len(value)
            and all(_same(scope, *pair, parts) for pair in zip(pattern, value, strict=True))
        )
    if pattern == "m" and isinstance(value, str):
        return parts.setdefault("m", value) == value
    return pattern == value and type(pattern) is type(value)


def _binds(scope: FunctionScope, letter: str, node: ast.expr, parts: Parts) -> bool:
    """Whether a letter may stand for an expression, and for the same one as before."""
    code = scope.source.part(node)
    match letter:
        case "n":
            value = node.value if isinstance(node, ast.Constant) else None
            fits = isinstance(value, int) and not isinstance(value, bool)
        case "d":
            fits = not isinstance(node, ast.Constant)
        case "k":
            number = isinstance(node, ast.Constant) and not isinstance(node.value, str)
            fits = not number and not isinstance(node, ast.UnaryOp | ast.Tuple)
        case "v" | "w":
            fits = isinstance(node, _PLACES)
        case "q":
            fits = isinstance(node, _PLACES) and (not scope.kinds(code) or scope.is_sequence(code))
        case "s" | "l" | "t":
            fits = scope.has(code, *_KINDS[letter])
        case _:
            fits = True
    fits = fits and not isinstance(node, ast.Starred | ast.Slice | ast.GeneratorExp)
    return fits and parts.setdefault(letter, code) == code


def _filled(scope: FunctionScope, after: str, parts: Parts, node: ast.AST) -> Iterator[str]:
    """Yield a template with its parts filled in, and each variable for each new letter."""
    parsed = ast.parse(after)
    letters = {_letter(child) for child in ast.walk(parsed)} - {"", *parts}
    line = getattr(node, "lineno", 1)
    options = [_variables(scope, letter, line) for letter in sorted(letters)]
    for names in product(*options):
        new = dict(zip(sorted(letters), names, strict=True))
        yield _written(after, parsed, parts | new)


def _variables(scope: FunctionScope, letter: str, line: int) -> list[str]:
    names = scope.bound_before(line)
    match letter:
        case "i":
            return [name for name in names if scope.is_number(name)]
        case "s":
            return [name for name in names if scope.is_sequence(name)]
        case "x":
            return list(names)
        case _:
            return []


def _written(after: str, parsed: ast.Module, parts: Mapping[str, str]) -> str:
    """Return a template's text with the parts in it, in parentheses where they need them."""
    places: list[tuple[int, int, str]] = []
    for above in ast.walk(parsed):
        if isinstance(above, ast.Attribute) and above.attr in parts:
            places.append((above.end_col_offset or 0, 1, parts[above.attr]))
        for node in ast.iter_child_nodes(above):
            if isinstance(node, ast.Starred) and _letter(node.value) == "z":
                places.append((node.end_col_offset or 0, 2, parts["z"]))
            elif (letter := _letter(node)) and letter != "z":
                code = parts[letter]
                code = code if _strength(code) >= needed(above, node) else f"({code})"
                places.append((getattr(node, "end_col_offset", 0), 1, code))
    for end, length, code in sorted(places, reverse=True):
        after = after[: end - length] + code + after[end:]
    return after
