"""Work through stored deliveries: oldest first, again after a failure, across restarts."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Self

import structlog

from bot.errors import FixpointError, StorageError, is_outage
from bot.intake.comment_values import CommentCreated
from bot.intake.review_dispatch import Waits
from bot.intake.router import ClaimedDelivery, Router, read_delivery
from bot.storage.deliveries import Delivery, DeliveryStore
from bot.storage.notifications import DELIVERIES, Signals

FIRST_WAIT = 5.0
LONGEST_WAIT = 60.0
"""Seconds before deliveries that failed are tried again: the first wait, doubled up to the other;
a new delivery ends it."""

LOOK_EVERY = 2.0
"""Seconds until a server looks for deliveries that nobody told it of."""

OUTAGE_PATIENCE = timedelta(days=1)
"""So long an outage of GitHub's is not counted against a delivery."""

_log = structlog.get_logger(__name__)


class Dispatcher:
    """Takes stored deliveries up, oldest first, those of one thread one after the other."""

    def __init__(
        self,
        deliveries: DeliveryStore,
        resume_runs: Callable[[], Awaitable[None]],
        router: Router,
        still_waits: Callable[[CommentCreated], Awaitable[bool]],
        *,
        server_id: str,
        signals: Signals,
        first_wait: float = FIRST_WAIT,
        look_every: float = LOOK_EVERY,
    ) -> None:
        """Describe what works through deliveries.

        Args:
            deliveries: Stored by any server.
            resume_runs: Starts runs that a process accepted, or let through, and did not start.
            router: Does what they ask for.
            still_waits: Whether another run works on the pull request of what was said.
            server_id: Under which they are claimed.
            signals: Tell of deliveries that other servers stored.
            first_wait: Seconds before those that failed are tried again.
            look_every: Seconds until it looks without having been told.
        """
        self._first_wait = first_wait
        self._look_every = look_every
        self._server_id = server_id
        self._stack = ExitStack()
        self._signals = signals
        self._deliveries = deliveries
        self._resume_runs = resume_runs
        self._router = router
        self._still_waits = still_waits
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._busy = False

    def wake(self) -> None:
        """Say that there is a new delivery."""
        self._woken.set()

    @property
    def idle(self) -> bool:
        """Whether nothing is being worked on and nothing new was announced."""
        return not self._busy and not self._woken.is_set()

    async def __aenter__(self) -> Self:
        """Begin, with what an earlier process left."""
        await self._resume_runs()
        self._woken = self._stack.enter_context(self._signals.heard(DELIVERIES))
        self.wake()
        self._task = asyncio.create_task(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        """See `stop`."""
        await self.stop()

    async def stop(self) -> None:
        """Take nothing more up; what is not finished is left to other servers, or the next start."""
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._task = None
        self._stack.close()
        with contextlib.suppress(StorageError):  # it is free anyway once this server is gone
            await self._deliveries.release(self._server_id)

    async def _work(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), self._look_every)
            self._busy = True
            self._woken.clear()
            try:
                await self._take_up_waiting()
                await self._take_pending()
            except StorageError as error:  # until the database is back
                _log.warning("deliveries not looked for", problem=str(error))
                await asyncio.sleep(self._first_wait)
            finally:
                self._busy = False

    async def _take_up_waiting(self) -> None:
        """Have what people asked for taken up whose pull request no other run works on any more."""
        for waiting in await self._deliveries.waiting():
            # What this version can't read is told where it is taken up.
            said = read_delivery(waiting).comment
            if not isinstance(said, CommentCreated) or not await self._still_waits(said):
                await self._deliveries.add(waiting.id, waiting.event, waiting.payload)

    async def _claimed(self) -> tuple[ClaimedDelivery, ...]:
        """Return deliveries that this server may work on, in order."""
        free = tuple(map(read_delivery, await self._deliveries.claimable(self._server_id)))
        if not free:
            return ()
        threads = {claimed.delivery.id: claimed.thread for claimed in free}
        mine = await self._deliveries.claim(self._server_id, threads)
        return tuple(claimed for claimed in free if claimed.delivery.id in mine)

    async def _take_pending(self) -> None:
        wait = self._first_wait
        while batch := await self._claimed():
            if await self._take_all(batch):
                wait = self._first_wait
                continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), wait)
            self._woken.clear()
            wait = min(2 * wait, LONGEST_WAIT)

    async def _take_all(self, batch: tuple[ClaimedDelivery, ...]) -> bool:
        """Work through a batch, threads side by side; return whether all of it is done."""
        threads: dict[str, list[ClaimedDelivery]] = defaultdict(list)
        for claimed in batch:
            threads[claimed.thread].append(claimed)
        return all(await asyncio.gather(*map(self._take_thread, threads.values())))

    async def _take_thread(self, thread: list[ClaimedDelivery]) -> bool:
        for claimed in thread:
            delivery = claimed.delivery
            with structlog.contextvars.bound_contextvars(delivery_id=delivery.id):
                try:
                    note = await self._router.take(claimed)
                except Waits as why:
                    await self._deliveries.wait(delivery.id, str(why))
                    _log.info("delivery waits", reason=str(why))
                    continue
                except FixpointError as error:
                    parked = not _waits_for_github(delivery, error) and (
                        await self._deliveries.failed(delivery.id, str(error))
                    )
                    _log.warning("delivery failed", problem=str(error), parked=parked)
                    return False
                except Exception as error:  # noqa: BLE001 - a bug of ours must not silence every later delivery
                    parked = await self._deliveries.failed(delivery.id, repr(error))
                    _log.exception("delivery broke", parked=parked)
                    return False
                await self._deliveries.done(delivery.id, note)
                _log.info("delivery done", outcome=note)
        return True


def _waits_for_github(delivery: Delivery, error: FixpointError) -> bool:
    """Whether the delivery itself can't be blamed for the failure."""
    return is_outage(error) and datetime.now(UTC) - delivery.received_at < OUTAGE_PATIENCE
