"""Show of a package index what it had at the moment of a run."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import datetime

from multidict import CIMultiDict

from sandbox.egress.listings import (
    MAY_LIST,
    Found,
    Listing,
    OneVersion,
    Page,
    Undated,
    to_ask_for,
)
from sandbox.egress.registry_answers import UpstreamResponse, begin
from sandbox.egress.registry_pages import PageQuestion, looked_into
from sandbox.egress.request import Wanted

_LOG = logging.getLogger(__name__)
_CONDITIONS = frozenset({"if-none-match", "if-modified-since"})
"""A client's copy may be of a page that nothing was left out of."""

_WHO_ASKS = "fixpoint"
"""Some indexes answer old clients with HTML alone, whatever these say that they accept."""

READING = frozenset({"GET", "HEAD"})
_OK = 200
_READ_AT_ONCE, _PARSED_AT_ONCE = 8, 2
"""Pages that are held in memory for one sandbox, and that are looked into, at a time."""

Asking = Callable[[Wanted], AbstractAsyncContextManager[UpstreamResponse]]


class DatedAnswers:
    """Leaves out of pages what was uploaded later.

    Args:
        before: The moment.
    """

    def __init__(self, before: datetime) -> None:
        self._before = before
        self._undated: dict[str, None] = {}
        self._parsing = asyncio.Semaphore(_PARSED_AT_ONCE)
        self.reading = asyncio.Semaphore(_READ_AT_ONCE)

    @property
    def undated(self) -> tuple[str, ...]:
        """The hosts that did not say when packages were uploaded."""
        return tuple(self._undated)

    def to_ask_with(self, wanted: Wanted, headers: Mapping[str, str]) -> CIMultiDict[str]:
        """Return a request's headers so that what is answered can be looked into."""
        asked = CIMultiDict(headers)
        if wanted.method not in READING:
            return asked
        for name in _CONDITIONS:
            asked.popall(name, None)
        asked["Accept"] = to_ask_for(headers.get("Accept", ""))
        packed = "gzip" in headers.get("Accept-Encoding", "")
        asked["Accept-Encoding"] = "gzip" if packed else "identity"
        asked["User-Agent"] = _WHO_ASKS
        return asked

    def may_list(self, wanted: Wanted, answer: UpstreamResponse) -> bool:
        """Whether an answer may list packages of which some are to be left out."""
        is_page = answer.status == _OK and answer.content_type in MAY_LIST
        return wanted.method in READING and is_page

    async def left_of(
        self, wanted: Wanted, accept: str, answer: UpstreamResponse, body: bytes, asking: Asking
    ) -> Listing | None:
        """Return what a client is shown in place of a page; None for the page itself.

        Args:
            wanted: What it asked for.
            accept: What it can read.
            answer: Of the index.
            body: Of that answer, or the beginning of one that is too large.
            asking: Asks the index for another page.
        """
        found = await self._look_into(wanted, answer, body, PageQuestion(accept, self._before))
        if isinstance(found, OneVersion):
            found = await self._one_version(replace(wanted, path=found.packument), found, asking)
        if isinstance(found, Undated):
            where = {"host": wanted.host, "path": wanted.path}
            _LOG.warning("a package index has no upload times", extra=where)
            self._undated[wanted.host] = None
            return found.listing
        return found

    async def _look_into(
        self, wanted: Wanted, answer: UpstreamResponse, body: bytes, question: PageQuestion
    ) -> Found:
        """Leave out of a page what is too new."""
        encoding = answer.headers.get("Content-Encoding", "")
        page = Page(body, answer.content_type, wanted.path, encoding)
        async with self._parsing:
            return await looked_into(page, question)

    async def _one_version(
        self, asked: Wanted, version: OneVersion, asking: Asking
    ) -> Listing | Undated:
        """Find a version in its packument, which says when each of them was published."""
        async with asking(asked) as answer:
            if not self.may_list(asked, answer):
                return Undated()
            body = await begin(answer)
            question = PageQuestion("", self._before, version.wanted)
            found = await self._look_into(asked, answer, body, question)
            return found if isinstance(found, Listing) else Undated()
