"""A prompt cache as the providers have it: what was sent before need not be read again."""

from __future__ import annotations

import marshal
from collections.abc import Collection, Sequence
from hashlib import blake2b
from typing import Any

from tests.fakes.model.steps import Counts

_BYTES_PER_TOKEN = 4


class PromptCache:
    """Remembers prefixes by their digest, from breakpoint to breakpoint, for ever."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def count(self, segments: Sequence[Any], breakpoints: Collection[int]) -> Counts:
        """Return the prompt's tokens by price, and remember the prefixes that end in breakpoints.

        Args:
            segments: JSON values: tools, system, content blocks, in the API's order.
            breakpoints: Indexes of the segments behind which the caller wants a prefix kept.
        """
        digest = blake2b(digest_size=16)
        total = known = kept = 0
        for i, segment in enumerate(segments):
            # Version 2 of the format gives equal values equal bytes, and costs a tenth of JSON.
            data = marshal.dumps(segment, 2)
            digest.update(data)
            total += 1 + len(data) // _BYTES_PER_TOKEN
            prefix = digest.digest()
            if prefix in self._known:
                known = total
            if i in breakpoints:
                self._known.add(prefix)
                kept = total
        written = max(kept - known, 0)
        return Counts(input=total - known - written, cache_read=known, cache_write=written)
