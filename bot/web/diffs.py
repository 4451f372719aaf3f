"""Show patches with their words coloured, as long as that takes next to nothing."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence

from cachetools import LRUCache
from markupsafe import Markup

from bot.apart import Allowance, TooMuch, apart
from bot.web.shown_text import patch_lines

_ALLOWANCE = Allowance(seconds=2)
_LONGEST_PATCH = 60_000
_CACHED_CHARACTERS = 8_000_000

PATIENCE = 0.5
FIRST_PATIENCE = 5.0


class Diffs:
    """Colours patches in a process apart, and remembers what it coloured."""

    def __init__(self, *, patience: float = PATIENCE, first: float = FIRST_PATIENCE) -> None:
        """Say how long a page waits.

        Args:
            patience: Seconds; what is coloured behind that is there when it is asked for again.
            first: The same for the first page, for which all patterns have to be compiled.
        """
        self._patience = patience
        self._first = first
        self._known: LRUCache[bytes, Markup] = LRUCache(_CACHED_CHARACTERS, getsizeof=len)
        self._working: set[asyncio.Task[None]] = set()

    async def shown(self, patches: Sequence[str]) -> dict[str, Markup]:
        """Return each patch as HTML; one that takes too long has only its lines coloured."""
        wanted = [one for one in dict.fromkeys(patches) if _key(one) not in self._known]
        short = tuple(one for one in wanted if len(one) <= _LONGEST_PATCH)
        if short:
            task = asyncio.create_task(self._colour(short))
            self._working.add(task)
            task.add_done_callback(self._working.discard)
            patience = self._patience if self._known else self._first
            await asyncio.wait((task,), timeout=patience)
        return {one: self._known.get(_key(one)) or patch_lines(one) for one in patches}

    async def _colour(self, patches: tuple[str, ...]) -> None:
        work = await asyncio.to_thread(_imported)
        try:
            done = await apart(work, patches, allowance=_ALLOWANCE)
        except TooMuch:
            done = tuple(str(patch_lines(one)) for one in patches)
        for patch, html in zip(patches, done, strict=True):
            if len(html) < _CACHED_CHARACTERS:
                self._known[_key(patch)] = Markup(html)  # noqa: S704 - escaped there


def _imported() -> Callable[[Sequence[str]], tuple[str, ...]]:
    """Return the function that colours, whose module takes a while to import."""
    from bot.web.highlighting import highlighted

    return highlighted


def _key(patch: str) -> bytes:
    return hashlib.sha256(patch.encode("utf-8", "replace")).digest()
