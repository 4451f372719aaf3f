"""Use the programs of `fresh` on inputs that no test has; see `held_out_plays`."""

from __future__ import annotations

from random import Random
from typing import Any

from bench.search.plays import Play, some_numbers, some_text


def _course(module: Any, chance: Random) -> Any:
    limits = sorted((chance.randint(1, 99) for _ in range(4)), reverse=True)
    days = [(chance.randint(1, 3), chance.randint(1, 5)) for _ in range(chance.randint(0, 5))]
    people = [
        (some_text(chance, "abc", 3), chance.randint(1, 5)) for _ in range(chance.randint(0, 6))
    ]
    values = some_numbers(chance)
    return (
        module.median(*(chance.randint(0, 3) for _ in range(3))),
        module.grade(chance.choice((*limits, chance.randint(0, 100))), limits),
        module.checksum(some_text(chance)),
        module.digits(chance.randint(-2000, 2000)),
        module.search(chance.randint(-9, 9), sorted(some_numbers(chance))),
        module.unique_months(days, chance.randint(1, 3)),
        module.without_repeats(some_numbers(chance, 0, 4)),
        module.by_age(people),
        module.top(values, chance.randint(0, 6)), values,
    )  # fmt: skip


def _alignment(module: Any, chance: Random) -> Any:
    words = [some_text(chance, "aAb", 3) for _ in range(chance.randint(0, 6))]
    word = some_text(chance, "abc", 6)
    place = chance.randint(0, len(word))
    return (
        module.edit_distance(some_text(chance, "abc", 6), some_text(chance, "abc", 6)),
        module.longest_common(some_text(chance, "abc", 8), some_text(chance, "abc", 8)),
        module.longest_palindrome(some_text(chance, "ab", 9)),
        module.failures(some_text(chance, "ab", 9)),
        module.occurrences(some_text(chance, "ab", 3), some_text(chance, "ab", 14)),
        module.anagrams(words),
        module.matches(some_text(chance, "ab?*", 5), some_text(chance, "ab", 5)),
        module.rotated(word, chance.choice((word[place:] + word[:place], word[place:], "ab"))),
    )


def _tried(act: Any) -> Any:
    """Return what an act answers, or which error it raises."""
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - how it fails is its behaviour
        return type(error).__name__


def _shop(module: Any, chance: Random) -> Any:
    stock = {"pen": 30, "book": 4}
    shop = module.Shop({"pen": 2, "book": 10, "cup": 5, "mug": 7}, stock)
    names = ("pen", "book", "cup")
    acts = (
        lambda: shop.sell(chance.choice(names), chance.choice((1, 2, 4, 9, 10, 11))),
        lambda: shop.sell(chance.choice(names)),
        lambda: shop.deliver(chance.choice(names), chance.randint(-1, 12)),
        lambda: shop.revenue(chance.choice((*names, None))),
        shop.best_seller,
        lambda: shop.missing({name: chance.randint(0, 12) for name in names}),
        shop.receipt,
        lambda: shop.restocked(chance.randint(0, 12)),
    )
    return [(_tried(chance.choice(acts)), sorted(shop.stock.items())) for _ in range(10)], stock


PLAYS: dict[str, Play] = {
    "alignment": _alignment,
    "course": _course,
    "shop": _shop,
}
"""By program."""
