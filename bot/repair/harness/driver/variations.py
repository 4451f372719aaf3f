"""Vary values a little: inputs that no test has, near those that tests have."""

from __future__ import annotations

import random
import re
import string
from collections import OrderedDict, deque
from decimal import Decimal
from typing import Any, Callable, Iterator

_WORD = re.compile(r"[^\W\d_]+|\d+")
_LONG_ONES = 8
"""Of so many variants of a text or list one is much longer."""

_LARGE = 500
_DEEP = 4
"""Containers inside of each other whose words are renamed."""


def vary(value: Any, chance: random.Random) -> Any:
    """Return something like `value`: a little more, less, longer or shorter."""
    for kind, variation in _VARIATIONS:
        if type(value) is kind:
            return variation(value, chance)
    return value


def small(value: Any, chance: random.Random) -> Any:
    """Return the empty text or list, or one item of it: most of what parts two programs is small."""
    if type(value) in (str, list, tuple) and value:
        place = chance.randrange(2 * len(value))
        return value[place : place + 1]
    return vary(value, chance)


def of_another_type(value: Any, number: int) -> Any:
    """Return a value of another type that often does as well, by turns; itself where none is known."""
    others = _OTHER_TYPES.get(type(value))
    return others[number % len(others)](value) if others else value


def _vary_int(value: int, chance: random.Random) -> int:
    near = [value + 1, value - 1, value + chance.randrange(2, 9), value - chance.randrange(2, 9)]
    far = [0, 1, -value, value * 2, value // 2, value * 10_000_019 + 7, _as_long(value, chance)]
    return chance.choice([*near, *far])


def _as_long(value: int, chance: random.Random) -> int:
    """Return a number of as many digits."""
    least = 10 ** int(abs(value).bit_length() * 0.30103)  # its decimal logarithm
    return chance.randrange(least, 10 * least) * (-1 if value < 0 else 1)


def _vary_float(value: float, chance: random.Random) -> float:
    return chance.choice([value + 1, value - 1, 0.0, -value, value * 1.5, value / 2])


def _vary_dict(value: dict[Any, Any], chance: random.Random) -> dict[Any, Any]:
    if not value:
        return value
    key = chance.choice(list(value))
    way = chance.randrange(4)
    if way == 1:
        return {**value, key: vary(value[key], chance)}
    if way and type(key) in (str, int, float, tuple):
        return {**value, vary(key, chance): value[key]}
    return {entry: item for entry, item in value.items() if entry is not key}


def _vary_items(items: list[Any], chance: random.Random) -> list[Any]:
    if not items:
        return items
    place = chance.randrange(len(items))
    before, item, after = items[:place], items[place], items[place + 1 :]
    if not chance.randrange(_LONG_ONES) and len(items) < _LARGE:
        return items * (_LARGE // len(items))
    other = chance.choice(items) if isinstance(item, str) else vary(item, chance)
    return chance.choice(
        [
            [*before, *after],
            [*before, item, item, *after],
            items[::-1],
            chance.sample(items, len(items)),
            before,
            [*before, other, *after],
        ]
    )


def _vary_str(value: str, chance: random.Random) -> str:
    """Change a letter or digit, or add one of its kind: mostly the syntax holds then. Or mix all."""
    if not value:
        return chance.choice(_FEW)
    places = [n for n, item in enumerate(value) if _kin(item)]
    if not chance.randrange(_LONG_ONES) and len(value) < _LARGE:
        return value * (_LARGE // max(1, len(value)))
    way = chance.randrange(3)
    if not places or not way:
        return "".join(_vary_items(list(value), chance))
    place = chance.choice(places)
    other = chance.choice(_kin(value[place]))
    return f"{value[:place]}{other}{value[place + way - 1 :]}"


def _kin(letter: str) -> str:
    """Return the other ASCII letters or digits of a letter's kind."""
    kind = next((item for item in _KINDS if letter in item), "")
    return kind.replace(letter, "")


def words(value: Any, deep: int = _DEEP) -> Iterator[str]:
    """Yield the words and numbers in a value: of texts, keys and items."""
    if isinstance(value, str):
        yield from _WORD.findall(value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from _WORD.findall(str(value))
    elif deep and isinstance(value, dict):
        for key, item in value.items():
            yield from words(key, deep - 1)
            yield from words(item, deep - 1)
    elif deep and isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from words(item, deep - 1)


def renamed(value: Any, names: dict[str, str], deep: int = _DEEP) -> Any:
    """Return a value with other words and numbers, the same one for the same everywhere."""
    kind = type(value)
    if kind is str:
        return _WORD.sub(lambda found: names.get(found[0], found[0]), value)
    if kind in (int, float):
        try:
            return kind(_WORD.sub(lambda found: names.get(found[0], found[0]), str(value)))
        except ValueError:
            return value
    if deep and kind is dict:
        return {
            renamed(k, names, deep - 1): renamed(key, names, deep - 1) for k, key in value.items()
        }
    if deep and kind in (list, tuple, set, frozenset):
        return kind(renamed(item, names, deep - 1) for item in value)
    return value


def is_number(word: str) -> bool:
    """Whether a word is a whole number of usual length."""
    return word.isdecimal() and len(word) < _LARGE


def other_word(word: str, seed: str) -> str:
    """Return another word or number like one."""
    chance = random.Random(f"{seed}:{word}")  # noqa: S311 - no secret hangs on it
    if is_number(word):
        number = int(word)
        near = [number + 1, number + 2, abs(number - 1), number * 2 + 1, number + 7]
        return str(chance.choice([*near, _as_long(number, chance), _as_long(number, chance)]))
    if not chance.randrange(_LONG_ONES):
        return word * (_LARGE // len(word))
    place = chance.randrange(len(word))
    letter = chance.choice(_kin(word[place]) or word[place])
    longer = chance.randrange(2)
    return f"{word[:place]}{letter}{word[place + 1 - longer :]}"


class _Text(str):
    """A text of a class of its own."""

    __slots__ = ()


class _Whole(int):
    """A whole number of a class of its own."""


_OTHER_TYPES: dict[type, tuple[Callable[[Any], Any], ...]] = {
    str: (len, lambda value: [value], str.encode, _Text),
    bytes: (lambda value: value.decode("latin-1"), bytearray),
    int: (str, float, _Whole),
    float: (str, int, Decimal),
    list: (tuple, deque),
    tuple: (list,),
    dict: (OrderedDict,),
    set: (frozenset, list),
    frozenset: (set, list),
}

_FEW = ("a", "Z", "0", " ", "-", ".", ",", "\n", "ab", "é")
"""What stands for a text without letters."""

_KINDS = (string.digits, string.ascii_lowercase, string.ascii_uppercase)

_VARIATIONS: tuple[tuple[type, Callable[..., Any]], ...] = (
    (bool, lambda value, _: not value),
    (int, _vary_int),
    (float, _vary_float),
    (str, _vary_str),
    (list, _vary_items),
    (tuple, lambda value, chance: tuple(_vary_items(list(value), chance))),
    (dict, _vary_dict),
)
