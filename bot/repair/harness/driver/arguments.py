"""What a call is given, and what of it can be varied: arguments, items, attributes of objects."""

from __future__ import annotations

import copy
import datetime as dt
import enum
import inspect
import random
import types
from collections import deque
from collections.abc import MutableMapping
from typing import Any, Callable, Iterator

from .variations import renamed, vary, words

_DEEP = 3
"""Objects and containers inside of each other whose parts are varied."""

_PARTS = 8
"""Of each of them."""

_PLAIN = (bool, int, float, complex, str, bytes, bytearray)
_OPAQUE = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType,
           types.GeneratorType, types.CodeType, types.FrameType)  # fmt: skip
_RUNNERS = ("_pytest", "pytest", "unittest", "pluggy", "logging", "threading")

Put = Callable[[Any], None]


class ArgumentPlace:
    """A value that a call is given, or that is part of one.

    Attributes:
        label: The same for the same value in another run, however the function names it.
        value: What is there.
        put: Puts another value there.
        deep: How many objects or containers it lies in.
    """

    def __init__(self, label: str, value: Any, put: Put, deep: int = 0) -> None:
        self.label = label
        self.value = value
        self.put = put
        self.deep = deep

    @property
    def is_plain(self) -> bool:
        """Whether it is a number or a text: the same one in another process."""
        return type(self.value) in _PLAIN


def roots(frame: Any) -> list[ArgumentPlace]:
    """Return what a call is given, as its frame begins; what is put there the call then sees."""
    code, values = frame.f_code, frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    names = list(code.co_varnames[:count])
    found = [(values[entry], _setter(values, entry)) for entry in names if entry in values]
    if code.co_flags & inspect.CO_VARARGS:
        name = code.co_varnames[count]
        count += 1
        rest = values.get(name, ())
        at = code.co_argcount
        more = [(item, _item_setter(values, name, n)) for n, item in enumerate(rest)]
        found[at:at] = more
    if code.co_flags & inspect.CO_VARKEYWORDS:
        named = values.get(code.co_varnames[count], {})
        found += [(item, _setter(named, key)) for key, item in named.items()]
    for name in code.co_freevars:  # what a function was made with, such as the object of a method
        value = values.get(name)
        if not isinstance(value, (*_OPAQUE, *_PLAIN, type(None))) and not callable(value):
            found.append((value, _setter(values, name)))
    counted: dict[str, int] = {}
    told = []
    for value, put in found:
        kind = type(value).__name__ + (f" {value!r}"[:80] if type(value) in _PLAIN else "")
        counted[kind] = counted.get(kind, 0) + 1
        told.append(ArgumentPlace(f"{kind} {counted[kind]}", value, put))
    return told


def places(given: list[ArgumentPlace]) -> list[ArgumentPlace]:
    """Return everything that can be varied of what a call is given, whole values first."""
    found: list[ArgumentPlace] = []
    known: set[int] = set()
    waiting = list(given)
    while waiting:
        place = waiting.pop(0)
        if can_vary(place.value):
            found.append(place)
        if place.deep < _DEEP and id(place.value) not in known and not _is_opaque(place.value):
            known.add(id(place.value))
            waiting += _parts(place)
    return found


def words_in(given: list[ArgumentPlace]) -> list[str]:
    """Return the words and numbers in what a call is given, each once."""
    found: dict[str, None] = {}
    for place in places(given):
        found.update(dict.fromkeys(words(_plain(place.value))))
    return list(found)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, MutableMapping) else value


def rename_all(given: list[ArgumentPlace], names: dict[str, str]) -> None:
    """Put other words and numbers wherever they are in what a call is given, its objects included."""
    for place in reversed(places(given)):  # parts before what they are part of
        value = place.value
        if isinstance(value, MutableMapping):
            items = [(renamed(key, names), renamed(item, names)) for key, item in value.items()]
            value.clear()
            value.update(items)
        elif isinstance(value, list):
            value[:] = [renamed(item, names) for item in value]
        elif type(value) in (str, int, float, tuple):
            new = renamed(value, names)
            place.put(new)
            place.value = new


def can_vary(value: Any) -> bool:
    """Whether `varied` knows how to make something like a value."""
    if isinstance(value, enum.Enum):
        return False
    if isinstance(value, str):
        return True
    if isinstance(value, (bytes, list, tuple, set, frozenset, deque, MutableMapping)):
        return len(value) > 0
    return isinstance(value, (int, float, dt.date, dt.timedelta))


def varied(value: Any, chance: random.Random) -> Any:
    """Return something like a value: other items, one more or less, a little more, less, longer or shorter."""
    kind = type(value)
    if isinstance(value, (dt.date, dt.timedelta)):
        return value + dt.timedelta(days=chance.choice([1, -1, 30]), seconds=chance.choice([0, 61]))
    if isinstance(value, (bytes, bytearray)):
        return kind(vary(value.decode("latin-1"), chance).encode("latin-1", "replace"))
    if isinstance(value, MutableMapping) and kind is not dict:
        return _varied_mapping(value, chance)
    if isinstance(value, (set, frozenset, deque)):
        items = vary(
            sorted(value, key=repr) if not isinstance(value, deque) else list(value), chance
        )
        return kind(items)
    return _varied_plain(value, chance)


def _varied_plain(value: Any, chance: random.Random) -> Any:
    kind = type(value)
    if isinstance(value, list) and kind is not list:
        other = copy.copy(value)
        other[:] = vary(list(value), chance)
        return other
    for plain in (str, int, float):
        if isinstance(value, plain) and kind is not plain and kind is not bool:
            return kind(vary(plain(value), chance))
    return vary(value, chance)


def _varied_mapping(value: Any, chance: random.Random) -> Any:
    other = copy.copy(value)
    key = chance.choice(list(other))
    way = chance.randrange(4)
    if way == 1 and can_vary(other[key]):
        other[key] = varied(other[key], chance)
    elif way and can_vary(key):
        other[varied(key, chance)] = other[key]
    else:
        del other[key]
    return other


def _is_opaque(value: Any) -> bool:
    module = getattr(type(value), "__module__", "") or ""
    return isinstance(value, (*_OPAQUE, *_PLAIN)) or module.partition(".")[0] in _RUNNERS


def _parts(place: ArgumentPlace) -> Iterator[ArgumentPlace]:
    value, deep = place.value, place.deep + 1
    if isinstance(value, dict):
        for key in list(value)[:_PARTS]:
            yield ArgumentPlace(
                f"{place.label}[{key!r}]"[:200], value[key], _setter(value, key), deep
            )
    elif isinstance(value, list):
        for n, item in enumerate(value[:_PARTS]):
            yield ArgumentPlace(f"{place.label}[{n}]", item, _setter(value, n), deep)
    elif isinstance(value, tuple):
        for n, item in enumerate(value[:_PARTS]):
            yield ArgumentPlace(f"{place.label}[{n}]", item, _within(place, n), deep)
    else:
        for name, attribute in attributes(value)[:_PARTS]:
            yield ArgumentPlace(
                f"{place.label}.{name}", attribute, _attribute_setter(value, name), deep
            )


def attributes(value: Any) -> list[tuple[str, Any]]:
    """Return what an object itself keeps, by name, without asking its class."""
    try:
        own = dict(object.__getattribute__(value, "__dict__"))
    except (AttributeError, TypeError):
        own = {}
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            try:
                own[name] = object.__getattribute__(value, name)
            except (AttributeError, TypeError):
                continue
    return sorted(own.items(), key=lambda item: str(item[0]))


def _setter(container: Any, key: Any) -> Put:
    return lambda value: container.__setitem__(key, value)


def _item_setter(values: Any, name: str, at: int) -> Put:
    def put(value: Any) -> None:
        rest = values[name]
        values[name] = (*rest[:at], value, *rest[at + 1 :])

    return put


def _within(place: ArgumentPlace, at: int) -> Put:
    def put(value: Any) -> None:
        whole = place.value
        items = [*whole[:at], value, *whole[at + 1 :]]
        place.put(type(whole)(*items) if hasattr(whole, "_fields") else tuple(items))

    return put


def _attribute_setter(owner: Any, name: str) -> Put:
    def put(value: Any) -> None:
        object.__setattr__(owner, name, value)

    return put
