"""Texts on which a regular expression may backtrack, made from the expression itself.

Backtracking takes long where a repeated part can be read in several ways, or where the search begins
anew at every place of a long run. Both need a text that repeats what a part of the expression takes,
behind what stands before that part, and an end at which the expression fails.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from re import _constants, _parser  # type: ignore[attr-defined]  # how Python itself reads them
from typing import Any, AnyStr

Run = Callable[[str], object]

_USUAL = "a0 .-_/:\t\n\"'A(,=#\\[<é"
_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_MANY = 16
"""A part that may be repeated as often counts as repeated without end."""

_SIZES = (4, 8, 12, 16, 24, 32, 64, 128, 512, 2048)
"""In small steps at first: what doubles with each letter takes for ever at forty."""

_FLOOR = 20_000
"""Nanoseconds below which a measurement says nothing."""

_LONG = 20_000_000
"""Nanoseconds behind which nothing is measured at twice the size."""

_LARGEST = 16_384

_STEEP = 1.5
"""The power of the size with which the time grows: 1 is linear, 2 quadratic."""


@dataclass(frozen=True, slots=True)
class Attack:
    """A text of any size: a beginning, a part that is repeated, an end."""

    start: str
    part: str
    end: str

    def text(self, size: int) -> str:
        return self.start + self.part * max(1, size // len(self.part)) + self.end


def superlinear(pattern: re.Pattern[Any], run: Run) -> Attack | None:
    """Return a text on which the time grows faster than its size, or None."""
    found = (attack for attack in attacks(pattern) if _grows(run, attack))
    return next(found, None)


def _grows(run: Run, attack: Attack) -> bool:
    before, size_before = 0, 0
    for size in _SIZES:
        took = _time(run, attack, size, 1)
        if before and took > _FLOOR and _steep(took / max(before, 1), size / size_before):
            return all(_confirmed(run, attack, size_before) for _ in range(3))
        before, size_before = took, size
    return False


def _confirmed(run: Run, attack: Attack, size: int) -> bool:
    """Whether it grows so up to the size at which it takes long: what is bounded ends to grow."""
    larger = _next(size)
    before, took = _time(run, attack, size, 3), _time(run, attack, larger, 3)
    while took < _LONG and larger < _LARGEST:
        size, larger = larger, _next(larger)
        before, took = took, _time(run, attack, larger, 3)
    return _steep(took / max(before, 1), larger / size)


def _next(size: int) -> int:
    return 2 * size if size >= 64 else size + 4


def _steep(growth: float, larger: float) -> bool:
    return bool(growth > larger**_STEEP)


def _time(run: Run, attack: Attack, size: int, times: int) -> int:
    """Return the least processor time, in nanoseconds."""
    text = attack.text(size)
    best = 0
    for n in range(times):
        started = time.thread_time_ns()
        run(text)
        took = time.thread_time_ns() - started
        best = took if n == 0 else min(best, took)
    return best


def attacks(pattern: re.Pattern[AnyStr]) -> Iterator[Attack]:
    """Yield texts for an expression; none for one that repeats nothing."""
    text = (
        pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    )
    flags = pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, str) else pattern.flags
    tree: Any = _parser.parse(text, flags)
    maker = _Maker("".join(dict.fromkeys([*list(_letters(tree))[:40], *_USUAL])))
    places: list[tuple[str, str]] = list(dict.fromkeys(maker.places(tree, "")))
    if not places:
        return
    whole = maker.sample(tree, 0)
    parts = [part for _, part in places]
    parts += [before + part * n for before, part in places for n in (1, 3)]
    parts += [f"{before}\n" for before, _ in places]
    parts += [whole, whole[:-1], f"{whole}\n", f"{whole[:-1]}\n", f"\n{whole}"]
    starts = list(dict.fromkeys(["", *(before for before, _ in places)]))
    for end in ("", "\0"):
        for before, part in places:
            yield Attack(before, part, end)
        for part in dict.fromkeys(filter(None, parts)):
            yield Attack("", part, end)
        for start in starts[:8]:
            for letter in maker.alphabet[:30]:
                yield Attack(start, letter, end)


def _letters(tree: Any) -> Iterator[str]:
    """Yield the letters that an expression names."""
    for kind, value in tree:
        if kind in {_constants.LITERAL, _constants.NOT_LITERAL}:
            yield chr(value)
        elif kind is _constants.IN:
            for inner, letter in value:
                if inner is _constants.LITERAL:
                    yield chr(letter)
                elif inner is _constants.RANGE:
                    yield chr(letter[0])
        else:
            for part in _parts(kind, value):
                yield from _letters(part)


def _parts(kind: Any, value: Any) -> list[Any]:
    """Return the expressions inside a node."""
    if kind is _constants.BRANCH:
        return list(value[1])
    if kind is _constants.SUBPATTERN:
        return [value[3]]
    if kind in _REPEATS:
        return [value[2]]
    if kind in {_constants.ASSERT, _constants.ASSERT_NOT}:
        return [value[1]]
    return [value] if kind is _constants.ATOMIC_GROUP else []


class _Maker:
    """Makes texts that parts of an expression take."""

    def __init__(self, alphabet: str) -> None:
        self.alphabet = alphabet
        self._groups: dict[int, str] = {}

    def places(self, tree: Any, before: str) -> Iterator[tuple[str, str]]:
        """Yield for each repeated part what stands before it, and what it may take."""
        for kind, value in tree:
            if kind in _REPEATS and value[1] >= _MANY:
                taken = {self.sample(value[2], n) for n in range(8)}
                yield from ((before, part) for part in sorted(taken) if part)
            for part in _parts(kind, value):
                yield from self.places(part, before)
            before += self.sample([(kind, value)], 0)

    def sample(self, tree: Any, n: int) -> str:
        """Return the `n`th text that an expression takes, as far as that is easily told."""
        return "".join(self._of(kind, value, n) for kind, value in tree)

    def _of(self, kind: Any, value: Any, n: int) -> str:  # noqa: PLR0911 - one return for each kind
        match kind:
            case _constants.LITERAL:
                return chr(value)
            case _constants.NOT_LITERAL:
                return next(letter for letter in self.alphabet if ord(letter) != value)
            case _constants.ANY:
                return "a" if n % 2 == 0 else self.alphabet[n % len(self.alphabet)]
            case _constants.IN:
                fitting = [letter for letter in self.alphabet if _takes(value, letter)] or ["\1"]
                return fitting[n % len(fitting)]
            case _constants.BRANCH:
                return self.sample(value[1][n % len(value[1])], n)
            case _constants.SUBPATTERN:
                text = self.sample(value[3], n)
                self._groups[value[0] or 0] = text
                return text
            case _constants.ATOMIC_GROUP:
                return self.sample(value, n)
            case _constants.GROUPREF:
                return str(self._groups.get(value, ""))
            case _ if kind in _REPEATS:
                fewest = value[0] if n % 2 else max(value[0], 1)
                return str(self.sample(value[2], n) * min(fewest, 100))
            case _:
                return ""


_CATEGORIES: dict[Any, str] = {
    _constants.CATEGORY_DIGIT: r"\d",
    _constants.CATEGORY_NOT_DIGIT: r"\D",
    _constants.CATEGORY_SPACE: r"\s",
    _constants.CATEGORY_NOT_SPACE: r"\S",
    _constants.CATEGORY_WORD: r"\w",
    _constants.CATEGORY_NOT_WORD: r"\W",
}


def _takes(items: Any, letter: str) -> bool:
    """Whether a set has a letter."""
    negated = items[0][0] is _constants.NEGATE
    for kind, value in items:
        if (
            (kind is _constants.LITERAL and value == ord(letter))
            or (kind is _constants.RANGE and value[0] <= ord(letter) <= value[1])
            or (kind is _constants.CATEGORY and re.match(_CATEGORIES[value], letter))
        ):
            return not negated
    return negated
