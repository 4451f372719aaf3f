"""The queue of all servers: one order, no place taken twice, nothing lost between two servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

import pytest
from pydantic import SecretStr

from bot.model.fair_queue import ConcurrencyLimits
from bot.model.request import FixRequest
from bot.runs.admission import Admission
from bot.storage.database import Database, open_database
from bot.storage.run_queue import LetThrough, RunQueue
from bot.storage.runs import RunStatus, RunStore
from bot.storage.servers import ServerRow, ServerStore
from tests.contract.databases import url
from tests.contract.run_requests import REQUEST

__all__ = ["url"]


@dataclass
class Server:
    """One of several on a database."""

    id: str
    database: Database
    queue: RunQueue
    runs: RunStore

    async def ask(self, comment: int, **changes: int | str) -> FixRequest:
        """Store a request."""
        request = replace(REQUEST, comment_id=comment, number=comment, **changes)  # type: ignore[arg-type]
        await self.runs.create(request, "delivery")
        return request

    async def end(self, request: FixRequest) -> None:
        """End its run."""
        await self.runs.update(request.run_id, status=RunStatus.DONE)


@pytest.fixture
async def servers(url: SecretStr) -> AsyncIterator[list[Server]]:
    """Give two servers with two places each, where one installation may have three at once."""
    limits = ConcurrencyLimits(installation=3)
    async with AsyncExitStack() as stack:
        found = []
        for name in ("one", "two"):
            database = await stack.enter_async_context(await open_database(url))
            await ServerStore(database).join(ServerRow(name, "serve", "host", "1", "1"))
            found.append(Server(name, database, RunQueue(database, limits), RunStore(database)))
            await found[-1].queue.set_places(name, 2)
        yield found


def numbers(found: LetThrough) -> list[int | None]:
    """Return whose runs have a place now."""
    return [request.number for request in found.admitted]


async def test_servers_fill_their_places_together(servers: list[Server]) -> None:
    """Each run is let through once, whoever asks; limits hold for all of them together."""
    server, two = servers
    asked = [await server.ask(number) for number in range(1, 6)]
    other = await two.ask(9, installation_id=8, repository="small/one")
    both = await asyncio.gather(*(servers[n % 2].queue.let_through() for n in range(6)))
    taken = sorted(number for found in both for number in numbers(found) if number)
    assert taken == [1, 2, 3, 9]
    await two.end(other)
    assert numbers(await two.queue.let_through()) == []
    await server.end(asked[0])
    assert numbers(await two.queue.let_through()) == [4]
    places = await server.queue.positions()
    assert {run: at.place for run, at in places.items()} == {asked[4].run_id: 1}
    assert places[asked[4].run_id].seconds is not None


async def test_places_go_with_their_server(servers: list[Server]) -> None:
    """Of one that is no more, nothing is counted."""
    server, two = servers
    for number in range(1, 4):
        await server.ask(number, installation_id=number)
    await ServerStore(server.database).leave("two")
    assert len(numbers(await server.queue.let_through())) == 2
    await server.queue.set_places("one", 0)
    assert numbers(await two.queue.let_through()) == []


async def test_who_is_being_told_does_not_begin(servers: list[Server]) -> None:
    """Else a position could be written over the progress of a run."""
    server, two = servers
    request = await server.ask(1)
    [untold] = await server.queue.untold()
    assert (untold.position.place, untold.told) == (1, None)
    assert await server.queue.begin_telling(request.run_id, 600)
    assert not await two.queue.begin_telling(request.run_id, 600)
    assert numbers(await two.queue.let_through()) == []
    await server.queue.told(request.run_id, "next")
    assert [again.told for again in await two.queue.untold()] == ["next"]
    assert numbers(await two.queue.let_through()) == [1]
    assert not await server.queue.begin_telling(request.run_id, 600)


async def test_a_stopped_run_leaves_the_queue(servers: list[Server]) -> None:
    """Without a place, and once."""
    server, two = servers
    await server.queue.set_places("one", 0)
    await server.queue.set_places("two", 0)
    request = await server.ask(1)
    await two.runs.request_stop(request.run_id)
    assert (await server.queue.let_through()).withdrawn == (request,)
    assert await two.queue.let_through() == LetThrough()
    assert (await two.queue.left_over()).withdrawn == (request,)


class Engine:
    """Starts runs, unless it is down."""

    def __init__(self) -> None:
        self.started: list[int | None] = []

    async def start(self, request: FixRequest) -> None:
        """Note the run."""
        self.started.append(request.number)

    async def end_withdrawn(self, request: FixRequest) -> None:
        """Note its end."""
        self.started.append(-(request.number or 0))


async def test_what_a_server_let_through_and_did_not_start_others_start(
    servers: list[Server],
) -> None:
    """It ended between the two; what waits is not started by that."""
    server, two = servers
    for number in range(1, 6):
        await server.ask(number, installation_id=number)
    await server.queue.let_through()
    engine = Engine()
    await Admission(two.queue, engine).resume()
    assert sorted(number for number in engine.started if number) == [1, 2, 3, 4]
