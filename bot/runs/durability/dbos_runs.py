"""Runs that survive their server: another one takes them over, and never two at a time (DBOS)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import sqlalchemy
from dbos import DBOS, DBOSConfig, SetWorkflowID
from dbos._queue import QueueConflictResolution
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import DatabaseUnavailable
from bot.model.proof_request import ProofRequest
from bot.model.request import FixRequest
from bot.runs.durability.bodies import NOT_HERE, QueueLimits, RunBodies
from bot.runs.durability.dbos_steps import TakenOver
from bot.runs.durability.engine_tables import makes_own_tables
from bot.runs.durability.gate import RunGate
from bot.runs.durability.stopping import Stopping
from bot.storage.group_commit import failed
from bot.storage.journal import Journal
from bot.storage.servers import ServerRow

STEPS_VERSION = "38"
"""Raised when stored steps of an earlier version can't be read any more, as after a class moved:
they are pickled by module path. Servers of that version carry its runs to their ends; once the last
of them is gone, what it left is ended with a sentence. Any other version continues them."""
_QUEUE = "fixes"
_PROOFS = "proofs"
_ENDINGS = "endings"
"""For what only has to be said: it waits for no place."""
_MOST_ENDINGS = 10
_UNFINISHED = ["PENDING", "ENQUEUED", "DELAYED"]
_ANSWERED = "-answered"
"""Behind a run's id: the workflow that follows a person's answer."""
_SPECIFIED = "-specified"
"""Likewise: the one that follows the answer to the question about a specification."""
_WITHDRAWN = "-withdrawn"
"""Likewise: the one that ends a run which was stopped before it began."""
_KINDS = ("", _WITHDRAWN)
_POLL_SECONDS = 0.25
_NEVER_POISONED = 1000
"""Recoveries after which DBOS parks a run; ours keeps its own count and reports it to people."""
_STOPPING_SECONDS = 3.0
"""For commands and requests under way to end when the server stops."""

R = TypeVar("R", FixRequest, ProofRequest)


class DurableRuns:
    """Starts runs, takes over those of servers that are no more, and hands over its own."""

    def __init__(
        self,
        engine: sqlalchemy.Engine,
        journal: Journal,
        stopping: Stopping,
        *,
        executor_id: str,
        limits: QueueLimits,
        gate: RunGate | None = None,
    ) -> None:
        """Describe the executor.

        Args:
            engine: SQLite or PostgreSQL; DBOS makes its own tables there.
            journal: Of light steps, opened and closed here.
            stopping: Knows what runs here.
            executor_id: Of this process alone.
            limits: Runs at a time.
            gate: Lets fewer of them work here while there is trouble. The queue's own limit is not
                changed for that: it is one for all servers of the database.
        """
        self._engine = engine
        self._journal = journal
        self._stopping = stopping
        self._executor_id = executor_id
        self._limits = limits
        self._gate = RunGate(limits.server) if gate is None else gate
        self._held_back: set[asyncio.Task[object]] = set()
        self._engine_of_runs: Any = None
        self._workflow: Any = None
        self._answered: Any = None
        self._ended: Any = None
        self._withdrawn: Any = None
        self._proving: Any = None
        self._freed: Callable[[], None] = _nobody_waits
        self._outdated: dict[str, list[str]] = {}
        self._left: list[tuple[str, str]] = []

    async def launch(self, bodies: RunBodies, freed: Callable[[], None]) -> None:
        """Start the engine. With `NOT_HERE` it takes no run from the queue.

        Args:
            bodies: What runs do.
            freed: Called whenever a run leaves its place.
        """
        self._freed = freed
        await self._journal.open()
        config: DBOSConfig = {
            "name": "fixpoint",
            "system_database_url": self._engine.url.render_as_string(hide_password=False),
            "system_database_engine": self._engine,
            "executor_id": self._executor_id,
            "application_version": STEPS_VERSION,
            "log_level": "WARNING",
            "notification_listener_polling_interval_sec": _POLL_SECONDS,
            "run_migrations": await asyncio.to_thread(makes_own_tables, self._engine),
        }
        _share_our_log()
        self._engine_of_runs = DBOS(config=config)

        @DBOS.workflow(name="fix", max_recovery_attempts=_NEVER_POISONED)
        async def fix(request: FixRequest) -> None:
            await self._run(bodies.run, request)

        @DBOS.workflow(name="go on", max_recovery_attempts=_NEVER_POISONED)
        async def answered(request: FixRequest) -> None:
            await self._run(bodies.go_on, request)

        @DBOS.workflow(name="end outdated", max_recovery_attempts=_NEVER_POISONED)
        async def ended(request: FixRequest) -> None:
            await self._run(bodies.outdated, request)

        @DBOS.workflow(name="end withdrawn", max_recovery_attempts=_NEVER_POISONED)
        async def withdrawn(request: FixRequest) -> None:
            await self._run(bodies.withdrawn, request, _ENDINGS)

        @DBOS.workflow(name="prove", max_recovery_attempts=_NEVER_POISONED)
        async def prove(request: ProofRequest) -> None:
            await self._run(bodies.prove, request, _PROOFS)

        self._workflow, self._answered, self._ended = fix, answered, ended
        self._withdrawn, self._proving = withdrawn, prove
        if bodies is NOT_HERE:
            DBOS.listen_queues([])
        DBOS.launch()
        total = self._limits.total
        conflict: QueueConflictResolution = (
            "never_update" if bodies is NOT_HERE else "update_if_latest_version"
        )
        await DBOS.register_queue_async(
            _QUEUE,
            worker_concurrency=min(self._limits.server, total or self._limits.server),
            global_concurrency=total,
            polling_interval_sec=_POLL_SECONDS,
            on_conflict=conflict,
        )
        for queue, most in ((_ENDINGS, _MOST_ENDINGS), (_PROOFS, self._limits.proofs)):
            await DBOS.register_queue_async(
                queue,
                worker_concurrency=most,
                polling_interval_sec=2 * _POLL_SECONDS,
                on_conflict=conflict,
            )

    async def take_over(
        self, living: Callable[[], Awaitable[dict[str, ServerRow]]], *, leads: bool
    ) -> bool:
        """Put the runs of servers that are no more back into the queue.

        Several servers may do so at once: a run goes back only while it is its dead server's, and
        leaves the queue for one server alone.

        Args:
            living: Returns the servers that nobody took for dead. Asked after the runs: who has a
                run by then was there before it.
            leads: Whether this server is the one that also ends what earlier versions left.

        Returns:
            Whether there are runs that have to be started anew.

        Raises:
            StorageError: When the database fails.
        """
        with _as_ours():
            return await self._take_over(living, leads=leads)

    async def _take_over(
        self, living: Callable[[], Awaitable[dict[str, ServerRow]]], *, leads: bool
    ) -> bool:
        await self._release()
        found = await DBOS.list_workflows_async(
            status=_UNFINISHED, load_input=False, load_output=False
        )
        alive = await living()
        dead = {
            str(status.executor_id)
            for status in found
            if status.status == "PENDING"
            and status.app_version == STEPS_VERSION
            and status.executor_id not in alive
        }
        if dead:
            await self._put_back(*sorted(dead))
        if not leads:
            return False
        spoken = {STEPS_VERSION, None, *(server.steps for server in alive.values())}
        return await self._note_outdated(
            [status for status in found if status.app_version not in spoken]
        )

    async def _put_back(self, *executors: str) -> None:
        # Not `resume_workflow`, which would also take a run from a server that has it already.
        await asyncio.to_thread(DBOS._recover_pending_workflows, list(executors))  # noqa: SLF001

    async def _note_outdated(self, found: list[Any]) -> bool:
        """Note which runs a version began that no server speaks; those only queued begin anew.

        So do proofs: they cost no money and publish nothing but their check run.
        """
        for item in found:
            if item.status == "PENDING" and item.queue_name != _PROOFS:
                run_id = item.workflow_id.removesuffix(_ANSWERED).removesuffix(_SPECIFIED)
                noted = self._outdated.setdefault(run_id, [])
                if item.workflow_id not in noted:
                    noted.append(item.workflow_id)
            else:
                await DBOS.delete_workflow_async(item.workflow_id)
        return bool(found)

    async def _run(
        self, body: Callable[[R], Awaitable[None]], request: R, queue: str = _QUEUE
    ) -> None:
        """Carry what left a queue; only what needs a place of its own passes the gate."""
        task, workflow_id = asyncio.current_task(), str(DBOS.workflow_id)
        assert task is not None  # noqa: S101 - a coroutine always runs in one
        self._held_back.add(task)
        try:
            async with self._gate if queue == _QUEUE else RunGate(1):
                self._held_back.discard(task)
                self._stopping.entered(workflow_id, task)
                # It may have left the queue in the moment in which that was closed.
                await self._stopping.pass_on(workflow_id)
                await body(request)
        except TakenOver as end:
            self._left.append((workflow_id, queue))
            raise end.__cause__ or end from None
        except DatabaseUnavailable as error:  # an error that DBOS sees would end the run for good
            self._left.append((workflow_id, queue))
            raise TakenOver from error
        except asyncio.CancelledError:
            self._left.append((workflow_id, queue))
            raise
        finally:
            self._held_back.discard(task)
            self._stopping.left(workflow_id, task)
            self._journal.leave(request.run_id)
            self._freed()

    async def start(self, request: FixRequest) -> None:
        """Queue a run under its request's id; a second call with the same id changes nothing."""
        if request.run_id in self._outdated:
            await self._end_outdated(request)
            return
        with SetWorkflowID(request.run_id), _as_ours():
            await DBOS.enqueue_workflow_async(_QUEUE, self._workflow, request)

    async def _end_outdated(self, request: FixRequest) -> None:
        with SetWorkflowID(f"{request.run_id}-outdated"), _as_ours():
            await DBOS.enqueue_workflow_async(_QUEUE, self._ended, request)
            # Only now, so that a crash in between leaves the run to be found at the next start.
            for stored in self._outdated.pop(request.run_id):
                await DBOS.cancel_workflow_async(stored)

    async def go_on(self, request: FixRequest, *, specified: bool) -> None:
        """Queue what follows a person's answer; a second call changes nothing.

        Args:
            request: Of the run.
            specified: Whether the answer is about its specification; else about its patch.
        """
        behind = _SPECIFIED if specified else _ANSWERED
        with SetWorkflowID(f"{request.run_id}{behind}"), _as_ours():
            await DBOS.enqueue_workflow_async(_QUEUE, self._answered, request)

    async def end_withdrawn(self, request: FixRequest) -> None:
        """Queue the end of a run that was stopped before it began; a second call changes nothing."""
        with SetWorkflowID(f"{request.run_id}{_WITHDRAWN}"), _as_ours():
            await DBOS.enqueue_workflow_async(_ENDINGS, self._withdrawn, request)

    async def prove(self, request: ProofRequest) -> None:
        """Queue a proof under its request's id; a second call with the same id changes nothing."""
        with SetWorkflowID(request.run_id), _as_ours():
            await DBOS.enqueue_workflow_async(_PROOFS, self._proving, request)

    async def finished(self, run_id: str) -> bool:
        """Whether the run is over, however it ended."""
        found = [await DBOS.get_workflow_status_async(f"{run_id}{kind}") for kind in _KINDS]
        there = [status for status in found if status is not None]
        return bool(there) and all(status.status not in _UNFINISHED for status in there)

    async def hand_over(self, seconds: float) -> None:
        """Take no more runs, stop those that are here, and leave them to other servers.

        Args:
            seconds: For steps that are under way to end. What they did is not done again.
        """
        self._stop_taking()
        await self._parked(seconds)
        for task in self._stopping.tasks:
            task.cancel()
        await self._parked(_STOPPING_SECONDS)

    def _stop_taking(self) -> None:
        self._stopping.wanted = True
        for task in self._held_back:
            task.cancel()
        for event in self._engine_of_runs.background_thread_stop_events:
            event.set()

    async def _parked(self, seconds: float) -> None:
        """Wait for runs to stop; each is in the queue of the others at once."""
        until = asyncio.get_running_loop().time() + seconds
        while tasks := self._stopping.tasks | self._held_back:
            left = until - asyncio.get_running_loop().time()
            if left <= 0:
                break
            await asyncio.wait(tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            await self._release()
        await self._release()

    async def _release(self) -> None:
        """Put runs back into the queue that ended here unfinished, unless others have them."""
        put_back = self._engine_of_runs._sys_db.reenqueue_for_recovery  # noqa: SLF001 - see `_put_back`
        while self._left:
            run, queue = self._left.pop()
            await asyncio.to_thread(put_back, run, [self._executor_id], queue)

    async def close(self) -> None:
        """Stop working; what is unfinished goes on at another server, or at the next launch."""
        # Before the engine ends, so that no run mistakes that for an error of its own.
        await self.hand_over(0)
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True)
        # DBOS made its own threads the loop's default ones, and they are gone now.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
        await self._journal.close()


def _nobody_waits() -> None:
    """Do nothing, before the engine was started."""


@contextmanager
def _as_ours() -> Iterator[None]:
    """Turn the engine's errors of the database into ours."""
    try:
        yield
    except SQLAlchemyError as error:
        raise failed(error) from error


def _share_our_log() -> None:
    """Have DBOS log like everything else, redacted and in one stream.

    Where its logger has no handler, it adds one that writes to stderr by itself.
    """
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
