"""Use the programs of `fresh` on inputs that no test has; see `held_out_plays`."""

from __future__ import annotations

from itertools import pairwise
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


def _contest(module: Any, chance: Random) -> Any:
    size = chance.choice((1, 3, 5))
    matrix = [[0] * size for _ in range(size)]
    matrix[chance.randrange(size)][chance.randrange(size)] = 1
    scores = sorted((chance.randint(0, 6) for _ in range(chance.randint(1, 9))), reverse=True)
    return (
        module.shortened("w" * chance.randint(1, 14) + "e", chance.choice((10, 4))),
        module.advancing(scores, chance.randint(1, len(scores))),
        module.after_seconds(some_text(chance, "BG"), chance.randint(0, 4)),
        module.steps_to_middle(matrix),
        module.least_coins([chance.randint(1, 9) for _ in range(chance.randint(1, 7))]),
        module.dangerous(some_text(chance, "0001", 14), chance.choice((7, 3, 2))),
        module.taxis([chance.randint(1, 4) for _ in range(chance.randint(0, 9))]),
        module.next_distinct_year(chance.randint(1000, 8999)),
        module.removed_stones(some_text(chance, "RGB")),
        module.longest_rise(some_numbers(chance)),
    )  # fmt: skip


def _integers(module: Any, chance: Random) -> Any:
    number, other = chance.randint(-30, 30), chance.randint(-30, 30)
    return (
        module.gcd(number, other), module.lcm(number, other),
        module.is_prime(chance.randint(-3, 200)), module.factors(chance.randint(1, 300)),
        module.in_base(chance.randint(0, 999), chance.randint(2, 16)),
        module.root(chance.randint(0, 500)), module.fibonacci(chance.randint(0, 15)),
        module.digital_root(chance.randint(0, 10**7)), module.pascal(chance.randint(0, 7)),
        module.is_perfect(chance.choice((1, 2, 6, 28, 496, chance.randint(1, 900)))),
        module.to_hanoi(chance.randint(0, 5)),
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


def _chainlist(module: Any, chance: Random) -> Any:
    chain = module.Chain(some_numbers(chance, 0, 5))
    acts = (
        lambda: chain.append(chance.randint(0, 5)),
        lambda: chain.insert(chance.randint(-1, 8), chance.randint(0, 5)),
        lambda: chain.remove(chance.randint(0, 5)),
        chain.reverse,
        lambda: chain.find(chance.randint(0, 5)),
        chain.middle,
    )
    seen = [(_tried(chance.choice(acts)), list(chain), len(chain)) for _ in range(8)]
    one, other = (module.Chain(sorted(some_numbers(chance))) for _ in range(2))
    both = one.merged(other)
    return seen, list(both), len(both)


def _network(module: Any, chance: Random) -> Any:
    names = "abcde"[: chance.randint(1, 5)]
    graph = {
        name: {other: chance.randint(1, 9) for other in names if chance.random() < 0.35}
        for name in names
    }
    start, goal = chance.choice(names), chance.choice("abcde")
    edges = [(cost, key, other) for key, near in graph.items() for other, cost in near.items()]
    path = module.fewest_hops(graph, start, goal)
    arcs = [(edge, other, cost) for cost, edge, other in edges]
    return (
        module.cheapest(graph, start, goal),
        (len(path), path[:1], path[-1:], all(b in graph[a] for a, b in pairwise(path))),
        module.spanning_cost(names, edges),
        module.has_cycle(graph),
        sorted(module.all_costs(names, [*arcs, *arcs[:1]]).items()),
        _tried(lambda: module.in_degree_order({
            name: sorted(other for other in names if other > name and chance.random() < 0.5)
            for name in names
        })),
        _tried(lambda: module.in_degree_order(graph)),
    )  # fmt: skip


def _sorting(module: Any, chance: Random) -> Any:
    ordered = sorted(set(some_numbers(chance)))
    place = chance.randint(0, len(ordered))
    pairs = [(n, chance.randint(0, 9)) for n in some_numbers(chance, 0, 2)]
    values = some_numbers(chance)
    return (
        module.insertion_sorted(values),
        module.merge_sorted(some_numbers(chance)),
        module.counting_sorted(some_numbers(chance, 0, 9), 9),
        module.bubble_sorted(some_numbers(chance)),
        module.first_at_least(sorted(some_numbers(chance)), chance.randint(-9, 9)),
        module.in_rotated(ordered[place:] + ordered[:place], chance.randint(-9, 9)),
        module.greatest_sum(some_numbers(chance)),
        module.longest_increasing(some_numbers(chance)),
        module.permutations(some_numbers(chance, 0, 3, 4)),
        module.partitioned(some_numbers(chance, 0, 5), chance.randint(0, 5)),
        len(pairs), values,
    )  # fmt: skip


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
    "course": _course, "contest": _contest, "integers": _integers, "alignment": _alignment,
    "chainlist": _chainlist, "network": _network, "sorting": _sorting, "shop": _shop,
}  # fmt: skip
"""By program."""
