"""Other values in a value's place: near it and far from it, at boundaries, of other types."""

from __future__ import annotations

import copy
import datetime as dt
import enum
from collections import OrderedDict
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Callable, Iterator, Tuple

from .readable import readable

if TYPE_CHECKING:
    import random

NEAR, FAR, SIBLING, TYPE = "near", "far", "sibling", "type"
"""How a value is like the one in whose place it is put: of its type and near, of its type, of one that
often does as well, of another type."""

Variant = Tuple[str, Any]
"""How it is like, and the value."""

_LONG = 400
_HUGE = 10**12
_WORD = 60
"""Characters of a constant: what is longer explains something."""

_TEXTS = (str, bytes)
_NUMBERS = (int, float, Decimal)
_LISTS = (list, tuple)
_SETS = (set, frozenset)
_DATES = (dt.date, dt.datetime)
_LETTERS = ("0123456789", "abcdefgh", "ABCDEFGH")
_KEYS = 4
_ENTRIES = 30


class OtherText(str):
    """A text of another class."""

    __slots__ = ()


class Number(int):
    """A number of another class."""


class Mapping(dict):  # type: ignore[type-arg] # Python 3.8 has no `dict[...]` at run time
    """A dictionary of another class."""


_RUN = 40
"""Letters of a word that is no longer than people write."""


def near(value: Any, chance: random.Random) -> Iterator[Variant]:
    """Yield values of the same type that are almost the same."""
    if isinstance(value, _TEXTS):
        text = value if isinstance(value, str) else value.decode("latin-1")
        for other in _near_texts(text, chance):
            yield NEAR, other if isinstance(value, str) else other.encode("latin-1", "replace")
        return
    for kinds, others in _NEAR:
        if isinstance(value, kinds):
            yield from ((NEAR, other) for other in others(value))
            return


def _near_numbers(value: Any) -> list[Any]:
    return [value + step for step in (1, -1, 2, -2, 5, -5)]


def _near_texts(text: str, chance: random.Random) -> Iterator[str]:
    places = [n for n, letter in enumerate(text) if letter.isalnum()]
    for way in range(4):
        if places:
            at = chance.choice(places)
            digit, upper = text[at].isdigit(), text[at].isupper()
            kind = _LETTERS[0 if digit else 2 if upper else 1].replace(text[at], "")
            yield f"{text[:at]}{chance.choice(kind)}{text[at + 1 :]}"
        if way == 0:
            yield from (f"{text}a", text[:-1], text[1:], f"a{text}", text.swapcase())
    marks = list(dict.fromkeys(letter for letter in text if not letter.isalnum()))
    for mark in marks[:3]:
        yield text.replace(mark, mark * 2, 1)
        yield text.replace(mark, "", 1)
    yield from (f" {text}", f"{text} ", f"{text}\n")
    if text[:1].isalnum():  # what tries each way to divide a word takes for ever
        yield text[0] * _RUN + text[1:]


def _near_lists(value: Any) -> list[Any]:
    items = list(value)
    if not items or hasattr(value, "_fields"):
        return []
    others = (items[:-1], items[1:], [*items, items[-1]], items[::-1], items[:1])
    return [_as(value, other) for other in others]


def _near_mappings(value: Any) -> Iterator[Any]:
    for key in list(value)[:_KEYS]:
        other = copy.copy(value)
        del other[key]
        yield other


def _near_sets(value: Any) -> list[Any]:
    return [type(value)(value - {item}) for item in sorted(value, key=readable)[:3]]


def _near_dates(value: Any) -> list[Any]:
    return [value + dt.timedelta(days=days) for days in (1, -1, 31)]


_NEAR: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (bool, lambda value: [not value]),
    (enum.Enum, lambda value: [*type(value).__members__.values()][:_KEYS]),
    (_NUMBERS, _near_numbers),
    (_LISTS, _near_lists),
    (dict, _near_mappings),
    (_SETS, _near_sets),
    (_DATES, _near_dates),
    (dt.timedelta, lambda value: [value + dt.timedelta(seconds=1)]),
)


def _as(value: Any, items: list[Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(items)
    other = copy.copy(value)
    other[:] = items
    return other


def far(value: Any) -> Iterator[Variant]:
    """Yield values of the same type: the empty one, small ones, long and huge ones."""
    for kinds, others in _FAR:
        if isinstance(value, kinds):
            yield from ((FAR, other) for other in others(value))
            return


def _far_numbers(value: Any) -> list[Any]:
    others = (0, -value, value * 10, 1, -1, value * 1000 + 7, _HUGE, -_HUGE)
    return [type(value)(other) for other in others]


def _far_texts(value: Any) -> list[Any]:
    return [
        value[:0], value[:1], value * 2, value[::-1], value * (_LONG // max(1, len(value)))
    ]  # fmt: skip


def _far_lists(value: Any) -> list[Any]:
    items = list(value)
    if hasattr(value, "_fields"):
        return []
    return [_as(value, items * times) for times in (0, 2, _LONG // max(1, len(items)))]


def _far_mappings(value: Any) -> list[Any]:
    empty, more = copy.copy(value), copy.copy(value)
    empty.clear()
    more["x"] = next(iter(value.values()), 1)
    return [empty, more]


def _far_dates(value: Any) -> list[Any]:
    return [value.replace(year=1900, month=2, day=28), value.replace(year=2400, month=2, day=29)]


_FAR: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    ((bool, enum.Enum), lambda _: []),
    (_NUMBERS, _far_numbers),
    (_TEXTS, _far_texts),
    (_LISTS, _far_lists),
    (dict, _far_mappings),
    (_SETS, lambda value: [type(value)()]),
    (_DATES, _far_dates),
)


def bounds(value: Any, constants: list[Any]) -> Iterator[Variant]:
    """Yield constants of a value's type, and what is around them."""
    if isinstance(value, bool):
        return
    for constant in constants:
        if isinstance(value, (int, float)) and isinstance(constant, (int, float)):
            yield from ((FAR, constant + step) for step in (0, 1, -1))
        elif type(value) is type(constant) and isinstance(value, _TEXTS):
            yield from ((FAR, other) for other in (constant, value + constant, constant + value))


def like(value: Any) -> list[Variant]:
    """Return values for the place beside a value: itself, its front, the same with another end."""
    if not isinstance(value, _TEXTS):
        return [(FAR, value)]
    more: Any = "x" if isinstance(value, str) else b"x"
    half = len(value) // 2
    ends = (value[:-1], value[:-1] + more, value[:half] + more * (len(value) - half), value[:1])
    return [(FAR, value), (FAR, value + more), *((FAR, end) for end in ends)]


def other_types(value: Any) -> Iterator[Variant]:
    """Yield what is most like a value in other types: first those that often do as well."""
    for kinds, siblings, others in _TYPES:
        if isinstance(value, kinds):
            yield from ((SIBLING, other) for other in siblings(value))
            yield from ((TYPE, other) for other in others(value))
            return


def _usual(value: Any) -> Any:
    return value if abs(value) < _HUGE else 1


def _whole(value: str) -> list[Any]:
    is_number = value.strip().lstrip("-").isdecimal() and len(value) <= _WORD
    return [int(value.strip()) if is_number else 1, None, [value]]


def _other_floats(value: float) -> list[Any]:
    whole = int(value) if abs(value) < _HUGE else 1
    return [whole, Decimal(str(value))]


_TYPES: tuple[tuple[Any, Callable[[Any], list[Any]], Callable[[Any], list[Any]]], ...] = (
    (type(None), lambda _: [], lambda _: [0, "", [], False]),
    (bool, lambda value: [int(value)], lambda value: [str(value), None]),
    (enum.Enum, lambda value: [value.value], lambda value: [value.name]),
    (
        int,
        lambda value: [float(_usual(value)), Number(value), _usual(value) + 0.5],
        lambda value: [str(_usual(value)), None, bool(value)],
    ),
    (float, _other_floats, lambda value: [str(value), None]),
    (str, lambda value: [value.encode("utf-8", "replace"), OtherText(value)], _whole),
    (bytes, lambda value: [bytearray(value), value.decode("latin-1")], lambda _: [None]),
    (
        list,
        lambda value: [tuple(value), iter(value)],
        lambda value: [None, dict(enumerate(value))],
    ),
    (
        dict,
        lambda value: [OrderedDict(value), Mapping(value)],
        lambda value: [None, list(value.items())],
    ),
    (
        tuple,
        lambda value: [] if hasattr(value, "_fields") else [list(value)],
        lambda _: [None],
    ),
    (_SETS, lambda value: [sorted(value, key=readable)], lambda _: [None]),
)


def constants_in(code: Any, known: dict[str, Any], deep: int = 3) -> list[Any]:
    """Return numbers and texts of a function's code, and of what it finds by name in its module."""
    found: list[Any] = []
    for item in code.co_consts:
        if not hasattr(item, "co_consts"):
            found += _plain(item)
        elif deep:
            found += constants_in(item, known, deep - 1)
    for name in code.co_names:
        if name in known:
            found += _plain(known[name])
    return [item for n, item in enumerate(found) if item not in found[:n]]


def _plain(item: Any) -> list[Any]:
    if isinstance(item, (int, float)):
        return [] if isinstance(item, bool) else [item]
    if isinstance(item, _TEXTS):
        return [item] if len(item) <= _WORD else []
    if isinstance(item, dict):
        item = [*item, *item.values()]
    if isinstance(item, (*_LISTS, *_SETS)):
        return [part for entry in list(item)[:_ENTRIES] for part in _plain(entry)]
    return []
