"""Tokens of model calls and their price: the one value that errors carry, too."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more model calls, and their price.

    Attributes:
        input: Tokens read at full price.
        output: Tokens written, thinking included.
        cache_read: Tokens read from the provider's cache.
        cache_write: Tokens written to it.
        cost_usd: None when a price is unknown; never zero for a call that was not free.
        calls: How many model calls these are.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost_usd: Decimal | None = Decimal(0)
    calls: int = 0

    @property
    def tokens(self) -> int:
        """All tokens, whatever their price."""
        return self.input + self.output + self.cache_read + self.cache_write

    def __sub__(self, other: Usage) -> Usage:
        """Return what was used after `other`, which is a part of it."""
        cost = None
        if self.cost_usd is not None and other.cost_usd is not None:
            cost = self.cost_usd - other.cost_usd
        return Usage(
            input=self.input - other.input,
            output=self.output - other.output,
            cache_read=self.cache_read - other.cache_read,
            cache_write=self.cache_write - other.cache_write,
            cost_usd=cost,
            calls=self.calls - other.calls,
        )

    def __add__(self, other: Usage) -> Usage:
        """Return the sum; an unknown cost makes the sum's cost unknown."""
        unknown = self.cost_usd is None or other.cost_usd is None
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            cost_usd=None
            if unknown
            else (self.cost_usd or Decimal(0)) + (other.cost_usd or Decimal(0)),
            calls=self.calls + other.calls,
        )
