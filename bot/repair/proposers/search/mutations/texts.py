"""Texts: another value or format in an f-string, another repetition in a pattern.

Before Python 3.12 the syntax tree does not know where the parts of an f-string stand, so they are
looked for in the text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from string import Formatter

from bot.repair.proposers.search.evidence import UNPARSABLE
from bot.repair.proposers.search.mutations import (
    names,
    operators,
)
from bot.repair.proposers.search.mutations.change import Replacement
from bot.repair.proposers.search.mutations.rule import Idea, Ideas, likeliest_first, rule
from bot.repair.proposers.search.mutations.scope import FunctionScope
from bot.repair.proposers.search.mutations.source import SourceFile

_INSIDE = (
    operators.arithmetic, operators.comparison, operators.off_by_one,
    operators.number, names.variable, names.attribute,
)  # fmt: skip
"""What mends an expression without a look at what stands around it."""

_PATTERN = re.compile(r"[+*?]|\\[a-zA-Z.]|\[[^\[\]\n]+\]")
_REPEATS = re.compile(r"(?<!\\)(?<=[^(|])[+*]")
_MODULES = frozenset({"re", "regex"})
_MOST = 24
_NUMBER = re.compile(r"\d+")
_ALIGNED = "<>^"
_USUAL = (".2f", ".1f", ",", ".0f", "02d", ".3f")


@dataclass(frozen=True, kw_only=True)
class _FieldScope(FunctionScope):
    """The scope of an expression in a field, which was parsed by itself: names are the outer's."""

    outer: FunctionScope
    line: int

    @cached_property
    def variables(self) -> tuple[str, ...]:
        return self.outer.variables

    @cached_property
    def self_attributes(self) -> tuple[str, ...]:
        return self.outer.self_attributes

    def bound_before(self, line: int) -> tuple[str, ...]:
        del line
        return self.outer.bound_before(self.line)


@rule("f-string", ast.JoinedStr)
def formatted(scope: FunctionScope, node: ast.JoinedStr) -> Ideas:
    """Change what an f-string shows, and how.

    before: return f'{a:>8}'
    after: return f'{a:<8}'
    """
    for start, code, spec in _fields(scope.source.part(node), scope.source.span(node)[0]):
        yield from _values(scope, node, start, code)
        at = start + len(code)
        for other, factor in likeliest_first(_other_specs(spec)).items():
            text = f":{other}" if other else ""
            says = f"formats as `{other}`" if other else "leaves the format out"
            place = Replacement(at, at + len(f":{spec}" if spec else ""), text)
            yield Idea((place,), says, "", factor)


def _fields(code: str, at: int) -> Iterator[tuple[int, str, str]]:
    """Yield where the expression of each field stands, the expression, and its format."""
    try:
        fields = [*Formatter().parse(code)] if "\n" not in code else []
    except ValueError:
        return
    place = 0
    for _, name, spec, conversion in fields:
        if name and not conversion:
            place = code.index("{" + name, place) + 1
            yield at + place, name, spec or ""


def _values(scope: FunctionScope, node: ast.JoinedStr, start: int, code: str) -> Ideas:
    try:
        inner = SourceFile(scope.source.file, code)
    except UNPARSABLE:
        return
    quote = scope.source.part(node)[-1]
    within = _FieldScope(
        inner, scope.definition, scope.types, scope.attributes, outer=scope, line=node.lineno
    )
    for part in inner.nodes(inner.tree):
        for item in (entry for entry in _INSIDE if isinstance(part, entry.kinds)):
            for change in item.changes(within, part):
                if not any(quote in new.text for new in change.replacements):
                    moved = tuple(
                        Replacement(new.start + start, new.end + start, new.text)
                        for new in change.replacements
                    )
                    yield Idea(moved, change.says, "value", change.weight, node.lineno)


def _other_specs(spec: str) -> Iterator[str]:
    """Yield other formats, likely ones first: another alignment, another width, other digits."""
    if "{" in spec:
        return
    for item in _ALIGNED if spec else ():
        yield from (
            spec.replace(item, other) for other in _ALIGNED if item in spec and item != other
        )
    if "." not in spec and spec[-1:].isdigit():
        yield from (f"{spec}.2f", f"0{spec.lstrip('0')}", f">{spec}")
    for match in _NUMBER.finditer(spec):
        for size in (int(match[0]) + step for step in (1, -1, 2)):
            yield spec[: match.start()] + str(max(0, size)) + spec[match.end() :]
    if not spec:
        yield from _USUAL
    elif spec[0].isdigit():
        yield spec.lstrip("0") if spec[0] == "0" else f"0{spec}"
    yield ""


@rule("pattern", ast.Constant)
def pattern(scope: FunctionScope, node: ast.Constant) -> Ideas:
    """Repeat a part of a regular expression in another way: once or never, greedily or not.

    before: return re.match('a+b', a)
    after: return re.match('a*b', a)
    """
    if not _is_pattern(scope, node):
        return
    start, code = scope.source.span(node)[0], scope.source.part(node)
    for match in list(_REPEATS.finditer(code))[:_MOST]:
        sign, at = match[0], start + match.start()
        other = "*" if sign == "+" else "+"
        says = f"repeats with `{other}` instead of `{sign}` in the pattern"
        yield Idea((Replacement(at, at + 1, other),), says)
        lazy = code[match.end() : match.end() + 1] == "?"
        says = f"takes {'as much' if lazy else 'as little'} as `{sign}` can in the pattern"
        end = at + 2 if lazy else at + 1
        yield Idea((Replacement(at + 1, end, "" if lazy else "?"),), says)


def _is_pattern(scope: FunctionScope, node: ast.Constant) -> bool:
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
