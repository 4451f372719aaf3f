"""What the tables of memory promise, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr
from sqlalchemy import Connection, delete, text

from bot.model import Patch
from bot.model.memory import (
    Became,
    FailureSignature,
    Lesson,
    LessonState,
    MemoryLimits,
    Remark,
    RemarkKind,
    TriedRepair,
)
from bot.model.repository import Repo
from bot.storage.database import Database, open_database
from bot.storage.lessons import LessonStore, lesson_id
from bot.storage.memory import MemoryStore
from bot.storage.migrations import migrate
from bot.storage.names import NameStore
from bot.storage.outcomes import OutcomeStore
from bot.storage.pull_memory import MOST_REMARKS, PullMemory
from bot.storage.tables import migrations, repair_outcomes
from tests.contract.databases import url

__all__ = ["url"]  # a fixture: pytest finds it by name

REPO = Repo("Octo/Widgets", 7, 70)
ELSEWHERE = Repo("Octo/Widgets", 8, 70)
LIMITS = MemoryLimits()
KNOT = FailureSignature(
    "KeyError: 'knot'", "KeyError", ("a/table.py unit",), "make check", "pytest"
)
NULL = FailureSignature(
    "TypeError: Cannot read properties of undefined",
    "TypeError",
    ("lib/x.js f",),
    "npm test",
    "npm",
)


@pytest.fixture
async def database(url: SecretStr) -> AsyncIterator[Database]:
    """Open an empty database."""
    async with await open_database(url) as opened:
        yield opened


def tried(
    n: int,
    signature: FailureSignature = KNOT,
    became: Became = Became.VERIFIED,
    *,
    made_at: datetime | None = None,
) -> TriedRepair:
    return TriedRepair(
        id=f"{n:012x}-1",
        run_id=f"{n:012x}",
        signature=signature,
        proposer="agent",
        summary="Added the knot.",
        patch=Patch(b"diff --git a/a b/a\n", ("a",), 1, 0),
        before=(("a", b"\x00old\n"),),
        became=became,
        made_at=made_at or datetime.now(UTC),
        model="m",
    )


async def publish(
    database: Database, entry: TriedRepair, number: int, commit: str, url: str = ""
) -> None:
    await OutcomeStore(database).published(
        REPO, entry.run_id, entry.id, pull_request=number, url=url, commit=commit
    )


async def test_what_was_tried_is_kept_once_and_found_by_its_signature_and_by_likeness(
    database: Database,
) -> None:
    """With the files that its patch changes, and never for another installation."""
    store = MemoryStore(database)
    mine, other = tried(1), tried(2, NULL)
    assert await store.keep(REPO, [mine, other], LIMITS) == 2
    assert await store.keep(REPO, [mine], LIMITS) == 0
    assert await store.same(REPO, KNOT) == ()  # not published
    await publish(database, mine, 5, "c" * 40, "https://x/5")
    [same] = await store.same(REPO, KNOT)
    assert same == replace(mine, pull_request=5, url="https://x/5", commit="c" * 40)
    like = replace(KNOT, message="KeyError: 'furlong'", frames=("b/table.py unit_of",))
    assert [entry.id for entry in (await store.similar(REPO, like, 1)).entries] == [mine.id]
    quiet = FailureSignature("", "", (), "", "")
    assert (await store.similar(REPO, quiet, 3)).entries == ()
    for elsewhere in (ELSEWHERE, Repo("octo/other", 7, 71)):
        assert await store.same(elsewhere, KNOT) == ()
        assert (await store.similar(elsewhere, KNOT, 3)).entries == ()
        assert await store.list(elsewhere) == ()


async def test_what_became_of_it_is_followed(database: Database) -> None:
    """Merged, then reverted by the number or by the commit; closed is not merged.

    Also where nothing is remembered of it; a database of before learns it from memory.
    """
    store, outcomes = MemoryStore(database), OutcomeStore(database)
    await store.keep(REPO, [tried(n) for n in range(4)], LIMITS)
    for n in range(5):  # of the last one, nothing is remembered
        await publish(database, tried(n), n, f"{n}" * 40)
    for n in range(3):
        assert await outcomes.closed(REPO, n, merge_commit=f"{n}e" * 20)
    assert await outcomes.closed(REPO, 3, merge_commit=None)
    assert await outcomes.closed(REPO, 4, merge_commit=None)
    assert not await outcomes.closed(ELSEWHERE, 0, merge_commit="f" * 40)
    assert await outcomes.reverted(REPO, [0], [])
    assert [repair.pull_request for repair in await store.same(REPO, KNOT)] == [
        2
    ]  # merged again since
    assert await outcomes.reverted(REPO, [], ["2e2e2e2e"])
    assert not await outcomes.reverted(REPO, [3], [])
    await publish(database, tried(0), 0, "0" * 40)  # again, after a restart
    assert await outcomes.counts(timedelta(days=1)) == {
        Became.REVERTED: 2, Became.MERGED: 1, Became.CLOSED: 2,
    }  # fmt: skip
    await database.write(_forget_outcomes)
    await database.write(migrate)
    assert dict(await outcomes.counts(timedelta(days=1))) == dict(await store.counts(REPO))
    listed = {repair.pull_request: repair.became for repair in await store.list(REPO)}
    assert listed == {
        0: Became.REVERTED,
        1: Became.MERGED,
        2: Became.REVERTED,
        3: Became.CLOSED,
    }
    assert (
        await store.same(REPO, KNOT) == ()
    )  # all are the same patch, and a later one was reverted
    assert dict(await store.counts(REPO)) == {
        Became.REVERTED: 2, Became.MERGED: 1, Became.CLOSED: 1,
    }  # fmt: skip


async def test_what_was_merged_instead_of_a_patch_is_kept_beside_it(database: Database) -> None:
    """It is tried again, and not the patch; both count as one repair, and are reverted as one."""
    store, outcomes = MemoryStore(database), OutcomeStore(database)
    pulls, entry = PullMemory(database), tried(1)
    await store.keep(REPO, [entry], LIMITS)
    await publish(database, entry, 5, "c" * 40)
    [undecided] = await pulls.undecided(REPO, 5)
    assert (undecided.id, await pulls.undecided(ELSEWHERE, 5)) == (entry.id, ())
    merged = Patch(b"diff --git a/a b/a\n+x\n", ("a",), 1, 0)
    for _ in range(2):  # again, after a crash
        await pulls.keep_as_merged(undecided, merged, (("a", b"old\n"),), "d" * 40)
    assert await outcomes.closed(REPO, 5, merge_commit="e" * 40, superseded=[entry.id])
    assert await pulls.undecided(REPO, 5) == ()
    [same] = await store.same(REPO, KNOT)
    assert (same.patch, same.before, same.became) == (merged, (("a", b"old\n"),), Became.MERGED)
    assert (same.commit, same.merge_commit, same.model) == ("d" * 40, "e" * 40, None)
    assert [repair.id for repair in await store.settled(REPO)] == [same.id]
    assert {repair.id for repair in (await store.similar(REPO, KNOT, 9)).entries} == {
        entry.id,
        same.id,
    }
    assert await outcomes.counts(timedelta(days=1)) == {Became.MERGED: 1}
    assert await outcomes.reverted(REPO, [5], [])
    assert dict(await store.counts(REPO)) == {Became.SUPERSEDED: 1, Became.REVERTED: 1}
    assert await store.forget(REPO, entry.run_id) == 2


async def test_what_people_said_of_a_pull_request_is_kept_with_its_attempts(
    database: Database,
) -> None:
    """Once, the newest of it, and as long as the attempts; a database of before has room for it."""
    store, pulls = MemoryStore(database), PullMemory(database)
    await database.write(_without_remarks)
    await database.write(migrate)
    await store.keep(REPO, [tried(1), tried(2, NULL)], LIMITS)
    await publish(database, tried(1), 5, "c" * 40)
    remarks = [Remark(RemarkKind.CHANGES_REQUESTED, "wes", f"No {n}.") for n in range(7)]
    for remark in (*remarks, remarks[-1]):
        await pulls.note(REPO, 5, remark)
    await pulls.note(ELSEWHERE, 5, Remark(RemarkKind.CLOSED, "eve", "Mine."))
    [other, said] = await store.list(REPO)
    assert (said.remarks, other.remarks) == (tuple(remarks[-MOST_REMARKS:]), ())
    assert (await store.same(REPO, KNOT))[0].remarks == said.remarks


def _without_remarks(connection: Connection) -> None:
    """Leave the database as a version of before left it."""
    connection.execute(text("ALTER TABLE memory_entries DROP COLUMN remarks"))
    connection.execute(delete(migrations).where(migrations.c.number == 6))


def _forget_outcomes(connection: Connection) -> None:
    """Leave the database as a version of before left it."""
    connection.execute(delete(repair_outcomes))
    connection.execute(delete(migrations).where(migrations.c.number == 4))


async def test_memory_is_bounded_expires_and_forgets(database: Database) -> None:
    """What was merged stays longest; what is forgotten is in no search any more."""
    store = MemoryStore(database)
    limits = replace(LIMITS, entries=3)
    await store.keep(REPO, [tried(1, became=Became.MERGED)], limits)
    for n in range(2, 6):
        await store.keep(REPO, [tried(n, became=Became.REJECTED)], limits)
    assert [repair.run_id[-1] for repair in await store.list(REPO)] == ["5", "4", "1"]
    old = datetime.now(UTC) - timedelta(days=400)
    await store.keep(REPO, [tried(9, became=Became.MERGED, made_at=old)], LIMITS)
    assert await store.prune(datetime.now(UTC)) == 1
    await store.keep(REPO, [tried(10, made_at=datetime.now(UTC) - timedelta(days=360))], LIMITS)
    await publish(database, tried(10), 9, "")
    assert await OutcomeStore(database).closed(REPO, 9, merge_commit="c" * 40)
    assert await store.prune(datetime.now(UTC) + timedelta(days=360)) == 0  # counted from the merge
    assert await store.forget(REPO, tried(10).id) == 1
    assert await store.forget(REPO, tried(4).run_id) == 1
    assert await store.forget(ELSEWHERE) == 0
    assert {entry.run_id[-1] for entry in (await store.similar(REPO, KNOT, 9)).entries} == {
        "5",
        "1",
    }
    assert await store.forget("octo/widgets") == 2
    assert (await store.similar(REPO, KNOT, 9)).entries == ()


async def test_what_is_too_large_is_kept_without_its_patch(database: Database) -> None:
    """A list of what was tried reads no patches either."""
    store = MemoryStore(database)
    huge = replace(tried(1), patch=Patch(b"x" * 100_000, ("a",), 9, 9))
    await store.keep(REPO, [huge, tried(2)], LIMITS)
    kept = await store.get(REPO, huge.id)
    assert kept is not None
    assert (kept.patch.data, kept.patch.files, kept.before) == (b"", ("a",), ())
    assert all(not repair.patch.data for repair in await store.list(REPO))


async def test_a_lesson_counts_once_it_is_confirmed(database: Database) -> None:
    """It is proposed once per comment, bounded, follows a renamed repository, and can be forgotten."""
    store, now = LessonStore(database), datetime.now(UTC)
    lessons = [
        Lesson(lesson_id(REPO, n), f"We use {n}.", f"u{n}", "ada", LessonState.PROPOSED, now, "", 5)
        for n in range(3)
    ]
    assert [await store.propose(REPO, lesson, n, most=2) for n, lesson in enumerate(lessons)] == [
        True, True, False,
    ]  # fmt: skip
    assert not await store.propose(REPO, lessons[0], 0, most=9)
    assert await store.confirmed(REPO) == ()
    [confirmed] = await store.confirm(REPO, (lessons[0].id,), "wes")
    assert confirmed.text == "We use 0."
    assert await store.confirm(REPO, (lessons[0].id,), "ada") == ()
    assert await store.of_comment(REPO, 1) == lessons[1]
    assert await store.of_comment(ELSEWHERE, 1) is None
    assert await store.prune(now + timedelta(seconds=1)) == 1  # the one nobody confirmed
    new = Repo("octo/gadgets", 7, 70)
    await NameStore(database).seen(new)
    [kept] = await store.list(new)
    assert (kept.confirmed_by, kept.state) == ("wes", LessonState.CONFIRMED)
    assert await store.forget(ELSEWHERE) == 0
    assert await store.forget(new, kept.id) == 1
    assert await store.list("octo/gadgets") == ()
