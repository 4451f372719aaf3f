"""Fresh inputs for the programs of QuixBugs, each within what its program promises to take."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

Inputs = Callable[[Random], tuple[Any, ...]]


def _numbers(chance: Random, least: int = -9, most: int = 9, length: int = 9) -> list[int]:
    return [chance.randint(least, most) for _ in range(chance.randint(0, length))]


def _distinct(chance: Random, least: int = 1, length: int = 9) -> list[int]:
    return chance.sample(range(30), chance.randint(least, length))


def _text(chance: Random, letters: str = "abc", length: int = 6) -> str:
    return "".join(chance.choice(letters) for _ in range(chance.randint(0, length)))


def _nested(chance: Random, depth: int = 3) -> list[Any]:
    return [
        _nested(chance, depth - 1) if depth and chance.random() < 0.3 else chance.randint(0, 9)
        for _ in range(chance.randint(0, 4))
    ]


def _sorted_and_one(values: list[int], chance: Random) -> tuple[Any, ...]:
    return sorted(values), chance.randint(-2, 32)


def _nearly_sorted(chance: Random) -> tuple[Any, ...]:
    values, k = sorted(_numbers(chance, length=12)), chance.randint(0, 4)
    blocks = [values[start : start + k + 1] for start in range(0, len(values), k + 1)]
    return [value for block in blocks for value in chance.sample(block, len(block))], k


def _kth(chance: Random) -> tuple[Any, ...]:
    values = _distinct(chance)
    return values, chance.randrange(len(values))


def _items(chance: Random) -> tuple[Any, ...]:
    pairs = [[chance.randint(1, 20), chance.randint(1, 10)] for _ in range(chance.randint(0, 6))]
    return chance.randint(0, 30), pairs


def _reverse_polish(chance: Random) -> tuple[Any, ...]:
    tokens: list[Any] = [float(chance.randint(1, 9))]
    for _ in range(chance.randint(0, 4)):
        tokens += [float(chance.randint(1, 9)), chance.choice("+-*/")]
    return (tokens,)


def _infix(chance: Random) -> tuple[Any, ...]:
    tokens: list[Any] = [chance.randint(1, 9)]
    for _ in range(chance.randint(0, 6)):
        tokens += [chance.choice("+-*/"), chance.randint(1, 9)]
    return (tokens,)


def _permutation(chance: Random) -> tuple[Any, ...]:
    values = _distinct(chance, least=2, length=7)
    return (values if values != sorted(values)[::-1] else sorted(values),)


def _palindrome(chance: Random) -> tuple[Any, ...]:
    half = [chance.randint(1, 9), *_numbers(chance, least=0, length=2)]
    middle = [chance.randint(0, 9)] * chance.randint(0, 1)
    return ([*half, *middle, *half[::-1]],)


def _graph(chance: Random) -> tuple[Any, ...]:
    count = chance.randint(1, 7)
    arrows = [chance.sample(range(count), min(count, chance.randint(0, 2))) for _ in range(count)]
    return arrows, chance.randrange(count), chance.randrange(count)


def _acyclic(chance: Random) -> tuple[Any, ...]:
    count = chance.randint(1, 7)
    arrows = [[n for n in range(m + 1, count) if chance.random() < 0.4] for m in range(count)]
    return arrows, chance.sample(range(count), count)


def _ring(chance: Random) -> tuple[Any, ...]:
    count = chance.randint(1, 8)
    return count, chance.choice([None, *range(count)])


def _lengths(chance: Random) -> dict[tuple[int, int], int]:
    pairs = [(a, b) for a in range(6) for b in range(6) if a != b and chance.random() < 0.35]
    return {pair: chance.randint(1, 9) for pair in pairs}


def _undirected(chance: Random) -> tuple[Any, ...]:
    pairs = [(a, b) for a in range(6) for b in range(a + 1, 6) if chance.random() < 0.6]
    weights = chance.sample(range(50), len(pairs))
    return (dict(zip(pairs, weights, strict=True)),)


def _lines(chance: Random) -> tuple[Any, ...]:
    words = [_text(chance, "ab", 7) or "a" for _ in range(chance.randint(0, 12))]
    return " ".join(words), chance.randint(8, 20)


FRESH: dict[str, Inputs] = {
    "bitcount": lambda r: (r.randrange(2**20),),
    "breadth_first_search": _graph,
    "bucketsort": lambda r: (_numbers(r, 0, 9), 10),
    "depth_first_search": _graph,
    "detect_cycle": _ring,
    "find_first_in_sorted": lambda r: _sorted_and_one([v % 12 for v in _distinct(r)], r),
    "find_in_sorted": lambda r: _sorted_and_one(_distinct(r), r),
    "flatten": lambda r: (_nested(r),),
    "gcd": lambda r: (r.randrange(100), r.randrange(100)),
    "get_factors": lambda r: (r.randint(1, 500),),
    "hanoi": lambda r: (r.randint(0, 4), *r.sample((1, 2, 3), 2)),
    "is_valid_parenthesization": lambda r: (_text(r, "()", 8),),
    "kheapsort": _nearly_sorted,
    "knapsack": _items,
    "kth": _kth,
    "lcs_length": lambda r: (_text(r), _text(r)),
    "levenshtein": lambda r: (_text(r), _text(r)),
    "lis": lambda r: (_distinct(r, least=0),),
    "longest_common_subsequence": lambda r: (_text(r), _text(r)),
    "max_sublist_sum": lambda r: (_numbers(r),),
    "mergesort": lambda r: (_numbers(r),),
    "minimum_spanning_tree": _undirected,
    "next_palindrome": _palindrome,
    "next_permutation": _permutation,
    "pascal": lambda r: (r.randint(1, 9),),
    "possible_change": lambda r: (_distinct(r, length=3), r.randint(-2, 25)),
    "powerset": lambda r: (_distinct(r, least=0, length=5),),
    "quicksort": lambda r: (_numbers(r),),
    "reverse_linked_list": lambda r: (r.randint(0, 8),),
    "rpn_eval": _reverse_polish,
    "shortest_path_length": lambda r: (_lengths(r), *r.sample(range(6), 2)),
    "shortest_path_lengths": lambda r: (6, _lengths(r)),
    "shortest_paths": lambda r: (0, {(0, 1): 1, **_lengths(r)}),
    "shunting_yard": _infix,
    "sieve": lambda r: (r.randint(0, 90),),
    "sqrt": lambda r: (r.randint(1, 60), r.choice((0.5, 0.1, 0.01))),
    "subsequences": lambda r: (r.randint(0, 4), r.randint(4, 9), r.randint(0, 4)),
    "to_base": lambda r: (r.randint(1, 9999), r.randint(2, 36)),
    "topological_ordering": _acyclic,
    "wrap": _lines,
}
"""By program."""
