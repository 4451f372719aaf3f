"""Servers keep within what GitHub grants an installation together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
from pydantic import SecretStr

from bot.errors import GitHubError
from bot.github.github import GitHub
from bot.github.pace import OwnBook, Postponed, QuotaBook
from bot.github.refusals import GitHubRetries
from bot.model.quota import Quota, Urgency, WritePace
from bot.model.repository import Repo
from bot.storage.database import open_database
from bot.storage.github_quotas import GitHubQuotas
from tests.contract.databases import url
from tests.fakes.github import GitHubServer, GitHubState, Trouble

__all__ = ["url"]

QUICK = GitHubRetries(attempts=4, first_wait=0.01, longest_wait=600.0, timeout=60.0)
ACME = 7


@pytest.fixture
async def books(url: SecretStr) -> AsyncIterator[tuple[GitHubQuotas, GitHubQuotas]]:
    """The books of two servers that share a database."""
    async with AsyncExitStack() as stack:
        first, second = [
            GitHubQuotas(await stack.enter_async_context(await open_database(url)))
            for _ in range(2)
        ]
        yield first, second


async def test_what_one_server_learns_the_others_know(
    books: tuple[GitHubQuotas, GitHubQuotas],
) -> None:
    """Remaining requests and pauses, of that installation alone."""
    here, there = books
    await here.exchange(ACME, Quota(5000, 300, 900, paused_for=60))
    known = await there.exchange(ACME, Quota(5000, 400, 900))
    assert (known.allowed, known.remaining) == (5000, 300)
    assert 0 < known.paused_for <= 60
    assert 0 < known.resets_in <= 900
    assert await there.exchange(ACME + 1, Quota()) == Quota()


async def test_servers_take_turns_to_write(books: tuple[GitHubQuotas, GitHubQuotas]) -> None:
    """Two servers at once get each turn once; who can't wait that long takes none."""
    pace = WritePace(per_minute=1, burst=2)
    taken = await asyncio.gather(*(books[n % 2].reserve(ACME, pace, 1e6) for n in range(6)))
    turns = sorted(seconds for seconds in taken if seconds is not None)
    assert turns[:2] == [0.0, 0.0]
    assert [round(seconds / 60) for seconds in turns] == [0, 0, 1, 2, 3, 4]
    assert await books[0].reserve(ACME, pace, 10.0) is None
    assert await books[1].reserve(ACME + 1, pace, 10.0) == 0.0


async def test_servers_share_the_limit_of_creations(
    books: tuple[GitHubQuotas, GitHubQuotas],
) -> None:
    """A hundred at once; then edits still go, and what creates content waits for its turn."""
    pace = WritePace(per_minute=60, burst=1000)
    for n in range(100):
        assert await books[n % 2].reserve(ACME, pace, 0.0, creates=True) == 0.0
    assert await books[0].reserve(ACME, pace, 1.0, creates=True) is None
    assert await books[1].reserve(ACME, pace, 1.0) == 0.0


class Crowd:
    """Many repositories of one installation, and servers that work on them."""

    def __init__(self, root: Path, repositories: int) -> None:
        self.state = GitHubState(root)
        self.names = [f"acme/app{n}" for n in range(repositories)]
        for name in self.names:
            self.state.add_repository(name, {"README.md": "# App\n"}, roles={"ada": "admin"})
            self.state.open_issue(self.state.repositories[name], "ada", "Red", "It is red.")
        self.installation = self.state.install("acme").id

    def client(
        self,
        session: aiohttp.ClientSession,
        server: GitHubServer,
        book: QuotaBook,
        writes: WritePace,
        patience: GitHubRetries = QUICK,
    ) -> GitHub:
        """Return the client of one server."""
        return GitHub(
            session,
            app_id=str(self.state.app.id),
            private_key=SecretStr(self.state.app.private_key),
            api_url=server.api_url,
            web_url=server.web_url,
            patience=patience,
            quotas=book,
            writes=writes,
        )

    async def work(self, github: GitHub, name: str) -> int:
        """Do what a run does on its issue; return how many edits of progress were postponed."""
        repo, postponed = Repo(name, self.installation), 0
        mark = f"<!-- {name} -->"
        comment = await github.post_comment(repo, 1, f"On it. {mark}", mark)
        for n in range(5):
            try:
                await github.edit_comment(repo, comment, f"Step {n}. {mark}", Urgency.PROGRESS)
            except Postponed:
                postponed += 1
        await github.edit_comment(repo, comment, f"Done. {mark}")
        return postponed

    def done(self) -> int:
        """Return how many issues have one comment, and it is the last word."""
        issues = [self.state.repositories[name].issues[1] for name in self.names]
        return sum(
            [comment.body[:5] for comment in issue.comments] == ["Done."] for issue in issues
        )


@pytest.mark.parametrize("repositories", [24, pytest.param(500, marks=pytest.mark.exhaustive)])
async def test_a_release_that_breaks_everybody_bans_nobody(
    tmp_path: Path, repositories: int
) -> None:
    """Two servers work on all repositories of an installation at once, and no limit is met.

    GitHub's 80 changes a minute are 80 in two seconds here, and the pace is as much faster.
    """
    faster = 30
    crowd = Crowd(tmp_path / "github", repositories)
    crowd.state.writes_allowed = (80, 60 / faster)
    crowd.state.used[str(crowd.installation)] = -(10**6)  # the primary limit is another story
    writes = WritePace(per_minute=60 * faster)
    place = SecretStr(f"sqlite:///{tmp_path / 'shared.db'}")
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(GitHubServer(crowd.state))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        books = [
            GitHubQuotas(await stack.enter_async_context(await open_database(place, flushed=False)))
            for _ in range(2)
        ]
        clients = [crowd.client(session, server, book, writes) for book in books]
        under_way = asyncio.Semaphore(50)

        async def work(n: int, name: str) -> None:
            async with under_way:
                await crowd.work(clients[n % 2], name)

        await asyncio.gather(*(work(n, name) for n, name in enumerate(crowd.names)))
    assert crowd.state.refused_writes == 0
    assert crowd.done() == repositories


async def test_a_pause_is_kept_by_everybody(tmp_path: Path) -> None:
    """When GitHub tells one server to wait, the other asks nothing until then."""
    crowd = Crowd(tmp_path / "github", 1)
    repo = Repo(crowd.names[0], crowd.installation)
    place = SecretStr(f"sqlite:///{tmp_path / 'shared.db'}")
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(GitHubServer(crowd.state))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        books = [
            GitHubQuotas(await stack.enter_async_context(await open_database(place, flushed=False)))
            for _ in range(2)
        ]
        client, other = (crowd.client(session, server, book, WritePace()) for book in books)
        crowd.state.faults.add(Trouble.SECONDARY_LIMIT, path="^/repos", seconds=3000)
        with pytest.raises(GitHubError, match="rate limit blocks GET /repos/acme/app0 for another"):
            await client.facts(repo)
        asked = len(crowd.state.exchanges)
        with pytest.raises(Postponed, match="rate limit blocks GET /repos/acme/app0 for another"):
            await other.facts(repo)
    assert [exchange.path for exchange in crowd.state.exchanges][asked:] == []


async def test_progress_gives_way_when_requests_run_out(tmp_path: Path) -> None:
    """Of the last fifth of an hour's requests, none is spent on edits that the next one replaces."""
    crowd = Crowd(tmp_path / "github", 1)
    repo = Repo(crowd.names[0], crowd.installation)
    async with GitHubServer(crowd.state) as server, aiohttp.ClientSession() as session:
        hasty = replace(QUICK, longest_wait=1.0)  # less than any reset is away
        github = crowd.client(session, server, OwnBook(), WritePace(), hasty)
        comment = await github.post_comment(repo, 1, "On it. <!-- m -->", "<!-- m -->")
        crowd.state.used[str(crowd.installation)] = 4100
        await github.facts(repo)
        with pytest.raises(Postponed):
            await github.edit_comment(repo, comment, "Step 1.", Urgency.PROGRESS)
        await github.edit_comment(repo, comment, "Done.")
    assert crowd.state.repositories[crowd.names[0]].issues[1].comments[0].body == "Done."


async def test_who_asks_the_same_at_once_shares_the_answer(tmp_path: Path) -> None:
    """One request for many who ask, and a cancelled one does not take it from the others."""
    crowd = Crowd(tmp_path / "github", 1)
    repo = Repo(crowd.names[0], crowd.installation)
    async with GitHubServer(crowd.state) as server, aiohttp.ClientSession() as session:
        github = crowd.client(session, server, OwnBook(), WritePace())
        await github.facts(repo)
        before = len(crowd.state.exchanges)
        crowd.state.faults.latency = 0.05
        first, *rest = [asyncio.create_task(github.facts(repo)) for _ in range(6)]
        await asyncio.sleep(0)
        first.cancel()
        answers = await asyncio.gather(*rest)
        assert {answer.full_name for answer in answers} == {"acme/app0"}
        assert len(crowd.state.exchanges) == before + 1
        await github.facts(repo)
        assert len(crowd.state.exchanges) == before + 2
