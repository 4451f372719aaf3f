"""Inputs that no test has: do a repaired program and the right one answer alike?"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

Inputs = Callable[[Random], tuple[str, tuple[Any, ...]]]


def _numbers(chance: Random, least: int = -9, most: int = 9, length: int = 9) -> list[int]:
    return [chance.randint(least, most) for _ in range(chance.randint(0, length))]


def _text(chance: Random, letters: str, length: int = 9) -> str:
    return "".join(chance.choice(letters) for _ in range(chance.randint(0, length)))


def _graph(chance: Random) -> dict[str, list[str]]:
    names = "abcdef"
    return {n: chance.sample(names, chance.randint(0, 3)) for n in names[: chance.randint(1, 6)]}


def _acyclic(chance: Random) -> dict[str, list[str]]:
    names = "abcdef"
    return {n: [m for m in names[:place] if chance.random() < 0.4] for place, n in enumerate(names)}


def _matrix(chance: Random, rows: int, columns: int) -> list[list[int]]:
    return [[chance.randint(0, 9) for _ in range(columns)] for _ in range(rows)]


def _product(chance: Random) -> tuple[str, tuple[Any, ...]]:
    inner = chance.randint(1, 3)
    left = _matrix(chance, chance.randint(1, 3), inner)
    return "product", (left, _matrix(chance, inner, chance.randint(1, 3)))


def _nested(chance: Random, depth: int = 3) -> list[Any]:
    return [
        _nested(chance, depth - 1) if depth and chance.random() < 0.3 else chance.randint(0, 3)
        for _ in range(chance.randint(0, 4))
    ]


def _history(chance: Random) -> tuple[str, tuple[Any, ...]]:
    return "account", ([(chance.randrange(3), chance.randint(-1, 9)) for _ in range(12)],)


def _kth(chance: Random) -> tuple[str, tuple[Any, ...]]:
    values = [chance.randint(-5, 5), *_numbers(chance, -5, 5)]
    return "kth", (values, chance.randrange(len(values)))


FRESH: dict[str, tuple[Inputs, ...]] = {
    "balanced": (lambda c: ("balanced", (_text(c, "()[]{}a", 6),)),),
    "runs": (
        lambda c: ("encode", (_text(c, "ab"),)),
        lambda c: ("decode", ([(c.choice("ab"), c.randint(0, 3)) for _ in range(3)],)),
    ),
    "merge": (
        lambda c: ("merge", ([(s := c.randint(0, 20), s + c.randint(0, 5)) for _ in range(5)],)),
    ),
    "primes": (lambda c: ("primes_below", (c.randint(0, 200),)),),
    "bisection": (lambda c: ("place", (sorted(_numbers(c)), c.randint(-10, 10))),),
    "paths": (lambda c: ("distance", (_graph(c), c.choice("abcdef"), c.choice("abcdef"))),),
    "change": (lambda c: ("ways", (c.randint(0, 15), c.sample(range(1, 7), c.randint(0, 4)))),),
    "powers": (lambda c: ("power", (c.randint(0, 20), c.randint(0, 40), c.randint(1, 20))),),
    "flat": (lambda c: ("flat", (_nested(c),)),),
    "words": (lambda c: ("frequent", (_text(c, "aAbc. ,", 20), c.randint(0, 4))),),
    "matrix": (
        lambda c: ("transposed", (_matrix(c, c.randint(0, 3), c.randint(1, 3)),)),
        _product,
        lambda c: ("spiral", (_matrix(c, c.randint(0, 4), c.randint(1, 4)),)),
    ),
    "heap": (lambda c: ("heap_sorted", (_numbers(c),)),),
    "account": (_history,),
    "tree": (
        lambda c: ("in_order", (_numbers(c),)),
        lambda c: ("height", (_numbers(c),)),
    ),
    "roman": (
        lambda c: ("to_roman", (c.randint(1, 3000),)),
        lambda c: ("round_trip", (c.randint(1, 3000),)),
    ),
    "windows": (
        lambda c: ("best_sum", (_numbers(c),)),
        lambda c: ("averages", (_numbers(c), c.randint(1, 5))),
        lambda c: ("longest_rise", (_numbers(c),)),
    ),
    "calendar_days": (
        lambda c: ("is_leap", (c.randint(1600, 2400),)),
        lambda c: ("day_of_year", (c.randint(1600, 2400), c.randint(1, 12), c.randint(1, 28))),
    ),
    "knapsack": (
        lambda c: (
            "best_value",
            ([(c.randint(1, 5), c.randint(1, 9)) for _ in range(c.randint(0, 5))], c.randint(0, 9)),
        ),
        lambda c: ("common", (_text(c, "abc"), _text(c, "abc"))),
    ),
    "order": (lambda c: ("ordered", (_acyclic(c) if c.random() < 0.7 else _graph(c),)),),
    "quick": (
        lambda c: ("quick_sorted", (_numbers(c),)),
        lambda c: ("merged", (sorted(_numbers(c)), sorted(_numbers(c)))),
        _kth,
    ),
}
"""By program, how to make up calls of its functions."""

INPUTS = 300
