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
        "": 11.02,
        "survivors": 0.0,
        "rivals": -0.76,
        "share": 0.35,
        "failing": 0.07,
        "rank": -0.98,
        "lines": -1.11,
    }
)
"""What each feature adds to the log-odds; "" is what they begin with.

A feature speaks for a patch (`share`, `failing`) or against it (the others). Where the data say the
opposite, there is too little of it, and the weight is 0.
"""

FOR = frozenset({"share", "failing"})


def features(seen: Witnesses) -> dict[str, float]:
    """Return what the regression looks at; counts as logarithms, for the first few say most.

    The part of the mutants that survive is drawn to a half, the more the fewer mutants there are.
    """
    survivors = seen.mutants - seen.caught
    return {
        "": 1.0,
        "survivors": (survivors + 0.5) / (seen.mutants + 1),
        "rivals": math.log1p(seen.rivals),
        "share": seen.share,
        "failing": math.log1p(seen.failing),
        "rank": math.log1p(seen.rank),
        "lines": math.log1p(seen.lines),
    }


def probability(seen: Witnesses, weights: Mapping[str, float] = WEIGHTS) -> float:
    """Return how likely a patch with these witnesses is right: 0 to 1."""
    odds = sum(weights[name] * value for name, value in features(seen).items())
    return 1 / (1 + math.exp(-odds))
