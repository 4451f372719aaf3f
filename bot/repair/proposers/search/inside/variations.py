"""Vary values a little: inputs that no test has, near those that tests have."""

from __future__ import annotations

import random
import string
from typing import Any, Callable


def vary(value: Any, chance: random.Random) -> Any:
    """Return something like `value`: a little more, less, longer or shorter."""
    for kind, variation in _VARIATIONS:
        if type(value) is kind:
            return variation(value, chance)
    return value


def _vary_int(value: int, chance: random.Random) -> int:
    return chance.choice([value + 1, value - 1, 0, 1, -value, value * 2, value // 2, value + 3])


def _vary_float(value: float, chance: random.Random) -> float:
    return chance.choice([value + 1, value - 1, 0.0, -value, value * 1.5, value / 2])


def _vary_dict(value: dict[Any, Any], chance: random.Random) -> dict[Any, Any]:
    if not value:
        return value
    key = chance.choice(list(value))
    changed = {**value, key: vary(value[key], chance)}
    if chance.randrange(2):
        del changed[key]
    return changed


def _vary_items(items: list[Any], chance: random.Random) -> list[Any]:
    if not items:
        return items
    place = chance.randrange(len(items))
    before, item, after = items[:place], items[place], items[place + 1 :]
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
    places = [n for n, one in enumerate(value) if _kin(one)]
    way = chance.randrange(3)
    if not places or not way:
        return "".join(_vary_items(list(value), chance))
    place = chance.choice(places)
    other = chance.choice(_kin(value[place]))
    return f"{value[:place]}{other}{value[place + way - 1 :]}"


def _kin(letter: str) -> str:
    """Return the other ASCII letters or digits of a letter's kind."""
    kind = next((one for one in _KINDS if letter in one), "")
    return kind.replace(letter, "")


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
