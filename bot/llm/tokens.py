"""Count what a model call reads and writes."""

from __future__ import annotations

from dataclasses import dataclass

BYTES_PER_TOKEN = 3
"""Cautious estimate for JSON and code: current tokenizers make a token of three to four bytes."""


def estimate(size: int) -> int:
    """Return about how many tokens `size` bytes are; rather too many than too few."""
    return -(-size // BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """What one model call read and wrote.

    Attributes:
        input: Read at full price.
        output: Written, thinking included.
        cache_read: Read from the provider's cache.
        cache_write: Read at the price of writing them to the cache.
        known: False when the provider did not say; the counts are zero then.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    known: bool = True

    @property
    def prompt(self) -> int:
        """Everything that was read."""
        return self.input + self.cache_read + self.cache_write
