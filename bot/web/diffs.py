"""Show patches with their words coloured, as long as that takes next to nothing."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Coroutine, Sequence

from cachetools import LRUCache
from markupsafe import Markup

from bot.limited_process import Allowance, TooMuch, prepare, run_limited
from bot.web.shown_text import patch_lines

NEEDED = "bot.web.highlighting"
"""Takes half a second to import: a server never does, and the process apart does so once."""


def coloured(patches: Sequence[str]) -> tuple[str, ...]:
    """Return each patch as HTML; see `highlighted`."""
    from bot.web.highlighting import highlighted

    return highlighted(patches)


_ALLOWANCE = Allowance(seconds=2)
_LONGEST_PATCH = 60_000
_CACHED_CHARACTERS = 8_000_000

PATIENCE = 0.05


class Diffs:
    """Colours patches in a process apart, and remembers what it coloured."""

    def __init__(self, *, patience: float = PATIENCE) -> None:
        """Say how long a page waits.

        Args:
            patience: Seconds; what is coloured behind that is there when it is asked for again.
        """
        self._patience = patience
        self._known: LRUCache[bytes, Markup] = LRUCache(_CACHED_CHARACTERS, getsizeof=len)
        self._working: set[asyncio.Task[None]] = set()
        self._is_prepared = False

    def prepare(self) -> None:
        """Get ready for patches, while somebody looks at a page without any."""
        if not self._is_prepared:
            self._is_prepared = True
            self._begin(prepare(NEEDED))

    async def shown(self, patches: Sequence[str]) -> dict[str, Markup]:
        """Return each patch as HTML; one that takes too long has only its lines coloured."""
        wanted = [fromkey for fromkey in dict.fromkeys(patches) if _key(fromkey) not in self._known]
        short = tuple(name for name in wanted if len(name) <= _LONGEST_PATCH)
        if short:
            await asyncio.wait((self._begin(self._colour(short)),), timeout=self._patience)
        return {patch: self._known.get(_key(patch)) or patch_lines(patch) for patch in patches}

    def _begin(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._working.add(task)
        task.add_done_callback(self._working.discard)
        return task

    async def _colour(self, patches: tuple[str, ...]) -> None:
        try:
            done = await run_limited(coloured, patches, allowance=_ALLOWANCE, imports=NEEDED)
        except TooMuch:
            done = tuple(str(patch_lines(item)) for item in patches)
        for patch, html in zip(patches, done, strict=True):
            if len(html) < _CACHED_CHARACTERS:
                self._known[_key(patch)] = Markup(html)  # noqa: S704 - escaped there


def _key(patch: str) -> bytes:
    return hashlib.sha256(patch.encode("utf-8", "replace")).digest()
