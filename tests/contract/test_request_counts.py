"""All servers count the requests of a caller together, on SQLite and on PostgreSQL."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from bot.storage.database import open_database
from bot.storage.request_counts import RequestCounts
from bot.web.problems import ApiProblem
from bot.web.rates import RateLimits
from tests.contract.databases import url

__all__ = ["url"]  # a fixture: pytest finds it by name


async def test_servers_share_what_a_caller_may_send(url: SecretStr) -> None:
    """Whichever server is asked, a minute's requests are those of all; the next minute is new."""
    now = 120.0
    async with await open_database(url) as one, await open_database(url) as other:
        servers = [
            RateLimits(100, RequestCounts(database), clock=lambda: now) for database in (one, other)
        ]

        async def answered() -> int:
            found = 0
            for number in range(150):
                try:
                    await servers[number % 2].count("key ci")
                except ApiProblem:
                    continue
                found += 1
            return found

        assert await answered() == 100
        assert (await servers[0].count("key other"))["RateLimit"].startswith('"default";r=99;')
        now = 180.0
        assert await answered() == 100


async def test_a_server_whose_clock_is_behind_does_not_begin_a_minute_again(url: SecretStr) -> None:
    """What is taken in the later minute stays taken."""
    async with await open_database(url) as database:
        counts = RequestCounts(database)
        assert await counts.take("a", 7, 60, 100) == (60, 40)
        assert await counts.take("a", 6, 60, 100) == (40, 0)
        assert await counts.take("a", 7, 60, 100) == (0, 0)
        assert await counts.take("a", 8, 60, 100) == (60, 40)


@pytest.mark.parametrize("wanted", [1, 7])
async def test_no_more_is_given_than_there_is(url: SecretStr, wanted: int) -> None:
    """However it is asked for."""
    async with await open_database(url) as database:
        counts = RequestCounts(database)
        given = [(await counts.take("a", 1, wanted, 10))[0] for _ in range(12)]
        assert sum(given) == 10
