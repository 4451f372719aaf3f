"""Remember every run: what was asked, where it stands, how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypedDict, Unpack

from sqlalchemy import (
    Connection,
    Row,
    Select,
    and_,
    exists,
    func,
    or_,
    select,
    update,
)

from bot.model import Report, Verdict
from bot.model.repository import Repo
from bot.model.request import FixRequest
from bot.storage.database import Database, insert_if_new
from bot.storage.events import append_events, status_event
from bot.storage.names import introduce
from bot.storage.notifications import Signals
from bot.storage.run_queue import leave_queue, queue_run, take_place
from bot.storage.stored_json import dump_report, dump_request, load_report, load_request
from bot.storage.tables import attempts_made, number_of, runs

NO_THREAD = 0
"""Stands for the number of runs that belong to no issue or pull request."""


class RunStatus(StrEnum):
    """Where a run is."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    """For a person's approval; no process works on it."""
    DONE = "done"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run.

    Attributes:
        id: `FixRequest.run_id`.
        repo: Its repository, under its name of today.
        request: What was asked.
        delivery_id: The delivery that brought it.
        status: Where it is.
        verdict: How it ended; None before that.
        reason: One sentence, why.
        head: The commit it repairs, as soon as that is known.
        stop_requested: Whether a person asked it to stop.
        report: Everything it found out; None before its end, and in lists.
        progress_comment_id: The comment that shows its progress.
        pull_request: Number of the pull request that it opened.
        pull_request_url: Its address; of the commit, when that went onto the branch itself.
        cost_usd: What it cost so far; None when a price is unknown.
        tokens: That it used so far.
        created_at: UTC.
        updated_at: UTC, of the last change.
        title: Of its issue or pull request; "" where it is about none, or not known yet.
        phase: That it is in, or ended in; "" before the first.
    """

    id: str
    repo: Repo
    request: FixRequest
    delivery_id: str
    status: RunStatus
    verdict: Verdict | None
    reason: str
    head: str | None
    stop_requested: bool
    report: Report | None
    progress_comment_id: int | None
    pull_request: int | None
    pull_request_url: str | None
    cost_usd: Decimal | None
    tokens: int
    created_at: datetime
    updated_at: datetime
    title: str = ""
    phase: str = ""


@dataclass(frozen=True, slots=True)
class Begun:
    """A run that a process takes up.

    Attributes:
        times: How many processes did since it last got further, this one included.
        delivery_id: The delivery that brought it.
    """

    times: int
    delivery_id: str


class RunChanges(TypedDict, total=False):
    """What of a run can change; see `RunRecord`."""

    status: RunStatus
    verdict: Verdict
    reason: str
    head: str
    report: Report
    progress_comment_id: int
    pull_request: int
    pull_request_url: str
    cost_usd: Decimal | None
    tokens: int
    title: str


LISTED = tuple(column for column in runs.c if column.name != "report")


class RunStore:
    """The table of runs. Every method raises `StorageError` when the database fails.

    A change of status is an event of the run: both are kept together, or neither.
    """

    def __init__(self, database: Database, signals: Signals | None = None) -> None:
        self._database = database
        self._signals = Signals() if signals is None else signals

    async def create(self, request: FixRequest, delivery_id: str) -> bool:
        """Queue the run of a request; return whether it is new. On disk when this returns."""
        now = datetime.now(UTC)
        row = {
            "id": request.run_id,
            "repository": request.repository.lower(),
            "identity": request.repo.identity,
            "number": NO_THREAD if request.number is None else request.number,
            "request": dump_request(request),
            "delivery_id": delivery_id,
            "status": RunStatus.QUEUED,
            "begun": 0,
            "reason": "",
            "head": None if request.failed is None else request.failed.sha,
            "stop_requested": False,
            "cost_usd": "0",
            "tokens": 0,
            "created_at": now,
            "updated_at": now,
        }
        told = (status_event(row),)

        def act(connection: Connection) -> bool:
            new = insert_if_new(connection, runs, row)
            if new:
                introduce(connection, request.repo)
                append_events(connection, request.run_id, told)
                queue_run(connection, request)
            return new

        created = await self._database.write(act)
        self._signals.wake(request.run_id)
        return created

    async def get(self, run_id: str) -> RunRecord | None:
        """Return the run of that id, with its report."""
        found = await self._select(select(runs).where(runs.c.id == run_id))
        return found[0] if found else None

    async def update(self, run_id: str, **changes: Unpack[RunChanges]) -> None:
        """Change a run. Changing one that does not exist does nothing."""
        values: dict[str, Any] = {**changes, "updated_at": datetime.now(UTC)}
        if "report" in changes:
            values["report"] = dump_report(changes["report"])
        if "cost_usd" in changes:
            values["cost_usd"] = None if changes["cost_usd"] is None else str(changes["cost_usd"])
        attempts = len(changes["report"].attempts) if "report" in changes else None
        await self._update(run_id, values, attempts=attempts)

    async def begin(self, run_id: str) -> Begun:
        """Note that a process takes the run up; return how many did since it last got further.

        The process in which it got further counts, too.
        """
        statement = (
            update(runs)
            .where(runs.c.id == run_id)
            .values(begun=runs.c.begun + 1)
            .returning(runs.c.begun, runs.c.delivery_id)
        )
        row = await self._database.write(lambda connection: connection.execute(statement).first())
        return Begun(0, "") if row is None else Begun(*row)

    async def handed_over(self, run_id: str) -> None:
        """Note that the process leaves the run to another one, through no fault of the run's.

        One that was taken for dead may say so, too: that it was slow was not the run's doing.
        """
        less = update(runs).where(runs.c.id == run_id, runs.c.begun > 0)
        statement = less.values(begun=runs.c.begun - 1)
        await self._database.write(
            lambda connection: connection.execute(statement).rowcount, fenced=False
        )

    async def got_further(self, run_id: str) -> None:
        """Note that the run did something, in this process, that it never has to do again."""
        await self._update(run_id, {"begun": 1, "updated_at": datetime.now(UTC)})

    async def request_stop(self, run_id: str) -> bool:
        """Ask a run to stop; return whether it was still active."""
        values = {"stop_requested": True, "updated_at": datetime.now(UTC)}
        return await self._update(run_id, values, only_active=True) == 1

    async def give_up(self, run_id: str, reason: str) -> None:
        """End a run that can't publish anything any more: one that works has to stop, and says why."""
        here = update(runs).where(runs.c.id == run_id)
        waiting = here.where(runs.c.status == RunStatus.WAITING)
        working = here.where(runs.c.status.in_((RunStatus.QUEUED, RunStatus.RUNNING)))
        now = {"reason": reason, "updated_at": datetime.now(UTC)}
        over = {"status": RunStatus.DONE, "verdict": Verdict.STOPPED, **now}

        def act(connection: Connection) -> int:
            ended = connection.execute(waiting.values(over)).rowcount
            if ended:
                append_events(connection, run_id, (status_event(over),))
            return ended or connection.execute(working.values(stop_requested=True, **now)).rowcount

        await self._database.write(act)
        self._signals.wake(run_id)

    async def stop_requested(self, run_id: str) -> bool:
        """Return whether that run has to stop."""
        return await self.why_to_stop(run_id) is not None

    async def why_to_stop(self, run_id: str) -> str | None:
        """Return why that run has to stop, "" where a person asked for it; None where it hasn't."""
        statement = select(runs.c.stop_requested, runs.c.reason).where(runs.c.id == run_id)
        row = await self._database.read(lambda connection: connection.execute(statement).first())
        return row.reason if row is not None and row.stop_requested else None

    async def latest(self, repo: Repo, number: int) -> RunRecord | None:
        """Return the youngest run of an issue or pull request, without its report."""
        found = await self._select(_of(repo, number).limit(1))
        return found[0] if found else None

    async def of_commit(self, repo: Repo, sha: str) -> int:
        """Return how many runs the failed checks of a commit had, ended or not."""
        found = await self._select(_of(repo).where(runs.c.head == sha))
        return sum(run.request.failed is not None for run in found)

    async def opened(self, repo: Repo, pull_request: int) -> RunRecord | None:
        """Return the run that opened a pull request, without its report."""
        statement = _of(repo).where(runs.c.pull_request == pull_request)
        found = await self._select(statement)
        return found[-1] if found else None

    async def has_opened(self, repo: Repo) -> bool:
        """Return whether any run opened a pull request in a repository."""
        here = runs.c.identity == repo.identity
        statement = select(exists().where(here, runs.c.pull_request.is_not(None)))
        return bool(await self._database.read(lambda connection: connection.scalar(statement)))

    async def of_thread(self, repo: Repo, number: int) -> tuple[RunRecord, ...]:
        """Return all runs of an issue or pull request, the youngest first, without reports."""
        return await self._select(_of(repo, number))

    async def active(
        self, repo: Repo | None = None, number: int | None = None
    ) -> tuple[RunRecord, ...]:
        """Return runs that have not ended, the youngest first, without reports."""
        return await self._select(_of(repo, number).where(runs.c.status != RunStatus.DONE))

    async def several(self, run_ids: Iterable[str]) -> tuple[RunRecord, ...]:
        """Return the runs of those ids that are there, without reports."""
        return await self._select(select(*LISTED).where(runs.c.id.in_(list(run_ids))))

    async def list(self, limit: int = 50) -> tuple[RunRecord, ...]:
        """Return the youngest runs, without reports."""
        return await self._select(_of().limit(limit))

    async def within_an_hour_before(self, run_id: str) -> int:
        """Return how many runs its repository started in the hour before that run."""
        run = await self.get(run_id)
        if run is None:
            return 0
        since = run.created_at - timedelta(hours=1)
        tied = and_(runs.c.created_at == run.created_at, runs.c.id < run_id)
        earlier = or_(runs.c.created_at < run.created_at, tied)
        statement = select(func.count()).where(
            runs.c.identity == run.repo.identity,
            earlier,
            runs.c.created_at > since,
        )
        return await self._database.read(lambda connection: connection.scalar(statement)) or 0

    async def _update(
        self,
        run_id: str,
        values: dict[str, Any],
        *,
        only_active: bool = False,
        attempts: int | None = None,
    ) -> int:
        statement = update(runs).where(runs.c.id == run_id).values(values)
        if only_active:
            statement = statement.where(runs.c.status != RunStatus.DONE)
        told = (status_event(values),) if "status" in values else ()

        def act(connection: Connection) -> int:
            changed = connection.execute(statement).rowcount
            if changed and told:
                append_events(connection, run_id, told)
                _move_in_queue(connection, run_id, values["status"])
            if changed and attempts is not None:
                row = {"run_id": run_id, "attempts": attempts}
                if not insert_if_new(connection, attempts_made, row):
                    connection.execute(
                        update(attempts_made).where(attempts_made.c.run_id == run_id).values(row)
                    )
            return changed

        changed = await self._database.write(act)
        if told:
            self._signals.wake(run_id)
        return changed

    async def _select(self, statement: Select[Any]) -> tuple[RunRecord, ...]:
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(run_of(row) for row in rows)


def _move_in_queue(connection: Connection, run_id: str, status: RunStatus) -> None:
    """Let a run that goes on keep its place, and one that is over, or waits, leave it."""
    if status in {RunStatus.DONE, RunStatus.WAITING}:
        leave_queue(connection, run_id)
    else:
        take_place(connection, run_id)


def _of(repo: Repo | None = None, number: int | None = None) -> Select[Any]:
    statement = select(*LISTED).order_by(runs.c.created_at.desc(), runs.c.id)
    if repo is not None:
        statement = statement.where(runs.c.identity == repo.identity)
    if number is not None:
        statement = statement.where(runs.c.number == number)
    return statement


def _named(asked: Repo, row: Row[Any]) -> Repo:
    """Return the repository of a run: its row has the newest name, in lower case."""
    is_same = asked.full_name.lower() == row.repository
    name = asked.full_name if is_same else row.repository
    return Repo(name, asked.installation_id, number_of(row.identity))


def run_of(row: Row[Any]) -> RunRecord:
    """Return the run of a row of all columns, or of those that are listed."""
    report, request = getattr(row, "report", None), load_request(row.request)
    return RunRecord(
        id=row.id,
        repo=_named(request.repo, row),
        request=request,
        delivery_id=row.delivery_id,
        status=RunStatus(row.status),
        verdict=None if row.verdict is None else Verdict(row.verdict),
        reason=row.reason,
        head=row.head,
        stop_requested=row.stop_requested,
        report=None if report is None else load_report(report),
        progress_comment_id=row.progress_comment_id,
        pull_request=row.pull_request,
        pull_request_url=row.pull_request_url,
        cost_usd=None if row.cost_usd is None else Decimal(row.cost_usd),
        tokens=row.tokens,
        created_at=row.created_at,
        updated_at=row.updated_at,
        title=row.title or "",
        phase=row.phase or "",
    )
