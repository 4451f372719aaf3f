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
        "": 4.86,
        "survivors": 0.0,
        "unseen": -1.12,
        "alone": -2.25,
        "rivals": -1.14,
        "rank": -0.25,
        "vague": -1.58,
        "single": -1.43,
        "shift": -1.6,
    }
)
"""What each feature adds to the log-odds; "" is what they begin with.

All of them speak against a patch. Where the data say the opposite, there is too little of it, and
the weight is 0. In more code than a few functions, what the failing tests ask for can be had in many
places: `alone` is a patch there of a line that no passing test runs, `single` one that is vague. `unseen`
is a patch of such a line, in however little code, of whose mutants less than half are caught, or with
which half of what the failing tests ran in its function is no longer run.
"""

_FEW_LINES = 200
"""Of the files that failing tests run."""

_TOLD = 2
"""Different numbers and words in answers that a formula hardly gives by chance."""


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
        "alone": float(seen.passing == 0 and seen.lines > _FEW_LINES),
        "rivals": math.log1p(seen.rivals),
        "rank": math.log1p(seen.rank),
        "vague": is_vague(seen) * (2.0 if only_raised(seen) else 1.0),
        "single": float(is_vague(seen) and seen.lines > _FEW_LINES),
        "shift": shift(seen),
    }


def is_silencing(seen: Witnesses) -> bool:
    """Whether a patch keeps half of what the failing tests ran in its function from running, or more."""
    return seen.silenced > 0 and 2 * seen.silenced >= seen.reached


def is_vague(seen: Witnesses) -> bool:
    """Whether all answers that the patch changes, and tests check, say the same one thing at most.

    Whatever gives that one answer passes: a shifted formula, a constant, an early return. Where no
    answers could be compared, nothing is said.
    """
    return seen.outcomes < _TOLD


def only_raised(seen: Witnesses) -> bool:
    """Whether the faulty program raised on every input: then whatever does not raise passes too."""
    return seen.turned > 0 and not seen.compared


def shift(seen: Witnesses) -> float:
    """Return the part of all compared answers that a patch changes, if others do as well: 0 to 1."""
    ambiguous = seen.rivals + seen.neighbours > 0
    return seen.shifted / seen.compared if seen.compared and ambiguous else 0.0


def _few(some: int, of: int) -> bool:
    return not some or 2 * some < of


def probability(seen: Witnesses, weights: Mapping[str, float] = WEIGHTS) -> float:
    """Return how likely a patch with these witnesses is right: 0 to 1."""
    return likelihood(features(seen), weights)


def likelihood(seen: Mapping[str, float], weights: Mapping[str, float] = WEIGHTS) -> float:
    """Return the probability that weights give to features: 0 to 1."""
    return 1 / (1 + math.exp(-sum(weights[name] * value for name, value in seen.items())))
