"""f-strings: another value in them, another format.

Before Python 3.12 the syntax tree does not know where the parts of an f-string stand, so they are
looked for in the text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from bot.repair.proposers.search.mutations import (
    calls,
    comparisons,
    constants,
    names,
    operators,
    subscripts,
)
from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope
from bot.repair.proposers.search.mutations.source import Source

_INSIDE: tuple[Callable[[Scope, ast.AST], Iterator[Change]], ...] = (
    operators.arithmetic, operators.signs, operators.off_by_one, comparisons.comparisons,
    constants.numbers, names.variables, names.own_attributes, names.attributes, calls.unwrapped,
    calls.swapped, subscripts.slices,
)  # fmt: skip
"""What mends an expression without a look at what stands around it."""

_PRECISION = re.compile(r"(\.)(\d+)")
_WIDTH = re.compile(r"(?<![.\d])(0?)(\d+)")
_WHOLE = re.compile(r"\d+[dxXbo]")
_ALIGNED = "<>^"
_USUAL = {".2f": 0.3, ".1f": 0.2, ",": 0.15, ".0f": 0.1, "02d": 0.1, "02": 0.1, ".3f": 0.1}


@dataclass(frozen=True, slots=True)
class Field:
    """What stands in one pair of braces.

    Attributes:
        start: Of the expression, in the text.
        end: Of the expression.
        spec_end: Of the whole field, where the closing brace is.
        spec: The format behind the colon, or "".
    """

    start: int
    end: int
    spec_end: int
    spec: str


@dataclass(frozen=True, kw_only=True)
class _FieldScope(Scope):
    """The scope of an expression in a field, which was parsed by itself: names are the outer's."""

    outer: Scope
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


def formatted(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Change what an f-string shows, and how."""
    if not isinstance(node, ast.JoinedStr):
        return
    start, end = scope.source.span(node)
    if "\n" in scope.source.text[start:end]:
        return
    for field in fields(scope.source.text, start, end):
        yield from _values(scope, node, field)
        yield from _specs(scope, node, field)


def fields(text: str, start: int, end: int) -> Iterator[Field]:
    """Yield the fields of the f-string that stands from `start` to `end`."""
    at = start
    while at < end:
        if text[at] == "{" and text[at + 1] != "{":
            closing = _closing(text, at + 1, end)
            if closing < 0:
                return
            yield _field(text, at + 1, closing)
            at = closing
        elif text[at] == "{":
            at += 1
        at += 1


def _closing(text: str, at: int, end: int) -> int:
    depth = 1
    for place in range(at, end):
        depth += (text[place] in "{[(") - (text[place] in ")]}")
        if not depth:
            return place
    return -1


def _field(text: str, start: int, end: int) -> Field:
    depth = 0
    for place in range(start, end):
        letter = text[place]
        depth += (letter in "{[(") - (letter in ")]}")
        if depth == 0 and letter == ":":
            return Field(start, place, end, text[place + 1 : end])
        if depth == 0 and letter == "!" and text[place + 1] != "=":
            return Field(start, place, end, "")
    return Field(start, end, end, "")


def _values(scope: Scope, node: ast.JoinedStr, field: Field) -> Iterator[Change]:
    code = scope.source.text[field.start : field.end]
    if code != code.strip() or code.endswith("="):
        return
    try:
        inner = Source(scope.source.file, code)
    except (SyntaxError, ValueError):
        return
    quote = scope.source.code(node)[-1]
    within = _FieldScope(
        inner, scope.definition, scope.types, scope.attributes, outer=scope, line=node.lineno
    )
    for part in ast.walk(inner.tree):
        for rule in _INSIDE if isinstance(part, ast.expr) else ():
            for change in rule(within, part):
                if any(quote in one.text or "\n" in one.text for one in change.replacements):
                    continue
                moved = tuple(
                    Replacement(one.start + field.start, one.end + field.start, one.text)
                    for one in change.replacements
                )
                yield Change(change.kind, node.lineno, change.weight * 0.8, moved, change.says)


def _specs(scope: Scope, node: ast.JoinedStr, field: Field) -> Iterator[Change]:
    del scope
    for spec, weight in _other_specs(field.spec).items():
        text = f":{spec}" if spec else ""
        change = (Replacement(field.end, field.spec_end, text),)
        says = f"formats as `{spec}`" if spec else "leaves the format out"
        yield Change("format", node.lineno, weight, change, says)


def _other_specs(spec: str) -> dict[str, float]:
    """Return other formats, likely ones first."""
    if not spec:
        return dict(_USUAL)
    if "{" in spec:
        return {}
    return {"": 0.1} | _resized(spec) | _realigned(spec)


def _resized(spec: str) -> dict[str, float]:
    """Return the format with one digit more or less, one column more or less."""
    found = {}
    for match in (_PRECISION.search(spec), _WIDTH.search(spec)):
        for number in (int(match.group(2)) + step for step in (1, -1, 2)) if match else ():
            if match and number >= 0:
                found[spec[: match.start(2)] + str(number) + spec[match.end(2) :]] = 0.35
    if "." not in spec and spec[-1:].isdigit():
        found |= {f"{spec}.2f": 0.3, f"{spec}.1f": 0.2}
    return found


def _realigned(spec: str) -> dict[str, float]:
    """Return the format with another alignment, with zeros or with commas."""
    found = {
        spec.replace(one, other): 0.4
        for one in _ALIGNED
        for other in _ALIGNED
        if one != other and one in spec
    }
    if "." not in spec and spec[-1:].isdigit():
        found |= {f"0{spec.lstrip('0')}": 0.2, f">{spec}": 0.2}
    if _WHOLE.fullmatch(spec):
        found[spec.lstrip("0") if spec.startswith("0") else f"0{spec}"] = 0.4
    if spec[-1:] == "f" and "," not in spec:
        found[f",{spec}"] = 0.2
    return found
