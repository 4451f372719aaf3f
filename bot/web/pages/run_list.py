"""The page of all runs, which says so when it is stale."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from urllib.parse import urlencode

from aiohttp import web

from bot.model import Verdict
from bot.storage.events import EventStore
from bot.storage.run_lists import RunLists, RunPageOf, RunQuery
from bot.storage.runs import RunStatus
from bot.web.api.run_operations import run_query
from bot.web.caller import CALLER, Scope
from bot.web.health import ServiceHealth
from bot.web.pages.frame import Context, Frame
from bot.web.streams import PULSE_SECONDS, pulse, send, stream

_PAUSE_SECONDS = 0.25
"""Between two times that a list of runs is told to be stale."""


_MOST_HELD_UP = 20
"""Runs in the queue, or that wait for a person, shown above the list."""


class RunListPage:
    """Answers with runs, the youngest first."""

    def __init__(
        self, frame: Frame, lists: RunLists, events: EventStore, health: ServiceHealth
    ) -> None:
        self._frame = frame
        self._lists = lists
        self._events = events
        self._health = health

    async def show(self, request: web.Request) -> web.Response:
        """List runs."""
        query = run_query(request, of_form=True)
        page, places, standing, queued, waiting = await asyncio.gather(
            self._lists.page(query),
            self._lists.queue(),
            self._lists.by_status(query.among),
            self._lists.next_in_queue(_MOST_HELD_UP, query.among),
            self._lists.page(_waiting(query)),
        )
        looks_at_all = query == RunQuery(limit=query.limit, among=query.among)
        context = {
            "page": page,
            "query": query,
            "places": places,
            "queued": queued if looks_at_all else (),
            "waiting": waiting.runs if looks_at_all else (),
            "runs_at_once": self._health.runs_at_once(),
            "held_back": self._health.holds_back(),
            "standing": {status.value: standing.get(status, 0) for status in RunStatus},
            "statuses": [runstatu.value for runstatu in RunStatus],
            "verdicts": [verdict.value.replace(" ", "_") for verdict in Verdict],
            "chosen_verdict": query.verdict.replace(" ", "_") if query.verdict else "",
            **_neighbours(request, query, page),
        }
        return self._frame.page(request, "runs.html", "Runs", context)

    async def live(self, request: web.Request) -> web.StreamResponse:
        """Tell, as it happens, that the list of runs is stale."""
        request[CALLER].demand(Scope.READ)
        async with stream(request) as response:
            with self._events.signals.heard() as news:
                while True:
                    news.clear()
                    try:
                        async with asyncio.timeout(PULSE_SECONDS):
                            await news.wait()
                    except TimeoutError:
                        await pulse(response)
                        continue
                    await send(response, {}, event="stale")
                    await asyncio.sleep(_PAUSE_SECONDS)
        return response


def _waiting(query: RunQuery) -> RunQuery:
    """Return what finds the runs that wait for a person, whatever else is looked for."""
    return RunQuery(
        status=RunStatus.WAITING, limit=_MOST_HELD_UP, among=query.among, oldest_first=True
    )


def _neighbours(request: web.Request, query: RunQuery, page: RunPageOf) -> Context:
    """Return the addresses of the pages of younger and older runs."""
    wanted = {name: value for name, value in request.query.items() if name != "offset"}
    end = query.offset + len(page.runs)
    return {
        "younger": _offset(wanted, query.offset - query.limit) if query.offset else None,
        "older": _offset(wanted, query.offset + query.limit) if end < page.total else None,
    }


def _offset(wanted: Mapping[str, str], offset: int) -> str:
    return "/?" + urlencode({**wanted, "offset": str(max(0, offset))})
