"""Runs that survive their process: each step's result is kept in the database (DBOS)."""

from __future__ import annotations

import asyncio
import logging
import pickle
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import sqlalchemy
from dbos import DBOS, DBOSConfig, SetWorkflowID, error

from bot.errors import RunOutdated
from bot.model.request import FixRequest
from bot.reporting.reasons import run_life
from bot.runs.durability.gate import RunGate
from bot.runs.durability.outages import FIRST_WAIT, outlast
from bot.storage.journal import Journal

T = TypeVar("T")
RunBody = Callable[[FixRequest], Awaitable[None]]

_QUEUE = "fixes"
_STEPS_VERSION = "11"
"""Raised when stored steps of an earlier version can't be read any more, as after a class moved:
they are pickled by module path. Runs that were begun before end with a sentence; DBOS alone would
leave them forever. Any other version of the program continues them."""
_UNFINISHED = ["PENDING", "ENQUEUED", "DELAYED"]
_ANSWERED = "-answered"
"""Behind a run's id: the workflow that follows a person's answer."""
_POLL_SECONDS = 0.25
_NEVER_POISONED = 1000
"""Recoveries after which DBOS parks a run; ours keeps its own count and reports it to people."""
_STOPPING_SECONDS = 3.0
"""For commands and requests under way to end when the server stops."""


class _TakenOver(BaseException):
    """Another process goes on with the run: no matter for anything that handles its errors."""


class DurableSteps:
    """Steps whose results are in the database; see `bot.model.steps.Steps`."""

    lasting = True

    def __init__(self, journal: Journal, *, first_wait: float = FIRST_WAIT) -> None:
        """Keep light steps in `journal`; wait `first_wait` seconds at an outage of GitHub's."""
        self._journal = journal
        self._first_wait = first_wait
        self._keeping: dict[str, asyncio.Future[bool]] = {}

    async def __call__(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        """Run `act(*args)` as the step `name`, or return what it gave before the restart.

        Raises:
            RunOutdated: When the run did something else here before the restart.
            StorageError: When the result of a light step before it could not be kept.
        """
        await self.kept()

        async def once() -> T:
            return await outlast(lambda: act(*args), first_wait=self._first_wait)

        try:
            return await DBOS.run_step_async({"name": name}, once)
        except error.DBOSWorkflowConflictIDError as conflict:
            raise _TakenOver from conflict
        except error.DBOSUnexpectedStepError as change:
            raise RunOutdated(run_life.server_changed()) from change

    async def light(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        """Run `act(*args)`, or give what it gave before the restart, from the journal.

        Its result is written while the next step begins, and before that one's: a crash between
        the two costs no more than one during the act.

        Raises:
            StorageError: When the result of the step before it could not be kept.
        """
        run_id = str(DBOS.workflow_id)
        earlier = await self._journal.earlier(run_id)
        if name in earlier:
            outcome = cast("_Outcome", pickle.loads(earlier[name]))  # noqa: S301 - we wrote it ourselves
            return cast("T", outcome.unwrap())
        outcome = await _Outcome.of(act, args)
        await self.kept()
        self._keeping[run_id] = self._journal.keep(run_id, name, pickle.dumps(outcome))
        return cast("T", outcome.unwrap())

    async def kept(self) -> None:
        """Return once the results of this run's light steps are on disk.

        Raises:
            StorageError: When the last one could not be kept.
        """
        keeping = self._keeping.pop(str(DBOS.workflow_id), None)
        if keeping is not None and not await keeping:
            raise _TakenOver


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What an act gave: a result, or the error that it ended with."""

    result: object = None
    error: Exception | None = None

    @classmethod
    async def of(cls, act: Callable[..., Awaitable[object]], args: tuple[object, ...]) -> _Outcome:
        try:
            return cls(await act(*args))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the outcome
            return cls(error=error)

    def unwrap(self) -> object:
        if self.error is not None:
            raise self.error
        return self.result


class DurableRuns:
    """Starts runs, takes unfinished ones up again, and never starts the same run twice."""

    def __init__(
        self,
        engine: sqlalchemy.Engine,
        journal: Journal,
        *,
        executor_id: str,
        concurrency: int,
        gate: RunGate | None = None,
    ) -> None:
        """Describe the executor.

        Args:
            engine: SQLite or PostgreSQL; DBOS makes its own tables there.
            journal: Of light steps, opened and closed here.
            executor_id: Stable name of this server: at start it takes up what it left unfinished.
            concurrency: Runs at a time on this server.
            gate: Lets fewer of them work while there is trouble. The queue's own limit is not
                changed for that: it is one for all servers of the database.
        """
        self._engine = engine
        self._journal = journal
        self._executor_id = executor_id
        self._concurrency = concurrency
        self._gate = RunGate(concurrency) if gate is None else gate
        self._workflow: Any = None
        self._answered: Any = None
        self._ended: Any = None
        self._outdated: dict[str, list[str]] = {}
        self._running: set[asyncio.Task[Any]] = set()

    async def launch(self, body: RunBody, go_on: RunBody, outdated: RunBody) -> None:
        """Start the engine: unfinished runs go on from their last finished step.

        Args:
            body: Carries a run to its end, or to a question for a person.
            go_on: Carries it from the answer to its end.
            outdated: Ends a run whose stored steps this version can't read.
        """
        await self._journal.open()
        config: DBOSConfig = {
            "name": "fixpoint",
            "system_database_url": self._engine.url.render_as_string(hide_password=False),
            "system_database_engine": self._engine,
            "executor_id": self._executor_id,
            "application_version": _STEPS_VERSION,
            "log_level": "WARNING",
            "notification_listener_polling_interval_sec": _POLL_SECONDS,
        }
        _share_our_log()
        DBOS(config=config)

        @DBOS.workflow(name="fix", max_recovery_attempts=_NEVER_POISONED)
        async def fix(request: FixRequest) -> None:
            await self._run(body, request)

        @DBOS.workflow(name="go on", max_recovery_attempts=_NEVER_POISONED)
        async def answered(request: FixRequest) -> None:
            await self._run(go_on, request)

        @DBOS.workflow(name="end outdated", max_recovery_attempts=_NEVER_POISONED)
        async def ended(request: FixRequest) -> None:
            await self._run(outdated, request)

        self._workflow, self._answered, self._ended = fix, answered, ended
        DBOS.launch()
        await DBOS.register_queue_async(
            _QUEUE, worker_concurrency=self._concurrency, polling_interval_sec=_POLL_SECONDS
        )

        await self._find_outdated()

    async def _find_outdated(self) -> None:
        """Note which runs an earlier version began; those that it only queued are queued anew."""
        for found in await DBOS.list_workflows_async(
            status=_UNFINISHED, load_input=False, load_output=False
        ):
            if found.app_version in {None, _STEPS_VERSION}:
                continue
            if found.status == "PENDING":
                run_id = found.workflow_id.removesuffix(_ANSWERED)
                self._outdated.setdefault(run_id, []).append(found.workflow_id)
            else:
                await DBOS.delete_workflow_async(found.workflow_id)

    async def _run(self, body: RunBody, request: FixRequest) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine always runs in one
        self._running.add(task)
        try:
            async with self._gate:
                await body(request)
        except _TakenOver as end:
            raise end.__cause__ or end from None
        finally:
            self._running.discard(task)
            self._journal.leave(request.run_id)

    async def start(self, request: FixRequest) -> None:
        """Queue a run under its request's id; a second call with the same id changes nothing."""
        if request.run_id in self._outdated:
            await self._end_outdated(request)
            return
        with SetWorkflowID(request.run_id):
            await DBOS.enqueue_workflow_async(_QUEUE, self._workflow, request)

    async def _end_outdated(self, request: FixRequest) -> None:
        with SetWorkflowID(f"{request.run_id}-outdated"):
            await DBOS.enqueue_workflow_async(_QUEUE, self._ended, request)
        # Only now, so that a crash in between leaves the run to be found at the next start.
        for stored in self._outdated.pop(request.run_id):
            await DBOS.cancel_workflow_async(stored)

    async def go_on(self, request: FixRequest) -> None:
        """Queue what follows a person's answer; a second call changes nothing."""
        with SetWorkflowID(f"{request.run_id}{_ANSWERED}"):
            await DBOS.enqueue_workflow_async(_QUEUE, self._answered, request)

    async def finished(self, run_id: str) -> bool:
        """Whether the run is over, however it ended."""
        status = await DBOS.get_workflow_status_async(run_id)
        return status is not None and status.status not in {"PENDING", "ENQUEUED", "DELAYED"}

    async def close(self) -> None:
        """Stop working; what is unfinished goes on at the next launch."""
        # Before the engine ends, so that no run mistakes that for an error of its own.
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=_STOPPING_SECONDS)
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True)
        # DBOS made its own threads the loop's default ones, and they are gone now.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
        await self._journal.close()


def _share_our_log() -> None:
    """Have DBOS log like everything else, redacted and in one stream.

    Where its logger has no handler, it adds one that writes to stderr by itself.
    """
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
