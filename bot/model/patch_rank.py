"""How a passing patch stands beside those of the attempts that were made side by side with it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standing:
    """What was seen when passing patches of one batch were compared.

    Attributes:
        chosen: Whether this one was taken.
        why: Why, as the end of a sentence.
        inputs: Inputs near those of the tests on which the patches behave differently.
        agreed: Those on which this one does what most of the others do.
        tests: Runs of other attempts' new tests with its patch.
        passed: Those that passed.
    """

    chosen: bool
    why: str = ""
    inputs: int = 0
    agreed: int = 0
    tests: int = 0
    passed: int = 0
