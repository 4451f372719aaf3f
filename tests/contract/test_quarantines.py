"""Quarantines begin and end on GitHub: what is there is not made again, and what people end stays so."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest
from pydantic import SecretStr

from bot.config.repo_config import RepoConfig
from bot.errors import GitHubError
from bot.github.github import GitHub
from bot.github.refusals import GitHubRetries
from bot.model import Problem, Report
from bot.model.culprit import RunCounts
from bot.model.flaky import FlakyTest
from bot.model.quarantine import MarkKind, OwnerSource, QuarantineMark, QuarantineState
from bot.model.quota import WritePace
from bot.model.repository import Repo
from bot.model.request import FixRequest
from bot.runs.publishing.quarantine_ends import QuarantineEnds
from bot.runs.publishing.quarantines import Quarantines
from bot.runs.sources import Sources
from bot.runs.starting_state import Brief
from bot.storage.database import open_database
from bot.storage.quarantines import QuarantineStore
from bot.storage.runs import RunStore
from tests.contract.databases import url
from tests.fakes.github import GitHubServer, GitHubState, Issue, Repository
from tests.fakes.github.conformance import check_exchanges
from tests.fakes.github.faults import Trouble
from tests.unit.reports import FIXED

__all__ = ["url"]

PATH = "tests/test_shop.py"
TESTS = """\
import shop


def test_open():
    assert shop.open


def test_closed():
    assert not shop.open
"""
LATER = datetime.now(UTC) + timedelta(days=31)


@dataclass
class Desk:
    """A GitHub with a repository that has flaky tests, and what quarantines them."""

    state: GitHubState
    repository: Repository
    repo: Repo
    store: QuarantineStore
    quarantines: Quarantines
    ends: QuarantineEnds
    sources: Sources

    async def propose(self, run_id: str, *names: str) -> str:
        """A run has measured some tests; return what it notes of them."""
        git = self.repository.git
        head = git.resolve("main") or ""
        request = FixRequest(
            "acme/app",
            self.repo.installation_id,
            number=1,
            is_pull_request=False,
            actor="ada",
            comment_id=7,
            asked_at=LATER,
            repository_id=self.repo.id,
        )
        brief = Brief(Problem(), head, head, "main", is_fork=False, config=RepoConfig())
        checkout = self.sources.checkout(request, brief)
        return "\n".join((await self.quarantines.propose(
            self.repo, brief, self.report(run_id, head, names), checkout
        )).notes)  # fmt: skip

    def report(self, run_id: str, head: str, names: tuple[str, ...]) -> Report:
        digest = hashlib.sha256(TESTS.encode()).hexdigest()
        lines = {"test_open": (4, 5), "test_closed": (8, 9)}
        marks = tuple(
            QuarantineMark(
                FlakyTest(f"{PATH}::{name}", RunCounts(1, 3)), PATH, MarkKind.XFAIL, digest,
                *lines[name], runs=RunCounts(0, 4), suite="pytest",
            )
            for name in names
        )  # fmt: skip
        return replace(FIXED, run_id=run_id, head=head, notes=(), quarantine=marks)

    async def looks(self) -> None:
        """The end date is over."""
        await self.ends.look(LATER)

    def issues(self) -> list[Issue]:
        return [issue for issue in self.repository.issues.values() if issue.pull is None]

    def file(self, path: str = PATH, ref: str = "main") -> str | None:
        entry = self.repository.git.entry(ref, path)
        return self.repository.git.blob(entry.sha).decode() if entry else None

    def merge(self, *pulls: Issue) -> None:
        for pull in pulls:
            self.state.merge(pull, "ada")


@asynccontextmanager
async def open_desk(tmp_path: Path, url: SecretStr) -> AsyncIterator[Desk]:
    state = GitHubState(tmp_path / "github")
    files = {PATH: TESTS, "tests/test_other.py": "def test_nothing():\n    pass\n"}
    repository = state.add_repository("acme/app", files, roles={"ada": "admin"})
    installation = state.install("acme")
    patience = GitHubRetries(attempts=2, first_wait=0.01, longest_wait=60.0)
    async with (
        GitHubServer(state) as server,
        aiohttp.ClientSession() as session,
        await open_database(url) as database,
    ):
        github = GitHub(
            session,
            app_id=str(state.app.id),
            private_key=SecretStr(state.app.private_key),
            api_url=server.api_url,
            web_url=server.web_url,
            patience=patience,
            writes=WritePace(per_minute=1e6, burst=1000),
        )
        repo = Repo("acme/app", installation.id, repository.id)
        store = QuarantineStore(database)
        yield Desk(
            state, repository, repo, store, Quarantines(github, store),
            QuarantineEnds(github, store, RunStore(database)), Sources(github, tmp_path / "data", first_wait=None),
        )  # fmt: skip
    check_exchanges(state.exchanges)


async def test_two_tests_of_a_file(tmp_path: Path, url: SecretStr) -> None:
    """Each has an issue and pull requests of its own, by whoever wrote it; the file is as before then."""
    async with open_desk(tmp_path, url) as desk:
        said = await desk.propose("aaaa1111", "test_open", "test_closed")
        assert said.count("marks it") == 2, said
        assert [kept.owner and kept.owner.source for kept in await desk.store.of(desk.repo)] == [
            OwnerSource.BLAME, OwnerSource.BLAME
        ]  # fmt: skip
        marks = desk.repository.pulls()
        desk.merge(*marks)
        assert (desk.file() or "").count("@pytest.mark.xfail(") == 2
        for _ in marks:
            await desk.looks()
            [removal] = [pull for pull in desk.repository.pulls() if pull.state == "open"]
            desk.merge(removal)
        await desk.looks()
        assert [issue.state for issue in desk.issues()] == ["closed", "closed"]
        assert not await desk.store.of(desk.repo)
        assert desk.file() == TESTS


async def test_a_crash_in_between(tmp_path: Path, url: SecretStr) -> None:
    """What was made before is taken up, also where the default branch moved on meanwhile."""
    async with open_desk(tmp_path, url) as desk:
        for trouble, path in ((Trouble.BAD_GATEWAY, "/git/refs"), (Trouble.BAD_GATEWAY, "/pulls")):
            desk.state.faults.add(trouble, times=2, method="POST", path=f".*{path}$")
            with pytest.raises(GitHubError):
                await desk.propose("aaaa1111", "test_open")
            desk.state.push(desk.repository, "main", {f"{path.strip('/')}.txt": "x\n"})
        assert "marks it" in await desk.propose("aaaa1111", "test_open")
        assert "already in quarantine (#1)" in await desk.propose("bbbb2222", "test_open")
        assert (len(desk.issues()), len(desk.repository.pulls())) == (1, 1)


async def test_a_file_that_was_renamed(tmp_path: Path, url: SecretStr) -> None:
    """The mark is taken away where it is now, and what else was changed there stays."""
    async with open_desk(tmp_path, url) as desk:
        await desk.propose("aaaa1111", "test_open")
        [mark] = desk.repository.pulls()
        desk.merge(mark)
        moved = (desk.file() or "") + "\n\ndef test_new():\n    pass\n"
        desk.state.push(desk.repository, "main", {PATH: None, "tests/shop/test_doors.py": moved})
        await desk.looks()
        [removal] = [pull for pull in desk.repository.pulls() if pull is not mark]
        desk.merge(removal)
        assert desk.file("tests/shop/test_doors.py") == TESTS + "\n\ndef test_new():\n    pass\n"


@pytest.mark.parametrize("does", ["removes", "closes the issue", "closes", "never merges"])
async def test_people_end_it_first(tmp_path: Path, url: SecretStr, does: str) -> None:
    """Then there is nothing to say; a test that is measured again later has the issue that is open."""
    async with open_desk(tmp_path, url) as desk:
        await desk.propose("aaaa1111", "test_open")
        [mark], [issue] = desk.repository.pulls(), desk.issues()
        if does in {"removes", "closes the issue"}:
            desk.merge(mark)
        if does == "removes":
            desk.state.push(desk.repository, "main", {PATH: TESTS})
        if does == "closes the issue":
            issue.state = "closed"
        if does == "closes":
            mark.state = "closed"
        await desk.looks()
        assert len(desk.repository.pulls()) == 1
        assert mark.state == "closed"
        assert not issue.comments
        assert len(mark.comments) == (does == "never merges")
        assert not await desk.store.of(desk.repo)
        assert (
            "marks it" in await desk.propose("bbbb2222", "test_open") or does == "closes the issue"
        )
        again = issue.state == "open"
        assert (len(desk.issues()), len(issue.comments)) == ((1, 1) if again else (2, 0))


async def test_a_repair_ends_it(tmp_path: Path, url: SecretStr) -> None:
    """The day that it is merged, and no later."""
    async with open_desk(tmp_path, url) as desk:
        await desk.propose("aaaa1111", "test_open")
        [mark] = desk.repository.pulls()
        desk.merge(mark)
        now = datetime.now(UTC)
        assert await desk.store.repaired(desk.repo, ["tests.test_shop::test_open"], 9, now)
        await desk.ends.look(now)
        [removal] = [pull for pull in desk.repository.pulls() if pull is not mark]
        assert "#9 repaired it." in (removal.body or "")


async def test_what_cannot_be_marked_has_its_issue(tmp_path: Path, url: SecretStr) -> None:
    """A file that differs on the default branch is not changed; without permission, nothing stands in the way later."""
    async with open_desk(tmp_path, url) as desk:
        desk.state.push(desk.repository, "main", {PATH: TESTS + "\n"})
        assert await desk.propose("aaaa1111", "test_open")
        assert not desk.repository.pulls()
        [issue] = desk.issues()
        assert "other content than the one that was tested" in (issue.body or "")
        [kept] = await desk.store.of(desk.repo)
        assert (kept.kind, kept.state) == (None, QuarantineState.OPEN)
        desk.state.faults.add(Trouble.NOT_FOUND, times=5, method="POST", path="/issues$")
        assert "could not be put into quarantine" in await desk.propose("bbbb2222", "test_closed")
        assert len(await desk.store.of(desk.repo)) == 1
