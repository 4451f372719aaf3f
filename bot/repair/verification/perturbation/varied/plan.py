"""Which values of a test are varied, and how: the same for all languages. Pure."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bot.repair.verification.perturbation.guarded_conditions import EACH
from bot.repair.verification.perturbation.varied.values import (
    ValuePlace,
    other_names,
    words_in,
)

_PLACES = 10
"""Values of a test that are varied."""

_WORDS = 6
"""Words and numbers in them that are varied, wherever they occur."""

_VARIANTS = 5
"""Variants of each of these, at least."""

_MOST_OFEACH = 14
"""Variants of each where there are few."""

_TRIES = 4
"""How many are made for each that is wanted: some come twice."""

MOST_VARIANTS = 60
"""Variants of a test."""

_SAME = "="
"""Front of a place that is a word or number, wherever it occurs in the test."""

_AT_ONCE = 8
"""Of these, for each one of every other place."""

_SEED = 20


@dataclass(frozen=True, slots=True)
class Variant:
    """A test with some of its values exchanged.

    Attributes:
        place: Which of them; nothing for the test as it is.
        number: Of the variant of that place.
        replaced: What stands where, by first byte and the one behind the last.
        is_common: Whether programs often have a case of their own for the value.
    """

    place: str = ""
    number: int = 0
    replaced: Mapping[tuple[int, int], str] = field(default_factory=dict)
    is_common: bool = False

    @property
    def label(self) -> str:
        """A name for it, the same on both trees."""
        return f"{self.place}:{self.number}"

    @property
    def written(self) -> list[str]:
        """The values that stand in it instead of the test's."""
        return [f"{start} {text}" for (start, _), text in sorted(self.replaced.items())]


def variants(
    places: Sequence[ValuePlace], first: Collection[ValuePlace] = (), most: int = MOST_VARIANTS
) -> list[Variant]:
    """Return variants of a test with these values; none comes twice.

    Args:
        places: The values.
        first: Those of them that are varied whatever else is.
        most: How many variants.
    """
    chance = random.Random(_SEED)  # noqa: S311 - no secret hangs on it
    preferred = [place for place in places if place in first]
    chosen = chance.sample(preferred, min(len(preferred), _PLACES))
    others = [place for place in places if place not in first]
    chosen += chance.sample(others, min(len(others), _PLACES - len(chosen)))
    known = words_in(preferred or list(places))
    some = ["", *chance.sample(known, min(len(known), _WORDS))] if known else []
    each = _PLACES * _VARIANTS // max(1, len(chosen) + len(some))
    each = max(_VARIANTS, min(_MOST_OFEACH, each))
    found: dict[tuple[tuple[tuple[int, int], str], ...], Variant] = {}
    counted: Counter[str] = Counter()
    for number in range(_TRIES * each):
        several = _of_each(places, number) if len(places) > _PLACES else ()
        for item in (
            *several,
            *_of_places(chosen, number),
            *_of_words(some, known, places, number),
        ):
            key = tuple(sorted(item.replaced.items()))
            limit = most // 2 if item.place == EACH else each
            if key and key not in found and counted[item.place] < limit and len(found) < most:
                found[key] = item
                counted[item.place] += 1
    return list(found.values())


def _of_places(places: Sequence[ValuePlace], number: int) -> Iterator[Variant]:
    for place in places:
        text = place.near(f"{_SEED}:{place.start}:{number}")
        replaced = {(place.start, place.end): text} if text else {}
        yield Variant(str(place.start), number, replaced, place.is_common)


def _of_each(places: Sequence[ValuePlace], number: int) -> Iterator[Variant]:
    """Yield variants in which each value is another one, those of lists aside."""
    plain = [place for place in places if not isinstance(place.value, tuple)]
    for item in range(number * _AT_ONCE, (number + 1) * _AT_ONCE):
        texts = {(at.start, at.end): at.near(f"{_SEED}:{at.start}:{item}:{EACH}") for at in plain}
        yield Variant(EACH, item, {at: text for at, text in texts.items() if text})


def _of_words(
    some: Sequence[str], known: list[str], places: Sequence[ValuePlace], number: int
) -> Iterator[Variant]:
    for word in some:
        names = other_names(word, known, f"{_SEED}:{number}")
        texts = {(place.start, place.end): place.renamed(names) for place in places}
        yield Variant(f"{_SAME}{word}", number, {at: text for at, text in texts.items() if text})
