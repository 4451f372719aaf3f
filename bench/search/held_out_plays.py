"""Use the programs of `held_out` on fresh inputs, so that a right and a repaired one can be compared.

Each play takes a program as a module and a source of chance, and returns what it saw: the same
chance gives the same inputs.
"""

from __future__ import annotations

from random import Random
from typing import Any

from bench.search.plays import Play, some_numbers, some_text


def _spans(chance: Random, count: int = 6) -> list[tuple[int, int]]:
    starts = (chance.randint(0, 20) for _ in range(chance.randint(0, count)))
    return [(start, start + chance.randint(1, 6)) for start in starts]


def _cipher(module: Any, chance: Random) -> Any:
    key = some_text(chance, "abcxyz", 4) or "k"
    return chance.choice((
        lambda: module.caesar(some_text(chance), chance.randint(-30, 30)),
        lambda: module.vigenere(some_text(chance), key),
        lambda: module.is_palindrome(some_text(chance, "aA1 ", 5)),
    ))()  # fmt: skip


def _term(chance: Random, depth: int = 3) -> str:
    if not depth or chance.random() < 0.2:
        return chance.choice(("1", "2", "3", "0.5", "12"))
    if chance.random() < 0.2:
        return f"{chance.choice(('-', ''))}({_term(chance, depth - 1)})"
    sign = chance.choice((" + ", "-", "*", "/"))
    return _term(chance, depth - 1) + sign + _term(chance, depth - 1)


def _calculator(module: Any, chance: Random) -> Any:
    if chance.random() < 0.2:
        return module.evaluate(
            f"{chance.choice('-(2')}{chance.randint(1, 3)}^-{chance.randint(0, 2)}"
        )
    return module.evaluate(_term(chance) + chance.choice(("", " ", ")", "^2", "^1^2")))


def _grid(module: Any, chance: Random) -> Any:
    size, width = chance.randint(1, 4), chance.randint(1, 4)
    table = [[chance.randint(-3, 5) for _ in range(width)] for _ in range(size)]
    square = [[chance.randint(-3, 5) for _ in range(size)] for _ in range(size)]
    land = [[chance.randint(0, 1) for _ in range(5)] for _ in range(size)]
    cells = {(chance.randint(0, 4), chance.randint(0, 4)) for _ in range(9)}
    return (
        module.spiral(table), module.determinant(square), sorted(module.generation(cells)),
        module.islands(land),
    )  # fmt: skip


def _tallies(module: Any, chance: Random) -> Any:
    words = [some_text(chance, "abB", 3) for _ in range(8)]
    one, other = ({w: len(w) for w in chance.sample(words, 4)} for _ in range(2))
    merged = module.merged({**one, "in": dict(one)}, {**other, "in": dict(other)})
    values = some_numbers(chance, 0, 4)
    scores = {name: chance.randint(0, 3) for name in "abcdef"}
    return (
        module.anagrams(words), module.inverted(one), merged, one, module.mode(values),
        module.median(values or [1]), module.ranks(scores),
    )  # fmt: skip


def _bits(module: Any, chance: Random) -> Any:
    number = chance.randrange(2**10)
    return (
        module.ones(number), module.is_power(chance.choice((number, 64, 0, -4))),
        module.turned(number, chance.randint(1, 12)), module.gray(number), module.ungray(number),
        module.lonely(some_numbers(chance, 0, 9)), module.subset_sums(some_numbers(chance, 0, 9, 5)),
    )  # fmt: skip


def _paragraphs(module: Any, chance: Random) -> Any:
    text = some_text(chance, "ab  ", 40)
    words = text.split()[:4] or ["a"]
    lines = "\n".join(" " * chance.randint(0, 4) + some_text(chance, "a ", 3) for _ in range(4))
    name = "_".join(some_text(chance, "abc", 3) or "x" for _ in range(chance.randint(1, 3)))
    return (
        module.wrapped(text, chance.randint(3, 12)),
        module.justified(words, sum(map(len, words)) + len(words) + chance.randint(0, 7)),
        module.dedented(lines), module.shortened(text, chance.randint(4, 40)), module.camel(name),
        module.snake(module.camel(name)), module.snake("Ab" + name),
    )  # fmt: skip


def _spans_play(module: Any, chance: Random) -> Any:
    spans = _spans(chance)
    one, other = (sorted(chance.sample(range(20), 2)) for _ in range(2))
    return (
        module.overlap(one, other), module.gaps(spans, 0, chance.randint(1, 30)),
        module.rooms(spans), module.without(tuple(one), tuple(other)), module.most_meetings(spans),
    )  # fmt: skip


PLAYS: dict[str, Play] = {
    "bits": _bits,
    "calculator": _calculator,
    "cipher": _cipher,
    "grid": _grid,
    "paragraphs": _paragraphs,
    "spans": _spans_play,
    "tallies": _tallies,
}
"""By program."""
