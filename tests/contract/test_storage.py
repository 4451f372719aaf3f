"""What the stores promise, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy import Connection, text

from bot.errors import StorageError, UsageError
from bot.model import (
    Attempt,
    Cause,
    Failure,
    Observation,
    Patch,
    Problem,
    Proposal,
    Report,
    Reproduction,
    Usage,
    Verdict,
    Verification,
)
from bot.model.questions import PATCH, question_key
from bot.model.repository import Repo
from bot.model.request import Effort, Options
from bot.storage.approvals import ApprovalAnswer, ApprovalStore
from bot.storage.database import Database, open_database
from bot.storage.deliveries import MAX_ATTEMPTS, DeliveryState, DeliveryStore
from bot.storage.journal import Journal
from bot.storage.runs import RunStatus, RunStore
from bot.storage.steps_database import steps_database
from tests.contract.databases import url
from tests.contract.run_requests import REQUEST as PLAIN

__all__ = ["url"]  # a fixture: pytest finds it by name

REQUEST = replace(
    PLAIN,
    instructions="keep the public API",
    options=Options(attempts=2, budget_usd=Decimal("0.50"), effort=Effort.HIGH, draft=False),
)


@pytest.fixture
async def database(url: SecretStr) -> AsyncIterator[Database]:
    """Open an empty database."""
    async with await open_database(url) as opened:
        yield opened


async def test_a_delivery_is_kept_as_it_came(database: Database) -> None:
    """Bytes, event and an aware UTC time come back as they were given."""
    store = DeliveryStore(database)
    before = datetime.now(UTC)

    assert await store.add("guid-1", "issue_comment", b'\x00\xff{"a": 1}')

    [delivery] = await store.pending()
    assert (delivery.id, delivery.event, delivery.payload) == (
        "guid-1",
        "issue_comment",
        b'\x00\xff{"a": 1}',
    )
    assert before - timedelta(milliseconds=1) <= delivery.received_at <= datetime.now(UTC)
    assert delivery.received_at.tzinfo is UTC


async def test_the_same_delivery_twice_is_one(database: Database) -> None:
    """A second delivery of the same id is not new and changes nothing, even when it was done."""
    store = DeliveryStore(database)
    assert await store.add("guid-1", "issue_comment", b"first")
    await store.done("guid-1", "accepted")

    assert not await store.add("guid-1", "issue_comment", b"second")

    delivery = await store.get("guid-1")
    assert delivery is not None
    assert (delivery.payload, delivery.state) == (b"first", DeliveryState.DONE)


async def test_concurrent_duplicates_are_new_once(database: Database) -> None:
    """Of many simultaneous adds of one id, in one shared transaction, exactly one is new."""
    store = DeliveryStore(database)
    added = await asyncio.gather(*(store.add(f"guid-{n % 5}", "ping", b"") for n in range(50)))
    assert sum(added) == 5
    assert len(await store.pending()) == 5


async def test_pending_deliveries_come_oldest_first(database: Database) -> None:
    """Work is taken in the order of arrival, a page at a time, and what is done is left out."""
    store = DeliveryStore(database)
    for name in ("a", "b", "c", "d"):
        await store.add(name, "issue_comment", b"")
    await store.done("b", "ignored")
    assert [delivery.id for delivery in await store.pending(limit=2)] == ["a", "c"]


async def test_a_delivery_that_keeps_failing_is_parked(database: Database) -> None:
    """After five failures it is no longer pending, but still there with its payload and reason."""
    store = DeliveryStore(database)
    await store.add("guid-1", "issue_comment", b"payload")

    parked = [await store.failed("guid-1", f"try {n}") for n in range(MAX_ATTEMPTS)]

    assert parked == [False, False, False, False, True]
    assert await store.pending() == ()
    delivery = await store.get("guid-1")
    assert delivery is not None
    assert (delivery.state, delivery.attempts, delivery.payload, delivery.note) == (
        DeliveryState.FAILED,
        5,
        b"payload",
        "try 4",
    )


async def test_a_done_delivery_does_not_fail_any_more(database: Database) -> None:
    """A late failure of a delivery that was done changes nothing."""
    store = DeliveryStore(database)
    await store.add("guid-1", "issue_comment", b"")
    await store.done("guid-1", "accepted")
    assert not await store.failed("guid-1", "late")
    delivery = await store.get("guid-1")
    assert delivery is not None
    assert (delivery.state, delivery.note) == (DeliveryState.DONE, "accepted")


async def test_a_parked_delivery_that_comes_again_gets_another_chance(database: Database) -> None:
    """Others that come again bring nothing new."""
    store = DeliveryStore(database)
    await store.add("guid-1", "issue_comment", b"{}")
    for _ in range(MAX_ATTEMPTS):
        await store.failed("guid-1", "no")
    assert await store.pending() == ()
    assert await store.add("guid-1", "issue_comment", b"{}")
    [again] = await store.pending()
    assert again.attempts == 0
    assert not await store.add("guid-1", "issue_comment", b"{}")


async def test_pruning_takes_only_old_deliveries_that_are_done(database: Database) -> None:
    """Pending and parked deliveries stay however old they are."""
    store = DeliveryStore(database)
    for name in ("done", "pending", "parked"):
        await store.add(name, "issue_comment", b"")
    await store.done("done", "")
    for _ in range(MAX_ATTEMPTS):
        await store.failed("parked", "")

    assert await store.prune(datetime.now(UTC) - timedelta(days=1)) == 0
    assert await store.prune(datetime.now(UTC) + timedelta(days=1)) == 1
    assert await store.get("done") is None
    assert await store.get("parked") is not None
    assert await store.get("pending") is not None


async def test_a_run_is_created_once(database: Database) -> None:
    """The same request, from the same or another delivery, is one run that remembers the first."""
    store = RunStore(database)
    assert await store.create(REQUEST, "guid-1")
    assert not await store.create(REQUEST, "guid-2")

    run = await store.get(REQUEST.run_id)
    assert run is not None
    assert run.request == REQUEST
    assert (run.delivery_id, run.status, run.verdict) == ("guid-1", RunStatus.QUEUED, None)
    assert run.created_at.tzinfo is UTC


async def test_changes_of_a_run_are_kept(database: Database) -> None:
    """Every field that can change comes back as it was set, money exact, the rest untouched."""
    store = RunStore(database)
    await store.create(REQUEST, "guid-1")
    await store.update(REQUEST.run_id, status=RunStatus.RUNNING, head="ab" * 20)
    await store.update(
        REQUEST.run_id,
        status=RunStatus.DONE,
        verdict=Verdict.FIXED,
        reason="It passes.",
        progress_comment_id=2**40,
        pull_request=13,
        pull_request_url="https://github.test/octo/widgets/pull/13",
        cost_usd=Decimal("0.1000000000001"),
        tokens=2**40,
    )

    run = await store.get(REQUEST.run_id)
    assert run is not None
    assert run.updated_at > run.created_at
    assert run.head == "ab" * 20
    assert (run.status, run.verdict, run.reason) == (RunStatus.DONE, Verdict.FIXED, "It passes.")
    assert (run.progress_comment_id, run.pull_request) == (2**40, 13)
    assert run.pull_request_url == "https://github.test/octo/widgets/pull/13"
    assert (run.cost_usd, run.tokens) == (Decimal("0.1000000000001"), 2**40)


async def test_an_unknown_cost_is_not_zero(database: Database) -> None:
    """None stays None."""
    store = RunStore(database)
    await store.create(REQUEST, "guid-1")
    await store.update(REQUEST.run_id, cost_usd=None)
    run = await store.get(REQUEST.run_id)
    assert run is not None
    assert run.cost_usd is None


def report() -> Report:
    """Return a report with something in every corner that is hard to store."""
    observation = Observation(
        "pytest", 1, failing=(Failure("t::a", "t.py", 3),), passed=frozenset({"t::b", "t::c"})
    )
    patch = Patch(b"diff --git a/x b/x\n\xff\x00binary", ("x",), 1, 0)
    attempt = Attempt(
        n=1,
        proposer="agent",
        proposal=Proposal(patch, "Changed x.", usage=Usage(10, 5, cost_usd=None, calls=1)),
        verification=Verification(target=observation),
        failing_before=("t::a",),
        seconds=1.5,
        started=datetime(2026, 3, 1, 12, 31, 2, 345, tzinfo=UTC),
    )
    return Report(
        run_id=REQUEST.run_id,
        verdict=Verdict.GAVE_UP,
        reason="Never right.",
        problem=Problem(title="Crash 🎈", instructions="keep the public API", number=12),
        head="ab" * 20,
        reproduction=Reproduction(Cause.REAL, observation, runs=(1, 1)),
        attempts=(attempt,),
        patch=patch,
        usage=Usage(10, 5, cost_usd=None, calls=1),
    )


async def test_a_report_comes_back_equal(database: Database) -> None:
    """A stored report equals the one that was given: binary patches, sets, times and money too."""
    store = RunStore(database)
    await store.create(REQUEST, "guid-1")
    await store.update(REQUEST.run_id, report=report())
    run = await store.get(REQUEST.run_id)
    assert run is not None
    assert run.report == report()


async def test_text_that_no_database_holds_does_not_lose_a_run(database: Database) -> None:
    """NUL characters and lone surrogates, as models and logs have them, are replaced."""
    store = RunStore(database)
    await store.create(REQUEST, "guid-1")
    odd = replace(report(), problem=Problem(title="\ud83d and \0"))
    await store.update(REQUEST.run_id, reason="\ud83d and \0", report=odd)
    run = await store.get(REQUEST.run_id)
    assert run is not None
    assert run.reason == "? and \ufffd"
    assert run.report is not None
    assert run.report.problem.title == "? and \0"


async def test_a_run_of_another_version_is_a_storage_error(database: Database) -> None:
    """What can't be read says so, instead of failing somewhere with a validation error."""
    store = RunStore(database)
    await store.create(REQUEST, "guid-1")
    await store.update(REQUEST.run_id, report=report())

    async def spoil(column: str) -> None:
        statement = text(f"UPDATE runs SET {column} = :data").bindparams(data=b"{}")
        await database.write(lambda connection: connection.execute(statement).rowcount)

    await spoil("report")
    with pytest.raises(StorageError, match="A stored report can't be read"):
        await store.get(REQUEST.run_id)
    assert len(await store.list()) == 1
    await spoil("request")
    with pytest.raises(StorageError, match="A stored request can't be read"):
        await store.list()


async def test_a_person_can_stop_an_active_run(database: Database) -> None:
    """The wish is kept while the run is active; a run that ended can't be stopped."""
    store = RunStore(database)
    await store.create(REQUEST, "guid-1")
    assert not await store.stop_requested(REQUEST.run_id)

    assert await store.request_stop(REQUEST.run_id)
    assert await store.stop_requested(REQUEST.run_id)

    await store.update(REQUEST.run_id, status=RunStatus.DONE)
    assert not await store.request_stop(REQUEST.run_id)
    assert not await store.request_stop("nothing")
    assert not await store.stop_requested("nothing")


async def test_interruptions_are_counted_until_a_run_gets_further(database: Database) -> None:
    """Each process that takes it up counts, from the one in which it last got further."""
    store = RunStore(database)
    await store.create(REQUEST, "guid-1")
    assert [(await store.begin(REQUEST.run_id)).times for _ in range(3)] == [1, 2, 3]
    await store.got_further(REQUEST.run_id)
    begun = await store.begin(REQUEST.run_id)
    assert (begun.times, begun.delivery_id) == (2, "guid-1")
    assert (await store.begin("another")).times == 0


async def test_runs_are_found_by_thread_and_by_age(database: Database) -> None:
    """The latest and the active runs of a thread, whatever the case of the repository's name."""
    store = RunStore(database)
    requests = [
        replace(REQUEST, comment_id=1),
        replace(REQUEST, comment_id=2),
        replace(REQUEST, comment_id=3, number=99),
        replace(REQUEST, comment_id=4, repository="octo/other"),
    ]
    for request in requests:
        await store.create(request, "guid")
    first, second, third, fourth = (request.run_id for request in requests)
    await store.update(first, status=RunStatus.DONE)

    latest = await store.latest(REQUEST.repo, 12)
    assert latest is not None
    assert latest.id == second
    assert await store.latest(REQUEST.repo, 1) is None
    assert [run.id for run in await store.active(Repo("OCTO/widgets", 7))] == [third, second]
    assert [run.id for run in await store.active(REQUEST.repo, 12)] == [second]
    assert [run.id for run in await store.active()] == [fourth, third, second]
    assert [run.id for run in await store.list(limit=2)] == [fourth, third]


async def test_what_was_written_is_there_after_opening_again(url: SecretStr) -> None:
    """Tables are created once; another process, or the same one later, finds everything."""
    async with await open_database(url) as first:
        await DeliveryStore(first).add("guid-1", "issue_comment", b"payload")
        async with await open_database(url) as second:
            assert not await DeliveryStore(second).add("guid-1", "issue_comment", b"payload")
    async with await open_database(url) as third:
        assert len(await DeliveryStore(third).pending()) == 1


async def test_servers_that_start_together_agree(url: SecretStr) -> None:
    """Several may create the tables of one empty database at the same time, and then write."""
    opened = await asyncio.gather(*(open_database(url) for _ in range(4)))
    added = await asyncio.gather(
        *(
            DeliveryStore(each).add(f"guid-{n % 3}", "ping", b"")
            for n in range(24)
            for each in opened
        )
    )
    for each in opened:
        await each.close()
    assert sum(added) == 3


async def test_a_newer_schema_is_refused(url: SecretStr) -> None:
    """An old Fixpoint does not touch what a newer one wrote, and says what to do."""

    def age(connection: Connection) -> None:
        connection.execute(text("UPDATE schema_version SET version = 99"))

    async with await open_database(url) as database:
        await database.write(age)
    with pytest.raises(UsageError, match=r"version 99.*Install a newer"):
        await open_database(url)


async def test_one_failing_write_does_not_spoil_its_neighbours(database: Database) -> None:
    """Writes that share a transaction succeed or fail each for itself."""

    def bad(connection: Connection) -> None:
        connection.execute(text("INSERT INTO nowhere VALUES (1)"))

    def broken(connection: Connection) -> None:
        del connection
        raise KeyError("a bug")

    store = DeliveryStore(database)
    results = await asyncio.gather(
        store.add("guid-1", "ping", b""),
        database.write(bad),
        store.add("guid-2", "ping", b""),
        database.write(broken),
        store.add("guid-3", "ping", b""),
        return_exceptions=True,
    )
    assert [result for result in results if isinstance(result, bool)] == [True, True, True]
    assert [type(result) for result in results if isinstance(result, Exception)] == [
        StorageError,
        KeyError,
    ]
    assert len(await store.pending()) == 3


async def test_a_failing_read_is_a_storage_error(database: Database) -> None:
    """Callers see one kind of error, with a sentence."""
    with pytest.raises(StorageError, match="Database error: "):
        await database.read(lambda connection: connection.execute(text("SELECT 1 FROM nowhere")))


async def test_a_caller_that_gives_up_does_not_stop_the_others(database: Database) -> None:
    """A cancelled write leaves the writer working, and what it began may still be kept."""
    store = DeliveryStore(database)
    hung_up = asyncio.create_task(store.add("guid-1", "ping", b""))
    others = [asyncio.create_task(store.add(f"guid-{n}", "ping", b"")) for n in range(2, 6)]
    await asyncio.sleep(0)
    hung_up.cancel()
    assert await asyncio.gather(*others) == [True] * 4


async def test_a_closed_database_says_so(url: SecretStr) -> None:
    """A write after the end fails at once instead of waiting for ever."""
    database = await open_database(url)
    await database.close()
    with pytest.raises(StorageError, match="closed"):
        await DeliveryStore(database).add("guid-1", "ping", b"")


async def test_sqlite_survives_a_locked_database(tmp_path: Path) -> None:
    """A writer of another process makes us wait, not fail; readers do not wait at all."""
    path = tmp_path / "fixpoint.db"
    async with await open_database(SecretStr(f"sqlite:///{path}")) as database:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        adding = asyncio.create_task(DeliveryStore(database).add("guid-1", "ping", b""))
        assert await DeliveryStore(database).pending() == ()
        await asyncio.sleep(0.05)
        assert not adding.done()
        other.execute("COMMIT")
        other.close()
        assert await adding


async def test_sqlite_commits_are_on_disk(tmp_path: Path) -> None:
    """WAL with synchronous=FULL: https://www.sqlite.org/pragma.html#pragma_synchronous."""
    async with await open_database(SecretStr(f"sqlite:///{tmp_path}/fixpoint.db")) as database:
        mode = await database.read(lambda c: c.exec_driver_sql("PRAGMA journal_mode").scalar())
        synchronous = await database.read(
            lambda c: c.exec_driver_sql("PRAGMA synchronous").scalar()
        )
    assert (mode, synchronous) == ("wal", 2)


@pytest.mark.parametrize(
    "address",
    [
        "sqlite:////proc/no/such/folder/x.db",
        "postgresql+psycopg://fixpoint:hunter2@127.0.0.1:1/fixpoint?connect_timeout=2",
        "postgresql+psycopg://fixpoint:hunter2@host:hunter2/fixpoint",
    ],
)
async def test_a_database_that_cannot_be_opened_is_named(address: str) -> None:
    """The sentence names the address, the reason and the variable, and hides the password."""
    with pytest.raises(UsageError, match="DATABASE_URL") as caught:
        await open_database(SecretStr(address))
    assert "hunter2" not in str(caught.value)


@pytest.fixture
async def journals(url: SecretStr) -> AsyncIterator[tuple[Journal, Journal]]:
    """Open the journals of two processes that share an empty database."""
    async with await open_database(url):  # makes the folder
        pass
    with steps_database(url) as engine, steps_database(url) as other:
        both = Journal(engine), Journal(other)
        for journal in both:
            await journal.open()
        yield both
        for journal in both:
            await journal.close()


async def test_an_act_is_found_by_the_next_process(journals: tuple[Journal, Journal]) -> None:
    """By run and name, as the bytes that it gave."""
    first, second = journals
    assert await first.earlier("run-1") == {}
    assert await first.keep("run-1", "turn 1.1: bash", b"\x80\0result")
    assert await first.keep("run-2", "turn 1.1: bash", b"another run's")
    assert await second.earlier("run-1") == {"turn 1.1: bash": b"\x80\0result"}


async def test_of_two_processes_one_keeps_an_act(journals: tuple[Journal, Journal]) -> None:
    """The other one is told, and nothing is overwritten."""
    first, second = journals
    assert await first.keep("run", "act", b"first")
    assert not await second.keep("run", "act", b"second")
    assert await second.earlier("run") == {"act": b"first"}


async def test_two_acts_of_a_run_have_two_names(journals: tuple[Journal, Journal]) -> None:
    """A second one of the same name would be taken for the first at the next start."""
    journal, _ = journals
    assert await journal.keep("run", "act", b"first")
    assert await journal.keep("other run", "act", b"its own")
    with pytest.raises(ValueError, match="Run run has two steps named 'act'"):
        journal.keep("run", "act", b"second")


async def test_old_acts_are_forgotten(journals: tuple[Journal, Journal]) -> None:
    """Those kept before the moment, and no others."""
    first, second = journals
    await first.keep("run", "old", b"1")
    between = datetime.now(UTC)
    await first.keep("run", "new", b"2")
    assert await first.prune(between) == 1
    assert await second.earlier("run") == {"new": b"2"}


def test_the_steps_database_knows_the_time_to_the_millisecond(tmp_path: Path) -> None:
    """DBOS asks SQLite for it from Python 3.12 on; before SQLite 3.42 that gave nothing."""
    address = SecretStr(f"sqlite:///{tmp_path}/fixpoint.db")
    with steps_database(address) as engine, engine.connect() as connection:
        before = time.time()
        now = connection.scalar(text("SELECT unixepoch('subsec')"))
    assert before - 0.01 <= now <= time.time() + 0.01


async def test_questions_are_kept_with_the_moment_since_when_they_stand(database: Database) -> None:
    """Asking again, a later moment and a second answer change nothing; runs are kept apart."""
    store, run = ApprovalStore(database), "3fa9c1d20b7e"
    until = datetime(2026, 11, 28, 9, 0, tzinfo=UTC)
    tool = question_key(run, "bash")
    for key, about, end in ((run, PATCH, until), (tool, "the use of `bash`", until - timedelta(1))):
        await store.ask(key, about, end)
    await store.ask(run, "something else", until + timedelta(1))
    await store.ask("3fa9c1d20b7f", PATCH, until)
    assert [(item.key, item.about, item.posted_at) for item in await store.open_of(run)] == [
        (tool, "the use of `bash`", None),
        (run, PATCH, None),
    ]
    for at in (until - timedelta(7), until):
        await store.posted(run, at)
    assert await store.answer(tool, ApprovalAnswer.REJECTED, "ann")
    assert not await store.answer(tool, ApprovalAnswer.APPROVED, "bob")
    [question] = await store.open_of(run)
    assert (question.run_id, question.posted_at) == (run, until - timedelta(7))
    assert (question.until, question.asked_at is None) == (until, False)
    kept = await store.get(tool)
    assert kept is not None
    assert (kept.answer, kept.by, kept.question.run_id) == (ApprovalAnswer.REJECTED, "ann", run)
