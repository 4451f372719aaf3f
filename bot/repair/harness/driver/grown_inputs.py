"""Grow inputs from the calls that tests make: near and far, other types, boundaries, crossed."""

from __future__ import annotations

import copy
import datetime as dt
import enum
import random
from collections import OrderedDict
from decimal import Decimal
from itertools import chain, islice, zip_longest
from typing import Any, Callable, Dict, Iterator, List, Tuple

from .arguments import Place, places
from .call_copies import NotCopied, copied, restored
from .readable import readable

OWN, TESTED, NEAR, FAR = "own", "tested", "near", "far"
SIBLING, TYPE = "sibling", "type"
"""Where an input comes from: a proving test, another test, or a value exchanged in one of these, for
one of its type, one that often does as well, or one of another type."""

_PLACES = 14
"""Values of one call that are exchanged."""

_SEEDS = 10
"""Calls of one function from which inputs are grown."""

_TOGETHER = 3
"""Constants of the code that are put beside other values, those of only one side first."""

_LONG = 400
_HUGE = 10**12
_WORD = 60
"""Characters of a constant: what is longer explains something."""

Variant = Tuple[str, Any]
"""How near, and the value."""


class Input:
    """A call that is to be made on both sides.

    Attributes:
        target: Number of the function.
        data: What it is given, copied.
        origin: Where it comes from.
        varied: Which argument, or part of one, was exchanged.
        seed: Number of the call that it was grown from.
    """

    def __init__(self, target: int, data: bytes, origin: str, varied: str, seed: int) -> None:
        self.target = target
        self.data = data
        self.origin = origin
        self.varied = varied
        self.seed = seed

    def equals(self, data: bytes) -> bool:
        """Whether it is given the same as a call, for a program that compares."""
        try:
            return bool(restored(self.data) == restored(data))
        except Exception:  # noqa: BLE001 - the project's own __eq__
            return False


class Whole(str):
    """A text of another class."""


class Number(int):
    """A number of another class."""


class Mapping(dict):  # type: ignore[type-arg] # Python 3.8 has no `dict[...]` at run time
    """A dictionary of another class."""


def grown(
    target: int, calls: List[Tuple[bytes, bool]], constants: List[Any], most: int
) -> List[Input]:
    """Return inputs, the calls themselves first; the same for the same calls.

    Args:
        target: Number of the function.
        calls: What each is given, copied, and whether a proving test makes it.
        constants: Numbers and texts in the function's code, on both sides.
        most: How many inputs.
    """
    found: Dict[str, Input] = {}
    for number, (data, proving) in enumerate(calls):
        _keep(found, Input(target, data, OWN if proving else TESTED, "", number))
    seeds = _seeds(calls)
    others = [restored(data) for data, _ in calls[: 3 * _SEEDS]]
    streams = [_variants(target, number, calls[number][0], others, constants) for number in seeds]
    streams += [_together(target, number, calls[number][0], constants) for number in seeds[:2]]
    for item in chain.from_iterable(zip_longest(*streams)):
        if len(found) >= most:
            break
        if item is not None:
            _keep(found, item)
    return list(found.values())


def _seeds(calls: List[Tuple[bytes, bool]]) -> List[int]:
    """Return the numbers of the calls that inputs are grown from: half of them of proving tests."""
    own = [n for n, (_, proving) in enumerate(calls) if proving]
    other = [n for n, (_, proving) in enumerate(calls) if not proving]
    count = max(_SEEDS - len(other), _SEEDS * 2 // 3)
    return [*own[:count], *other[: _SEEDS - len(own[:count])]]


def _keep(found: Dict[str, Input], item: Input) -> None:
    try:
        text = readable(restored(item.data))
    except Exception:  # noqa: BLE001 - the project's own classes
        return
    found.setdefault(text, item)


def _variants(
    target: int, number: int, data: bytes, others: List[Dict[str, Any]], constants: List[Any]
) -> Iterator[Input]:
    """Yield inputs that differ from a call in one value: of each value one in turn."""
    found = _places(restored(data))[:_PLACES]
    of_each = [
        _of_place(place, others, constants, random.Random(f"{number}:{place.label}"))  # noqa: S311
        for place in found
    ]
    streams = [
        _put(target, number, data, place.label, variants)
        for place, variants in zip(found, of_each)
    ]
    for item in chain.from_iterable(zip_longest(*streams, _pairs(target, number, data))):
        if item is not None:
            yield item


def _places(values: Dict[str, Any]) -> List[Place]:
    roots = [Place(name, value, _setter(values, name)) for name, value in values.items()]
    found = {place.label: place for place in [*roots, *places(roots)]}
    return list(found.values())


def _setter(values: Dict[str, Any], name: str) -> Callable[[Any], None]:
    return lambda value: values.__setitem__(name, value)


def _put(
    target: int, number: int, data: bytes, label: str, variants: Iterator[Variant]
) -> Iterator[Input]:
    for near, value in variants:
        values = restored(data)
        try:
            place = next(item for item in _places(values) if item.label == label)
            place.put(value)
            yield Input(target, copied(values), near, label, number)
        except (NotCopied, StopIteration):
            continue
        except Exception:  # noqa: BLE001, S112 - its class does not let it be made like this
            continue


def _pairs(target: int, number: int, data: bytes) -> Iterator[Input]:
    """Yield inputs in which one text is like another one of the same call: its front, or a longer one."""
    names = [name for name, value in restored(data).items() if isinstance(value, (str, bytes, int))]
    for name in names:
        for other in names:
            values = restored(data)
            if other == name or type(values[name]) is not type(values[other]):
                continue
            for near, value in _like(values[name]):
                values = restored(data)
                values[other] = value
                yield Input(target, copied(values), near, other, number)


def _together(target: int, number: int, data: bytes, constants: List[Any]) -> Iterator[Input]:
    """Yield inputs in which a constant of the code meets an empty or another value beside it."""
    names = list(restored(data))
    for name in names:
        fitting = [item for item in constants if type(item) is type(restored(data)[name])]
        for other in names:
            for constant in fitting[:_TOGETHER] if other != name else ():
                for _, value in islice(_far(restored(data)[other], []), 2):
                    values = restored(data)
                    values.update({name: constant, other: value})
                    yield Input(target, copied(values), FAR, name, number)


def _like(value: Any) -> List[Variant]:
    if isinstance(value, (bool, int)):
        return [(FAR, value)]
    more = "x" if isinstance(value, str) else b"x"
    half = len(value) // 2
    return [(FAR, value), (FAR, value + more), (FAR, value[:-1]), (FAR, value[:-1] + more),
            (FAR, value[:half] + more * (len(value) - half)), (FAR, value[:1])]  # fmt: skip


def _of_place(
    place: Place, others: List[Dict[str, Any]], constants: List[Any], chance: random.Random
) -> Iterator[Variant]:
    """Yield other values for a place: near ones, boundaries and other types by turns."""
    value = place.value
    crossed = [(FAR, other[place.label]) for other in others if place.label in other]
    chance.shuffle(crossed)
    streams = [
        _near(value, chance), _far(value, constants), _bounds(value, constants),
        iter(crossed), _types(value),
    ]  # fmt: skip
    for item in chain.from_iterable(zip_longest(*streams)):
        if item is not None and readable(item[1]) != readable(value):
            yield item


def _near(value: Any, chance: random.Random) -> Iterator[Variant]:
    if isinstance(value, bool):
        yield NEAR, not value
    elif isinstance(value, (int, float, Decimal)):
        for step in (1, -1, 2, -2, 5, -5):
            yield NEAR, value + step
    elif isinstance(value, (str, bytes)):
        for text in _near_texts(value if isinstance(value, str) else value.decode("latin-1"), chance):
            yield NEAR, text if isinstance(value, str) else text.encode("latin-1", "replace")
    elif isinstance(value, (list, tuple)):
        yield from ((NEAR, _as(value, items)) for items in _near_items(list(value)))
    elif isinstance(value, dict):
        for key in list(value)[:4]:
            other = copy.copy(value)
            del other[key]
            yield NEAR, other
    elif isinstance(value, (set, frozenset)):
        for item in sorted(value, key=readable)[:3]:
            yield NEAR, type(value)(value - {item})
    elif isinstance(value, (dt.date, dt.datetime)):
        for days in (1, -1, 31):
            yield NEAR, value + dt.timedelta(days=days)
    elif isinstance(value, dt.timedelta):
        yield NEAR, value + dt.timedelta(seconds=1)
    elif isinstance(value, enum.Enum):
        yield from ((NEAR, item) for item in list(type(value))[:4])


def _near_texts(text: str, chance: random.Random) -> Iterator[str]:
    places = [n for n, letter in enumerate(text) if letter.isalnum()]
    for way in range(4):
        if places:
            at = chance.choice(places)
            letter = text[at]
            kind = "0123456789" if letter.isdigit() else "abcdefgh" if letter.islower() else "ABCDEFGH"
            yield f"{text[:at]}{chance.choice(kind.replace(letter, ''))}{text[at + 1 :]}"
        if way == 0:
            yield from (f"{text}a", text[:-1], text[1:], f"a{text}", text.swapcase())
    marks = list(dict.fromkeys(letter for letter in text if not letter.isalnum()))
    for mark in marks[:3]:
        yield text.replace(mark, mark * 2, 1)
        yield text.replace(mark, "", 1)
    yield from (f" {text}", f"{text} ", f"{text}\n")


def _near_items(items: List[Any]) -> Iterator[List[Any]]:
    if items:
        yield from (items[:-1], items[1:], [*items, items[-1]], items[::-1], items[:1])


def _as(value: Any, items: List[Any]) -> Any:
    if isinstance(value, tuple):
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    other = copy.copy(value)
    other[:] = items
    return other


def _far(value: Any, constants: List[Any]) -> Iterator[Variant]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float, Decimal)):
        for other in (0, -value, value * 10, 1, -1, value * 1000 + 7, _HUGE, -_HUGE):
            yield FAR, type(value)(other)
    elif isinstance(value, (str, bytes)):
        empty = value[:0]
        yield from ((FAR, other) for other in (empty, value[:1], value * 2, value[::-1]))
        yield FAR, value * (_LONG // max(1, len(value)))
    elif isinstance(value, (list, tuple)):
        yield FAR, _as(value, [])
        yield FAR, _as(value, list(value) * 2)
        yield FAR, _as(value, list(value) * (_LONG // max(1, len(value))))
    elif isinstance(value, dict):
        other = copy.copy(value)
        other.clear()
        yield FAR, other
        other = copy.copy(value)
        other["x"] = next(iter(value.values()), 1)
        yield FAR, other
    elif isinstance(value, (set, frozenset)):
        yield FAR, type(value)()
    elif isinstance(value, (dt.date, dt.datetime)):
        yield FAR, value.replace(year=1900, month=2, day=28)
        yield FAR, value.replace(year=2400, month=2, day=29)
    del constants


def _bounds(value: Any, constants: List[Any]) -> Iterator[Variant]:
    """Yield the constants of the code, and what is around them, where they are of a value's kind."""
    if isinstance(value, bool):
        return
    for constant in constants:
        if isinstance(value, (int, float)) and isinstance(constant, (int, float)):
            for step in (0, 1, -1):
                yield FAR, constant + step
        elif type(value) is type(constant) and isinstance(value, (str, bytes)):
            yield from ((FAR, item) for item in (constant, value + constant, constant + value))


def _types(value: Any) -> Iterator[Variant]:
    siblings, made = _siblings(value)
    yield from ((SIBLING, item) for item in siblings)
    yield from ((TYPE, item) for item in made)


def _siblings(value: Any) -> Tuple[List[Any], List[Any]]:
    """Return values of types that often do as well, and of others."""
    if isinstance(value, bool):
        return [int(value)], [str(value), None]
    if isinstance(value, int):
        usual = value if abs(value) < _HUGE else 1
        return [float(usual), Number(value), usual + 0.5], [str(usual), None, bool(value)]
    if isinstance(value, float):
        whole = value == value and abs(value) < _HUGE  # noqa: PLR0124 - `nan` is not
        return [int(value) if whole else 1, Decimal(str(value))], [str(value), None]
    if isinstance(value, str):
        whole = value.strip().lstrip("-").isdecimal() and len(value) <= _WORD
        more = [int(value.strip())] if whole else [1]
        return [value.encode("utf-8", "replace"), Whole(value)], [*more, None, [value]]
    if isinstance(value, bytes):
        return [bytearray(value), value.decode("latin-1")], [None]
    if isinstance(value, list):
        return [tuple(value), iter(value)], [None, dict(enumerate(value))]
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return [list(value)], [None]
    if type(value) is dict:
        return [OrderedDict(value), Mapping(value)], [None, list(value.items())]
    if isinstance(value, (set, frozenset)):
        return [sorted(value, key=readable)], [None]
    if isinstance(value, enum.Enum):
        return [value.value], [value.name]
    return [], [0, "", [], False] if value is None else []


def constants_in(code: Any, known: Dict[str, Any], deep: int = 3) -> List[Any]:
    """Return numbers and texts of a function's code, and of what it finds by name in its module."""
    found: List[Any] = []
    for item in code.co_consts:
        found += _constants(item, known, deep)
    for name in code.co_names:
        if name in known:
            found += _plain(known[name])
    return [item for n, item in enumerate(found) if item not in found[:n]]


def _constants(item: Any, known: Dict[str, Any], deep: int) -> List[Any]:
    if hasattr(item, "co_consts"):
        return constants_in(item, known, deep - 1) if deep else []
    return _plain(item)


def _plain(item: Any) -> List[Any]:
    if isinstance(item, bool):
        return []
    if isinstance(item, (int, float)):
        return [item]
    if isinstance(item, (str, bytes)):
        return [item] if len(item) <= _WORD else []
    if isinstance(item, (tuple, list, set, frozenset, dict)):
        return [part for entry in list(item)[:20] for part in _plain(entry)]
    return []
