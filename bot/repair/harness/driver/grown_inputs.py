"""Grow inputs from the calls that tests make: near and far, other types, boundaries, crossed."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from itertools import chain, islice, zip_longest
from typing import Any, Callable, Iterator, MutableMapping

from .arguments import ArgumentPlace, places, rename_all
from .call_copies import NotCopied, copied, restored
from .grown_values import FAR, NEAR, Variant, bounds, far, like, near, other_types
from .readable import readable
from .variations import other_word, words

OWN, TESTED = "own", "tested"
"""Where an input comes from, if not from another: a proving test, or another one."""

_PLACES = 14
"""Values of one call that are exchanged."""

_SEEDS = 10
"""Calls of one function from which inputs are grown."""

_WORDS = 4
"""Words and numbers of one call that are renamed wherever they are in it."""

_RENAMED = 10
"""Other ones for each."""

_TOGETHER = 3
"""Constants of the code that are put beside other values, those of only one side first."""


class GrownCall:
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


def grown(
    target: int, calls: list[tuple[bytes, bool]], constants: list[Any], most: int
) -> list[GrownCall]:
    """Return inputs, the calls themselves first; the same for the same calls.

    Args:
        target: Number of the function.
        calls: What each is given, copied, and whether a proving test makes it.
        constants: Numbers and texts in the function's code, on both sides.
        most: How many inputs.
    """
    found: dict[str, GrownCall] = {}
    for number, (data, proving) in enumerate(calls):
        _keep(found, GrownCall(target, data, OWN if proving else TESTED, "", number))
    seeds = _seeds(calls)
    others = [restored(data) for data, _ in calls[: 3 * _SEEDS]]
    streams = [_variants(target, number, calls[number][0], others, constants) for number in seeds]
    streams += [_renamed(target, number, calls[number][0]) for number in seeds]
    streams += [_together(target, number, calls[number][0], constants) for number in seeds[:2]]
    for item in chain.from_iterable(zip_longest(*streams)):
        if len(found) >= most:
            break
        if item is not None:
            _keep(found, item)
    return list(found.values())


def _seeds(calls: list[tuple[bytes, bool]]) -> list[int]:
    """Return the numbers of the calls that inputs are grown from: half of them of proving tests."""
    own = [n for n, (_, proving) in enumerate(calls) if proving]
    other = [n for n, (_, proving) in enumerate(calls) if not proving]
    count = max(_SEEDS - len(other), _SEEDS * 2 // 3)
    return [*own[:count], *other[: _SEEDS - len(own[:count])]]


def _keep(found: dict[str, GrownCall], item: GrownCall) -> None:
    try:
        text = readable(restored(item.data))
    except Exception:  # noqa: BLE001 - the project's own classes
        return
    found.setdefault(text, item)


def _variants(
    target: int, number: int, data: bytes, others: list[dict[str, Any]], constants: list[Any]
) -> Iterator[GrownCall]:
    """Yield inputs that differ from a call in one value: of each value one in turn."""
    found = _places(restored(data))[:_PLACES]
    of_each = [
        _of_place(place, others, constants, random.Random(f"{number}:{place.label}"))  # noqa: S311
        for place in found
    ]
    streams = [
        _put(target, number, data, place.label, variants) for place, variants in zip(found, of_each)
    ]
    for item in chain.from_iterable(zip_longest(*streams, _pairs(target, number, data))):
        if item is not None:
            yield item


def _places(values: dict[str, Any]) -> list[ArgumentPlace]:
    roots = _roots(values)
    found = {place.label: place for place in [*roots, *places(roots)]}
    return list(found.values())


def _roots(values: dict[str, Any]) -> list[ArgumentPlace]:
    return [ArgumentPlace(name, value, _setter(values, name)) for name, value in values.items()]


def _setter(values: dict[str, Any], name: str) -> Callable[[Any], None]:
    return lambda value: values.__setitem__(name, value)


def _put(
    target: int, number: int, data: bytes, label: str, variants: Iterator[Variant]
) -> Iterator[GrownCall]:
    for nearness, value in variants:
        values = restored(data)
        try:
            place = next(item for item in _places(values) if item.label == label)
            place.put(value)
            yield GrownCall(target, copied(values), nearness, label, number)
        except (NotCopied, StopIteration):
            continue
        except Exception:  # noqa: BLE001, S112 - its class does not let it be made like this
            continue


def _pairs(target: int, number: int, data: bytes) -> Iterator[GrownCall]:
    """Yield inputs in which one text is like another one of the same call: its front, or a longer one."""
    names = [name for name, value in restored(data).items() if isinstance(value, (str, bytes, int))]
    for name in names:
        for other in names:
            values = restored(data)
            if other == name or type(values[name]) is not type(values[other]):
                continue
            for nearness, value in like(values[name]):
                values = restored(data)
                values[other] = value
                yield GrownCall(target, copied(values), nearness, other, number)


def _renamed(target: int, number: int, data: bytes) -> Iterator[GrownCall]:
    """Yield inputs in which a word or number that stands in several places is another one in all."""
    found = Counter(word for place in _places(restored(data)) for word in words(_held(place.value)))
    for word in [word for word, times in found.items() if times > 1][:_WORDS]:
        for turn in range(_RENAMED):
            values = restored(data)
            try:
                rename_all(_roots(values), {word: other_word(word, f"{number}:{turn}")})
                yield GrownCall(target, copied(values), NEAR, repr(word), number)
            except NotCopied:
                continue
            except Exception:  # noqa: BLE001, S112 - its class does not let it be made like this
                continue


def _held(value: Any) -> Any:
    """Return what no part of a value is a place for: itself if it is plain, the keys of a mapping."""
    if isinstance(value, MutableMapping):
        return list(value)
    return value if type(value) in (str, int, float) else None


def _together(target: int, number: int, data: bytes, constants: list[Any]) -> Iterator[GrownCall]:
    """Yield inputs in which a constant of the code meets an empty or another value beside it."""
    names = list(restored(data))
    for name in names:
        fitting = [item for item in constants if type(item) is type(restored(data)[name])]
        for other in names:
            for constant in fitting[:_TOGETHER] if other != name else ():
                for _, value in islice(far(restored(data)[other]), 2):
                    values = restored(data)
                    label = name if values[name] != constant else other
                    values.update({name: constant, other: value})
                    yield GrownCall(target, copied(values), FAR, label, number)


def _of_place(
    place: ArgumentPlace, others: list[dict[str, Any]], constants: list[Any], chance: random.Random
) -> Iterator[Variant]:
    """Yield other values for a place: near ones, boundaries and other types by turns."""
    value = place.value
    crossed = [(FAR, other[place.label]) for other in others if place.label in other]
    chance.shuffle(crossed)
    streams = [
        near(value, chance), far(value), bounds(value, constants), iter(crossed), other_types(value)
    ]  # fmt: skip
    for item in chain.from_iterable(zip_longest(*map(_made, streams))):
        if item is not None and readable(item[1]) != readable(value):
            yield item


def _made(variants: Iterator[Variant]) -> Iterator[Variant]:
    """Yield values as far as their class lets them be made."""
    with contextlib.suppress(Exception):  # the project's own
        yield from variants
