"""Vectors of texts: like texts have like vectors. One kind needs nothing but this module."""

from __future__ import annotations

import math
import zlib
from array import array
from collections import Counter
from collections.abc import Sequence
from operator import mul
from typing import Protocol

from bot.model.search_words import search_words

_SIZE = 512
"""Numbers in a vector of hashed n-grams."""

_N = 3
_LARGEST = 127

Vector = bytes
"""Signed bytes, one for each number, scaled so that the largest is 127."""


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """What vectors can be compared with: those of another name mean something else."""
        ...

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Return a vector for each text, in order.

        Raises:
            ProviderError: When a service makes them and does not answer.
        """
        ...


class HashedNgrams:
    """Counts the words of a text and the three-letter parts of them, each at a place by its hash."""

    name = f"ngrams-{_SIZE}-{_N}"

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Return a vector for each text; nothing leaves this process."""
        return tuple(map(ngram_vector, texts))


def ngram_vector(text: str) -> Vector:
    """Return the vector of a text's words and their parts."""
    numbers = [0.0] * _SIZE
    for feature, count in Counter(_features(text)).items():
        digest = zlib.crc32(feature.encode())
        sign = 1.0 if digest & 0x80000000 else -1.0
        numbers[digest % _SIZE] += sign * math.sqrt(count)
    return scaled(numbers)


def _features(text: str) -> list[str]:
    found = []
    for word in search_words(text):
        found.append(f"={word}")
        padded = f"<{word}>"
        found.extend(padded[n : n + _N] for n in range(len(padded) - _N + 1))
    return found


def scaled(numbers: Sequence[float]) -> Vector:
    """Return numbers as a vector."""
    largest = max(map(abs, numbers), default=0.0)
    if not largest:
        return bytes(len(numbers))
    return array("b", (round(number * _LARGEST / largest) for number in numbers)).tobytes()


def likeness(vector: Vector, other: Vector) -> float:
    """Return the cosine of the angle between two vectors; 0 for those of different sizes."""
    if len(vector) != len(other):
        return 0.0
    a, b = memoryview(vector).cast("b"), memoryview(other).cast("b")
    length = math.sqrt(sum(map(mul, a, a)) * sum(map(mul, b, b)))
    return sum(map(mul, a, b)) / length if length else 0.0


def fused(*rankings: Sequence[int], most: int, constant: float = 60.0) -> list[int]:
    """Return one ranking of several: reciprocal rank fusion.

    https://plg.uwaterloo.ca/~gvcormac/cormacksigir09-rrf.pdf, which the constant is from.
    """
    scores: Counter[int] = Counter()
    for ranking in rankings:
        for place, number in enumerate(ranking, start=1):
            scores[number] += 1 / (constant + place)  # type: ignore[assignment]
    return [number for number, _ in scores.most_common(most)]
