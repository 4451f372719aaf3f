"""Formulas that turn who runs a line into how suspicious it is.

Sources: Abreu, Zoeteweij, van Gemund 2006 (Ochiai); Wong, Debroy, Gao, Li 2014 (DStar).
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Of one line: how many failing and passing tests run it, and do not."""

    failing: int
    passing: int
    failing_elsewhere: int

    @property
    def ochiai(self) -> float:
        """From 0 to 1: the cosine between running the line and failing."""
        product = (self.failing + self.failing_elsewhere) * (self.failing + self.passing)
        return self.failing / math.sqrt(product) if product else 0.0

    @property
    def dstar(self) -> float:
        """DStar with exponent 2, brought to 0..1: infinity, which it often is, becomes 1."""
        others = self.passing + self.failing_elsewhere
        return self.failing**2 / (self.failing**2 + others) if self.failing else 0.0

    @property
    def suspicion(self) -> float:
        """The mean of both: DStar trusts many failing tests more, Ochiai few passing ones."""
        return (self.ochiai + self.dstar) / 2
