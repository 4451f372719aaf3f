"""Steps that survive their process: each one's result is kept in the database (DBOS)."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar, cast

from dbos import DBOS, error
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import RunOutdated
from bot.reporting.reasons import run_life
from bot.runs.durability.outages import FIRST_WAIT, outlast
from bot.runs.durability.stopping import Stopping
from bot.storage.group_commit import failed
from bot.storage.journal import Journal

T = TypeVar("T")


class TakenOver(BaseException):
    """Another process goes on with the run: no matter for anything that handles its errors."""


class DurableSteps:
    """Steps whose results are in the database; see `bot.model.steps.Steps`."""

    lasting = True

    def __init__(
        self, journal: Journal, stopping: Stopping, *, first_wait: float = FIRST_WAIT
    ) -> None:
        """Describe where steps are kept.

        Args:
            journal: For light ones.
            stopping: Says before each step whether it may begin.
            first_wait: Seconds to wait at an outage of GitHub's.
        """
        self._journal = journal
        self._stopping = stopping
        self._first_wait = first_wait
        self._keeping: dict[str, list[asyncio.Future[bool]]] = {}

    async def __call__(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        """Run `act(*args)` as the step `name`, or return what it gave before the restart.

        Raises:
            RunOutdated: When the run did something else here before the restart.
            StorageError: When its result, or that of a light step before it, could not be kept.
        """
        await self.kept()
        await self._stopping.pass_on(str(DBOS.workflow_id))

        async def once() -> T:
            return await outlast(lambda: act(*args), first_wait=self._first_wait)

        try:
            return await DBOS.run_step_async({"name": name}, once)
        except SQLAlchemyError as failure:  # the step is done, and its result could not be kept
            raise failed(failure) from failure
        except error.DBOSWorkflowConflictIDError as conflict:
            raise TakenOver from conflict
        except error.DBOSUnexpectedStepError as change:
            raise RunOutdated(run_life.SERVER_CHANGED) from change

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
        if self._stopping.wanted:
            await self.kept()
        await self._stopping.pass_on(run_id)
        outcome = await _Outcome.of(act, args)
        await self.kept()
        keeping = self._journal.keep(run_id, name, pickle.dumps(outcome))
        self._keeping.setdefault(run_id, []).append(keeping)
        return cast("T", outcome.unwrap())

    async def kept(self) -> None:
        """Return once the results of this run's light steps are on disk.

        Raises:
            StorageError: When one of the last could not be kept.
        """
        keeping = self._keeping.pop(str(DBOS.workflow_id), [])
        # An attempt that is stopped must not take with it what others, side by side with it, kept.
        if keeping and not all(await asyncio.shield(asyncio.gather(*keeping))):
            raise TakenOver


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
