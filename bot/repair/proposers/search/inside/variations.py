"""Vary values a little: inputs that no test has, near those that tests have."""

from __future__ import annotations

import random
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


_VARIATIONS: tuple[tuple[type, Callable[..., Any]], ...] = (
    (bool, lambda value, _: not value),
    (int, _vary_int),
    (float, _vary_float),
    (str, lambda value, chance: "".join(_vary_items(list(value), chance))),
    (list, _vary_items),
    (tuple, lambda value, chance: tuple(_vary_items(list(value), chance))),
    (dict, _vary_dict),
)
