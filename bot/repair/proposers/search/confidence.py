"""The probability that a patch is right which passes all tests: a logistic regression. Pure.

Fitted by `python -m bench.search.calibrate` on repairs whose outcome is known: the table
`bench/search/calibration.csv`. bench/README.md shows how it does on programs that it was not fitted on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from bot.model import Witnesses

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "": 2.9,
        "survivors": -0.46,
        "unseen": -2.6,
        "rivals": -1.13,
        "failing": 0.43,
        "rank": -0.21,
        "values": 0.07,
    }
)
"""What each feature adds to the log-odds; "" is what they begin with.

A feature speaks for a patch (`failing`) or against it (the others). Where the data say the opposite,
there is too little of it, and the weight is 0. `unseen` is a patch of a line that no passing test
runs, and of whose mutants less than half are caught, or with which half of what the failing
tests ran in its function is no longer run: hardly anything looks at it.
"""

FOR = frozenset({"failing", "values"})

_VALUES = 3
"""Different answers to different inputs from which a formula is hardly right by chance."""

LOOSE = 0.5
"""The most that is said of a patch which tests hold to few values."""


def features(seen: Witnesses) -> dict[str, float]:
    """Return what the regression looks at; counts as logarithms, for the first few say most.

    The part of the mutants that survive is drawn to a half, the more the fewer mutants there are.
    """
    survivors = seen.mutants - seen.caught
    return {
        "": 1.0,
        "survivors": (survivors + 0.5) / (seen.mutants + 1),
        "unseen": float(
            seen.passing == 0 and (_few(seen.caught, seen.mutants) or is_silencing(seen))
        ),
        "rivals": math.log1p(seen.rivals),
        "failing": math.log1p(seen.failing),
        "rank": math.log1p(seen.rank),
        "values": math.log1p(values(seen)),
    }


def is_silencing(seen: Witnesses) -> bool:
    """Whether a patch keeps half of what the failing tests ran in its function from running, or more."""
    return seen.silenced > 0 and 2 * seen.silenced >= seen.reached


def is_shifting(seen: Witnesses) -> bool:
    """Whether a patch answers most inputs differently, while tests hold it to a few values at most."""
    return 2 * seen.shifted > seen.compared and values(seen) < _VALUES


def is_loose(seen: Witnesses) -> bool:
    """Whether tests hold a patch to a few values at most, as far as values could be compared.

    Many parts of few answers count as values, unless the patch changes most answers.
    """
    known = seen.inputs or seen.compared
    few = max(values(seen), seen.answers) < _VALUES
    return bool(known) and (few or is_shifting(seen))


def values(seen: Witnesses) -> int:
    """Return how many different inputs hold a patch: one, where all have the same answer."""
    return seen.inputs if seen.answers > 1 else min(seen.inputs, 1)


def _few(some: int, of: int) -> bool:
    return not some or 2 * some < of


def probability(seen: Witnesses, weights: Mapping[str, float] = WEIGHTS) -> float:
    """Return how likely a patch with these witnesses is right: 0 to 1."""
    odds = sum(weights[name] * value for name, value in features(seen).items())
    right = 1 / (1 + math.exp(-odds))
    return min(right, LOOSE) if is_loose(seen) else right
