"""What the tables of watched commits, switches, stops, merge queues, results of tests and broken releases promise, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from bot.model.culprit import KnownRelease
from bot.model.merge_group import QueueEntry
from bot.model.repository import Repo
from bot.model.seen_tests import HERE, SeenResult
from bot.storage.automatic_runs import SwitchStore
from bot.storage.broken_releases import BrokenReleaseStore
from bot.storage.commits import CommitState, CommitStore, WatchedCommit
from bot.storage.database import Database, open_database
from bot.storage.queue_entries import QueueEntryStore
from bot.storage.seen_tests import SeenTestStore
from bot.storage.stops import StopStore
from tests.contract.databases import url

__all__ = ["url"]  # a fixture: pytest finds it by name

REPO = Repo("Octo/Widgets", 7, 70)
TAKEN = Repo("Octo/Widgets", 7, 71)
"""Another repository, which has the name now."""

SHA = "a" * 40
OTHER = "b" * 40
SOON = timedelta(seconds=1)


@pytest.fixture
async def database(url: SecretStr) -> AsyncIterator[Database]:
    """Open an empty database."""
    async with await open_database(url) as opened:
        yield opened


async def only(store: CommitStore) -> WatchedCommit:
    """Return the one commit that is due."""
    [commit] = await store.due(datetime.now(UTC) + SOON)
    return commit


async def test_many_webhooks_of_a_commit_are_one_row(database: Database) -> None:
    """Whatever the repository is called, and whatever the webhooks say besides."""
    store = CommitStore(database)
    for name in ("Octo/Widgets", "octo/tools"):
        await store.failed(Repo(name, 7, 70), SHA, "main")
    commit = await only(store)
    assert (commit.repo, commit.sha, commit.branch) == (REPO, SHA, "main")
    assert (commit.state, commit.changes, commit.looks) == (CommitState.WAITING, 1, 0)


async def test_the_earliest_is_due_first_and_the_rest_when_its_time_comes(
    database: Database,
) -> None:
    """A commit that waits does so in the database, not in a process."""
    store = CommitStore(database)
    await store.failed(REPO, SHA, "main")
    later = datetime.now(UTC) + timedelta(hours=1)
    await store.wait(await only(store), later, "other checks still run")
    await store.failed(REPO, OTHER, "main")
    assert (await only(store)).sha == OTHER
    both = await store.due(later + SOON)
    assert [commit.sha for commit in both] == [OTHER, SHA]
    assert both[1].looks == 1
    await store.decided(await only(store), CommitState.PASSED_BY, "nothing failed")
    assert await store.due(datetime.now(UTC) + SOON) == ()
    following = await store.next_due()
    assert following is not None
    assert abs(following - later) < timedelta(milliseconds=1)


async def test_news_that_come_during_a_look_are_not_lost(database: Database) -> None:
    """A decision made without them does not hold: the commit is due still."""
    store = CommitStore(database)
    await store.failed(REPO, SHA, "main")
    looked_at = await only(store)
    await store.failed(REPO, SHA, "main")
    await store.decided(looked_at, CommitState.PASSED_BY, "nothing failed")
    await store.wait(looked_at, datetime.now(UTC) + timedelta(hours=1), "others run")
    assert (await only(store)).note == ""


async def test_a_commit_that_had_its_run_waits_for_persons_only(database: Database) -> None:
    """Another failure brings nothing; a button does, and names who pressed it."""
    store = CommitStore(database)
    await store.failed(REPO, SHA, "main")
    await store.decided(await only(store), CommitState.STARTED, "run 1")
    await store.failed(REPO, SHA, "main")
    await store.reconsider(REPO, SHA)
    assert await store.due(datetime.now(UTC) + SOON) == ()
    await store.ask(REPO, SHA, "main", "wes", only_explains=True)
    assert (await only(store)).only_explains
    await store.ask(REPO, SHA, "main", "wes")
    commit = await only(store)
    assert (commit.asked_by, commit.only_explains) == ("wes", False)
    await store.decided(commit, CommitState.STARTED, "run 2")
    known = await store.get(REPO, SHA)
    assert known is not None
    assert (known.asked_by, known.note) == ("", "run 2")


async def test_a_commit_that_was_passed_by_gets_another_look(database: Database) -> None:
    """By a label, or by another failure; a commit that nobody heard of does not."""
    store = CommitStore(database)
    await store.reconsider(REPO, OTHER)
    assert await store.next_due() is None
    await store.failed(REPO, SHA, "main")
    await store.decided(await only(store), CommitState.PASSED_BY, "a draft")
    await store.reconsider(REPO, SHA)
    await store.decided(await only(store), CommitState.PASSED_BY, "a draft")
    await store.failed(REPO, SHA, "main")
    assert (await only(store)).looks == 0


async def test_a_published_commit_names_its_run(database: Database) -> None:
    """Also where the failure of one of its checks was heard of before."""
    store = CommitStore(database)
    await store.published(REPO, SHA, "fixpoint/1", "run1", datetime.now(UTC))
    assert (await only(store)).published_by == "run1"
    await store.failed(REPO, OTHER, "fixpoint/2")
    await store.published(REPO, OTHER, "fixpoint/2", "run2", datetime.now(UTC))
    known = await store.get(REPO, OTHER)
    assert known is not None
    assert known.published_by == "run2"


async def test_a_switch_is_what_was_said_last(database: Database) -> None:
    """Each pull request has its own, and none until somebody says it."""
    store = SwitchStore(database)
    await store.set(REPO, 7, "ada", on=True)
    await store.set(replace(REPO, full_name="Octo/Tools"), 7, "wes", on=False)
    assert await store.get(REPO, 7) is False
    assert await store.get(REPO, 8) is None
    assert await store.get(TAKEN, 7) is None


async def test_what_an_owner_did_about_a_release_stays_with_the_owner(database: Database) -> None:
    """Everybody learns which release broke something; what was followed is kept until more is known.

    Whoever has the owner's login next is another owner.
    """
    store = BrokenReleaseStore(database)
    followed = (("moody.feeling", "moody.longest"),)
    other, next_one = (replace(REPO, installation_id=REPO.installation_id + n) for n in (1, 2))
    await store.keep(REPO, KnownRelease("moody", "1.1", "2.0", followed))
    await store.keep(replace(REPO, id=5), KnownRelease("moody", "1.1", "2.0"))
    await store.keep(other, KnownRelease("young", "1.0", "1.1", (("young.a", "young.b"),)))
    await store.keep(other, KnownRelease("x" * 101, "1.0", "1.1"))
    young = KnownRelease("young", "1.0", "1.1")
    assert await store.known(REPO) == (KnownRelease("moody", "1.1", "2.0", followed), young)
    assert set(await store.known(next_one)) == {KnownRelease("moody", "1.1", "2.0"), young}


async def test_decided_commits_are_thrown_away_in_time(database: Database) -> None:
    """Those that still wait are kept, however old."""
    store = CommitStore(database)
    for sha in (SHA, OTHER):
        await store.failed(REPO, sha, "main")
    known = await store.get(REPO, SHA)
    assert known is not None
    await store.decided(known, CommitState.STARTED, "run 1")
    assert await store.prune(known.first_at) == 0
    assert await store.prune(datetime.now(UTC) + SOON) == 1
    assert (await only(store)).sha == OTHER


async def test_the_last_stop_of_a_thread_is_known(database: Database) -> None:
    """In whatever order they come; of two in the same second, the later comment."""
    store = StopStore(database)
    at = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
    assert await store.last(REPO, 3) is None
    for moment, comment in ((at, 7), (at, 9), (at, 8), (at - SOON, 10)):
        await store.note(REPO, 3, moment, comment)
    assert await store.last(REPO, 3) == (at, 9)
    assert await store.last(REPO, 4) is None
    assert await store.last(TAKEN, 3) is None
    await store.note(REPO, 3, at + SOON, 2)
    assert await store.last(REPO, 3) == (at + SOON, 2)


async def test_heads_of_a_merge_queue_are_kept_for_a_while(database: Database) -> None:
    """Each with what it was added to, apart from other queues and repositories."""
    store = QueueEntryStore(database)
    first, second = QueueEntry(4, SHA, OTHER), QueueEntry(5, OTHER, "c" * 40)
    for entry in (first, second, second):
        await store.add(REPO, "main", entry)
    await store.add(REPO, "next", QueueEntry(6, SHA, "d" * 40))
    await store.add(TAKEN, "main", first)
    assert set(await store.of_branch(REPO, "main")) == {first, second}
    assert [await store.base_of(REPO, head) for head in (OTHER, "d" * 40, SHA)] == [
        "main",
        "next",
        "",
    ]
    assert await store.prune(datetime.now(UTC) - SOON) == 0
    assert await store.prune(datetime.now(UTC) + SOON) == 4
    assert await store.of_branch(REPO, "main") == ()


async def test_how_tests_ended_is_kept_of_those_that_failed(database: Database) -> None:
    """A pass counts once its test was seen failing; each commit and place once; for a while."""
    store, now = SeenTestStore(database), datetime.now(UTC)
    passed = SeenResult("t::a", SHA, "main", None, HERE, failed=False, message="", seen_at=now)
    failed = replace(passed, commit=OTHER, where="test", failed=True, message="No.", pull=7)
    await store.keep(REPO, [passed])
    assert await store.of(REPO) == ()
    for _ in range(2):
        await store.keep(REPO, [failed, replace(passed, test="t::b")])
    await store.keep(REPO, [passed])
    assert set(await store.of(REPO)) == {failed, passed}
    assert set(await store.of(REPO, ["t::a"])) == {failed, passed}
    assert await store.of(REPO, ["t::b"]) == await store.of(TAKEN) == ()
    assert await store.prune(now - SOON) == 0
    assert await store.forget(REPO) == 1
    assert await store.of(REPO) == ()
