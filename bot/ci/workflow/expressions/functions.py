"""The functions of the expression language that look at nothing but their arguments."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from bot.ci.workflow.expressions.meter import Tally
from bot.ci.workflow.expressions.syntax import ExpressionError
from bot.ci.workflow.expressions.values import (
    Value,
    as_text,
    holds_unknown,
    to_number,
    unknown_of,
)

_PLACE = re.compile(r"\{\{|\}\}|\{(?P<number>\d+)\}")
_MOST_ARGUMENTS = 255
_MOST_DIGITS = 4


def call(function: str, arguments: list[Value]) -> Value:
    """Return a function's value; with an unknown argument it is unknown.

    Raises:
        ExpressionError: There is no such function, or not with that many arguments.
    """
    known = _FUNCTIONS.get(function)
    if known is None:
        raise ExpressionError(f"Expressions have no function `{function[:60]}`.")
    fewest, most, body = known
    if not fewest <= len(arguments) <= most:
        raise ExpressionError(f"`{function}` does not take {len(arguments)} arguments.")
    if any(holds_unknown(argument) for argument in arguments):
        return unknown_of(*_flat(arguments))
    return body(*arguments)


def _flat(values: list[Value]) -> list[Value]:
    found: list[Value] = []
    for value in values:
        if isinstance(value, list):
            found += _flat(value)
        elif isinstance(value, Mapping):
            found += _flat(list(value.values()))
        else:
            found.append(value)
    return found


def equal(left: Value, right: Value) -> bool:
    """Compare as `==` does: text without regard to case, different kinds as numbers."""
    if isinstance(left, str) and isinstance(right, str):
        return left.upper() == right.upper()
    if left is None and right is None:
        return True
    if isinstance(left, list | Mapping) or isinstance(right, list | Mapping):
        return left is right
    one, other = to_number(left), to_number(right)
    return not (math.isnan(one) or math.isnan(other)) and one == other


def _contains(where: Value, what: Value) -> bool:
    if isinstance(where, list):
        return any(equal(item, what) for item in where)
    return as_text(what).upper() in as_text(where).upper()


def _starts_with(text: Value, start: Value) -> bool:
    return as_text(text).upper().startswith(as_text(start).upper())


def _ends_with(text: Value, end: Value) -> bool:
    return as_text(text).upper().endswith(as_text(end).upper())


def _format(template: Value, *values: Value) -> str:
    tally = Tally()

    def place(match: re.Match[str]) -> str:
        if match["number"] is None:
            return match[0][0]
        digits = match["number"].lstrip("0") or "0"
        number = int(digits[:_MOST_DIGITS])
        if number >= len(values):
            raise ExpressionError(f"`format` has no value for {{{digits[:20]}}}.")
        return tally.add(as_text(values[number]))

    return _PLACE.sub(place, as_text(template))


def _join(values: Value, separator: Value = ",") -> str:
    if not isinstance(values, list):
        return as_text(values)
    tally, between = Tally(), as_text(separator)
    texts = [tally.add(as_text(item)) for item in values]
    for _ in texts[1:]:
        tally.add(between)
    return between.join(texts)


def _to_json(value: Value) -> str:
    tally = Tally()
    pieces = json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(_whole(value))
    return "".join(tally.add(piece) for piece in pieces)


def _whole(value: Value) -> Any:
    """Return the value with numbers that are whole written without a point."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _whole(item) for key, item in value.items()}
    return value


def _from_json(text: Value) -> Value:
    try:
        return json.loads(as_text(text))
    except (ValueError, RecursionError) as error:
        raise ExpressionError(f"`fromJSON` got invalid JSON: {as_text(text)[:80]!r}.") from error


_FUNCTIONS: Mapping[str, tuple[int, int, Callable[..., Value]]] = {
    "contains": (2, 2, _contains),
    "startswith": (2, 2, _starts_with),
    "endswith": (2, 2, _ends_with),
    "format": (1, _MOST_ARGUMENTS, _format),
    "join": (1, 2, _join),
    "tojson": (1, 1, _to_json),
    "fromjson": (1, 1, _from_json),
}
"""For each function the fewest and most arguments, and its body."""
