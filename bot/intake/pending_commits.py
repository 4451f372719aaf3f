"""Take up the commits and pull requests that are due, one by one, and sleep until the next one is."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Self

import structlog

from bot.errors import FixpointError, NotPermitted, StorageError, is_outage
from bot.github.github import GitHub
from bot.intake.commit_look import CommitLook, wait_after
from bot.intake.conflict_look import MOST_LOOKS, ConflictLook
from bot.intake.followup_checks import Aftermath
from bot.intake.superseded_commits import LeftHeads
from bot.model.request import FixRequest
from bot.reporting.reasons import run_life
from bot.runs.display import Display
from bot.storage.commits import CommitState, WatchedCommit
from bot.storage.open_pulls import OpenPull
from bot.storage.stores import Stores

FIRST_WAIT = 20.0
"""Seconds until the second look at something that is under way."""

LONGEST_SLEEP = 15.0
"""Seconds: a run, or another process, may have noted a commit in the meantime."""

PATIENCE = timedelta(hours=6)
"""After this long a commit that can't be decided is left alone, outages of GitHub apart."""

_log = structlog.get_logger(__name__)


class Settler:
    """Decides what failed checks mean, once they have settled."""

    def __init__(
        self,
        github: GitHub,
        stores: Stores,
        start: Callable[[FixRequest], Awaitable[None]],
        left: LeftHeads,
        display: Display,
        *,
        server_id: str,
        first_wait: float = FIRST_WAIT,
    ) -> None:
        self._server_id = server_id
        self._commits = stores.commits
        self._pulls = stores.pulls
        self._conflict = ConflictLook(github, stores, start, first_wait=first_wait)
        self._queue = stores.queue
        self._first_wait = first_wait
        self._look = CommitLook(github, stores, start, left, first_wait=first_wait)
        self._aftermath = Aftermath(github, stores, start, display, first_wait=first_wait)
        self._woken = asyncio.Event()
        self._busy = False
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """Say that there is news of a commit."""
        self._woken.set()

    @property
    def idle(self) -> bool:
        """Whether nothing is being looked at and nothing new was announced."""
        return not self._busy and not self._woken.is_set()

    async def __aenter__(self) -> Self:
        """Begin, with what an earlier process left."""
        self.wake()
        self._task = asyncio.create_task(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        """See `stop`."""
        await self.stop()

    async def stop(self) -> None:
        """Look at nothing more; what waits is left to other servers, or to the next start."""
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._task = None
        with contextlib.suppress(StorageError):  # it is free anyway once this server is gone
            await self._commits.release(self._server_id)
            await self._pulls.release(self._server_id)

    async def _work(self) -> None:
        while True:
            self._busy = True
            self._woken.clear()
            try:
                pause = await self._round()
            except StorageError as error:  # until the database is back
                _log.warning("commits not looked at", problem=str(error))
                pause = self._first_wait
            except Exception:  # noqa: BLE001 - a bug of ours must not end every later decision
                _log.exception("commits not looked at")
                pause = self._first_wait
            finally:
                self._busy = False
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), pause)

    async def _round(self) -> float:
        """Look at everything that is due; return how many seconds to sleep."""
        for commit in await self._commits.claim_due(self._server_id, datetime.now(UTC)):
            with structlog.contextvars.bound_contextvars(
                repository=commit.repo.full_name, commit=commit.sha
            ):
                await self._take(commit)
        for pull in await self._pulls.claim_due(self._server_id, datetime.now(UTC)):
            with structlog.contextvars.bound_contextvars(
                repository=pull.repo.full_name, pull_request=pull.number
            ):
                await self._take_pull(pull)
        stores = (self._commits, self._pulls)
        due = [one for store in stores if (one := await store.next_due(self._server_id))]
        if not due:
            return min(LONGEST_SLEEP, self._first_wait)
        left = (min(due) - datetime.now(UTC)).total_seconds()
        return max(0.0, min(left, LONGEST_SLEEP, self._first_wait))

    async def _take(self, commit: WatchedCommit) -> None:
        if await self._still_put_off(commit):
            later = datetime.now(UTC) + wait_after(commit.looks, self._first_wait)
            await self._commits.wait(commit, later, commit.note)
            return
        published = commit.published_by is not None and not commit.asked_by
        try:
            note = await (self._aftermath(commit) if published else self._look(commit))
            _log.info("commit looked at", outcome=note)
        except NotPermitted as error:
            _log.warning("commit left alone", problem=str(error))
            await self._commits.decided(commit, CommitState.PASSED_BY, str(error))
        except Exception as error:  # noqa: BLE001 - one commit must not hold up the others
            await self._try_again(commit, error)

    async def _take_pull(self, pull: OpenPull) -> None:
        try:
            note = await self._conflict(pull)
            _log.info("pull request looked at", outcome=note)
        except NotPermitted as error:
            _log.warning("pull request left alone", problem=str(error))
            await self._pulls.looked(pull, "", str(error))
        except Exception as error:  # noqa: BLE001 - one must not hold up the others
            outage = isinstance(error, FixpointError) and is_outage(error)
            _log.warning("pull request not looked at", problem=str(error), exc_info=not outage)
            if pull.looks >= MOST_LOOKS and not outage:
                await self._pulls.looked(pull, "", repr(error))
                return
            wait = wait_after(pull.looks, self._first_wait)
            await self._pulls.wait(pull, datetime.now(UTC) + wait, repr(error))

    async def _still_put_off(self, commit: WatchedCommit) -> bool:
        """Whether the queue was full and is so still: then nothing has to be asked of GitHub."""
        put_off = commit.note == run_life.CHECKS_PUT_OFF and not commit.asked_by
        return put_off and await self._queue.is_full()

    async def _try_again(self, commit: WatchedCommit, error: Exception) -> None:
        problem = str(error) if isinstance(error, FixpointError) else repr(error)
        outage = isinstance(error, FixpointError) and is_outage(error)
        if datetime.now(UTC) - commit.first_at > PATIENCE and not outage:
            _log.error("commit left alone", problem=problem)
            await self._commits.decided(commit, CommitState.PASSED_BY, problem)
            return
        _log.warning("commit not decided", problem=problem, exc_info=not outage)
        due = datetime.now(UTC) + wait_after(commit.looks, self._first_wait)
        await self._commits.wait(commit, due, problem)
