"""The functions of the expression language that look at nothing but their arguments."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping

from bot.ci.workflow.expressions.meter import Tally
from bot.ci.workflow.expressions.syntax import ExpressionError
from bot.ci.workflow.expressions.values import (
    Value,
    as_text,
    folded,
    holds_unknown,
    to_number,
    unknown_of,
)

_PLACE = re.compile(r"\{\{|\}\}|\{(?P<number>[0-9]+)\}|[{}]")
_MOST_DIGITS = 4


def call(function: str, arguments: list[Value]) -> Value:
    """Return a function's value; with an unknown argument it is unknown.

    Raises:
        ExpressionError: It can't be computed from these arguments.
    """
    if any(holds_unknown(argument) for argument in arguments):
        return unknown_of(*_flat(arguments))
    return _FUNCTIONS[function](*arguments)


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
        return folded(left) == folded(right)
    if left is None and right is None:
        return True
    if isinstance(left, list | Mapping) or isinstance(right, list | Mapping):
        return left is right
    one, other = to_number(left), to_number(right)
    return not (math.isnan(one) or math.isnan(other)) and one == other


def ordered(operator: str, left: Value, right: Value) -> bool:
    """Compare as `<`, `<=`, `>` and `>=` do."""
    if operator.endswith("=") and equal(left, right):
        return True
    one: str | float
    other: str | float
    if isinstance(left, str) and isinstance(right, str):
        one, other = folded(left), folded(right)
    else:
        one, other = to_number(left), to_number(right)
    return one < other if operator.startswith("<") else one > other  # type: ignore[operator]


def _contains(where: Value, what: Value) -> bool:
    if isinstance(where, list):
        return any(equal(item, what) for item in where)
    texts = _texts(where, what)
    return texts is not None and texts[1] in texts[0]


def _starts_with(text: Value, start: Value) -> bool:
    texts = _texts(text, start)
    return texts is not None and texts[0].startswith(texts[1])


def _ends_with(text: Value, end: Value) -> bool:
    texts = _texts(text, end)
    return texts is not None and texts[0].endswith(texts[1])


def _texts(left: Value, right: Value) -> tuple[str, str] | None:
    """Return two values as texts to compare, None where one of them is a list or a mapping."""
    if isinstance(left, list | Mapping) or isinstance(right, list | Mapping):
        return None
    return folded(as_text(left)), folded(as_text(right))


def _format(template: Value, *values: Value) -> str:
    tally = Tally()

    def place(match: re.Match[str]) -> str:
        if match["number"] is None:
            if len(match[0]) == 1:
                raise ExpressionError(f"`format` got an invalid text: {template!r:.80}.")
            return match[0][0]
        digits = match["number"].lstrip("0") or "0"
        number = int(digits[:_MOST_DIGITS])
        if number >= len(values):
            raise ExpressionError(f"`format` has no value for {{{digits[:20]}}}.")
        return tally.add(as_text(values[number]))

    return _PLACE.sub(place, as_text(template))


def _join(values: Value, separator: Value = ",") -> str:
    if isinstance(values, Mapping):
        return ""
    if not isinstance(values, list):
        return as_text(values)
    between = "," if isinstance(separator, list | Mapping) else as_text(separator)
    tally = Tally()
    texts = [tally.add(as_text(item)) for item in values]
    for _ in texts[1:]:
        tally.add(between)
    return between.join(texts)


def _to_json(value: Value) -> str:
    tally = Tally()
    return "".join(tally.add(piece) for piece in _json(value, "\n"))


def _json(value: Value, line: str) -> Iterator[str]:
    """Yield the pieces of a value's JSON, its numbers as expressions write them.

    Args:
        value: What to write.
        line: A line's end and the indentation that the value's last line has.
    """
    if isinstance(value, list | Mapping) and value:
        opening, closing = "[]" if isinstance(value, list) else "{}"
        pairs = value.items() if isinstance(value, Mapping) else ((None, item) for item in value)
        yield opening
        for n, (key, item) in enumerate(pairs):
            yield f"{',' if n else ''}{line}  "
            yield "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
            yield from _json(item, f"{line}  ")
        yield f"{line}{closing}"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield as_text(value) if math.isfinite(value) else "null"
    else:
        yield json.dumps(value, ensure_ascii=False)


def _from_json(text: Value) -> Value:
    try:
        return json.loads(
            as_text(text), object_pairs_hook=_mapping, parse_int=float, parse_constant=_no_constant
        )
    except (ValueError, RecursionError) as error:
        raise ExpressionError(f"`fromJSON` got invalid JSON: {as_text(text)[:80]!r}.") from error


def _mapping(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    """Return a mapping whose keys differ in more than case; of those that don't the last counts."""
    found: dict[str, tuple[str, Value]] = {}
    for key, value in pairs:
        first, _ = found.get(folded(key), (key, None))
        found[folded(key)] = first, value
    return dict(found.values())


def _no_constant(name: str) -> float:
    raise ValueError(name)


_FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "contains": _contains,
    "startswith": _starts_with,
    "endswith": _ends_with,
    "format": _format,
    "join": _join,
    "tojson": _to_json,
    "fromjson": _from_json,
}
