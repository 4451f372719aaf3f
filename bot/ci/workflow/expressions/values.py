"""The values of expressions: JSON, values that are not known here, and how they convert."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Value = Any
"""None, bool, int, float, str, list, a mapping with text as keys, `Unknown` or `Partly`."""

_HEX = re.compile(r"0x[0-9a-fA-F]+")
_OCTAL = re.compile(r"0o[0-7]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WORD = 2**32
"""Hexadecimal and octal numbers have 32 bits, the highest of which is the sign."""

_MOST_NAMES = 100
_LONGEST_NAME = 200
"""Of what was not known; people read them, and nobody reads more."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that only GitHub's runner has.

    Attributes:
        names: What it was computed from: `secrets.TOKEN`, `steps.build.outputs.path`.
        truth: Whether it counts as true, where that is known all the same.
        text: What stands for it in a text here.
    """

    names: tuple[str, ...]
    truth: bool | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Partly:
    """A context of which some keys are known; every other one is an `Unknown`.

    Attributes:
        name: How expressions call it: `github`, `github.event`.
        known: Its known values.
    """

    name: str
    known: Mapping[str, Value] = field(default_factory=dict)


class Filtered(list[Value]):
    """What `.*` yields: a property of it is taken from each of its elements."""


def unknown_of(*values: Value, truth: bool | None = None) -> Unknown:
    """Return what is computed from values of which some are unknown."""
    names: dict[str, None] = {}
    for value in values:
        if isinstance(value, Unknown):
            names.update(dict.fromkeys(value.names))
        elif isinstance(value, Partly):
            names[value.name] = None
    return Unknown(tuple(names)[:_MOST_NAMES], truth)


def holds_unknown(value: Value) -> bool:
    """Whether anything in a value is unknown."""
    if isinstance(value, list):
        return any(holds_unknown(item) for item in value)
    if isinstance(value, Mapping):
        return any(holds_unknown(item) for item in value.values())
    return isinstance(value, Unknown | Partly)


def member(value: Value, key: Value) -> Value:
    """Return a property or an element; what is not there is None.

    Text keys are compared without regard to case.
    """
    if isinstance(value, Unknown):
        return Unknown(tuple(_below(name, key) for name in value.names))
    if isinstance(key, Unknown):
        return unknown_of(value, key)
    if isinstance(value, Partly):
        found = _entry(value.known, as_text(key))
        return Unknown((_below(value.name, key),)) if found is _MISSING else found
    if isinstance(value, Filtered):
        found_in = (_own_member(item, key) for item in value)
        return Filtered(item for item in found_in if item is not _MISSING)
    found = _own_member(value, key)
    return None if found is _MISSING else found


def _own_member(value: Value, key: Value) -> Value:
    """Return what one value has at a key, or `_MISSING`."""
    if isinstance(value, Partly):
        return member(value, key)
    if isinstance(value, list):
        return _element(value, key)
    if not isinstance(value, Mapping) or isinstance(key, list | Mapping | Partly):
        return _MISSING
    return _entry(value, as_text(key))


def _below(name: str, key: Value) -> str:
    return f"{name}.{as_text(key)}"[:_LONGEST_NAME]


_MISSING = object()


def _entry(mapping: Mapping[str, Value], key: str) -> Value:
    if key in mapping:
        return mapping[key]
    wanted = folded(key)
    return next((value for name, value in mapping.items() if folded(name) == wanted), _MISSING)


def _element(values: list[Value], key: Value) -> Value:
    number = to_number(key)
    if math.isnan(number) or not 0 <= number < len(values):
        return _MISSING
    return values[int(number)]


def elements(value: Value) -> Value:
    """Return what `.*` selects: the elements of a list, the values of a mapping."""
    match value:
        case Unknown():
            return Unknown(tuple(_below(name, "*") for name in value.names))
        case Partly():
            return Unknown((f"{value.name}.*",))
        case Filtered():
            inner = (elements(item) for item in value)
            return Filtered(item for part in inner if isinstance(part, list) for item in part)
        case list():
            return Filtered(value)
        case Mapping():
            return Filtered(value.values())
        case _:
            return Filtered()


def to_number(value: Value) -> float:
    """Return a known value as a number, or NaN."""
    match value:
        case None:
            return 0.0
        case bool() | int() | float():
            return _float(value)
        case str():
            return _text_to_number(value.strip())
        case _:
            return math.nan


def folded(text: str) -> str:
    """Return a text so that two which differ in nothing but case are the same.

    As .NET's ordinal comparison does it: letter by letter, and none becomes or leaves ASCII.
    """
    if text.isascii():
        return text.upper()
    return "".join(map(_upper, text))


def _upper(letter: str) -> str:
    upper = letter.upper()
    return upper if len(upper) == 1 and upper.isascii() == letter.isascii() else letter


def _text_to_number(text: str) -> float:
    """Return the number that GitHub's runner reads in a text.

    Source: `ParseNumber` in actions/runner, src/Sdk/DTExpressions2/Expressions2/Sdk/ExpressionUtility.cs
    """
    if not text:
        return 0.0
    if _HEX.fullmatch(text) or _OCTAL.fullmatch(text):
        number = int(text, 0)
        signed = number - _WORD if number >= _WORD // 2 else number
        return float(signed) if number < _WORD else math.nan
    if _DECIMAL.fullmatch(text):
        return float(text)
    return {
        **dict.fromkeys(("infinity", "+infinity"), math.inf),
        "-infinity": -math.inf,
    }.get(text.lower(), math.nan)


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def as_text(value: Value) -> str:  # noqa: PLR0911 - one return for each kind of value
    """Return a value as it appears in a string; an unknown one is what stands for it here."""
    match value:
        case Unknown():
            return value.text
        case None | Partly():
            return ""
        case bool():
            return "true" if value else "false"
        case int() | float():
            return _number_text(value)
        case list():
            return "Array"
        case Mapping():
            return "Object"
        case _:
            return str(value)


def _number_text(value: float) -> str:
    """Return a number with 15 digits at most, as .NET's format G15 writes it."""
    number = _float(value)
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return "0" if number == 0 else f"{number:.15G}"
