"""Send what webhooks have to be told, again and again until it arrives or is given up."""

from __future__ import annotations

import asyncio
import contextlib
import random
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from urllib.parse import urlsplit

import aiohttp
import structlog

from bot import __version__
from bot.errors import StorageError
from bot.storage.stores import Stores
from bot.storage.webhook_messages import Message
from bot.storage.webhooks import Webhook
from bot.web.webhooks.body import message_body
from bot.web.webhooks.connections import open_session
from bot.web.webhooks.schedule import again_after, retry_after
from bot.web.webhooks.signature import signed_headers

_TIMEOUT = 15.0
"""Seconds that a receiver has, as Standard Webhooks recommends: 15 to 30."""

LEASE = timedelta(seconds=60)
"""How long everybody leaves a message alone that one server has taken up, which may have ended."""

_LOOK_SECONDS = 5.0
_PAUSE_SECONDS = 0.2
"""Between two looks: a run's output is news as well, and comes in many pieces."""

_log = structlog.get_logger(__name__)


class Refused(Exception):
    """A message did not arrive.

    Attributes:
        problem: Why, in one sentence.
        asked_for: How long the receiver wants us to wait, if it said so.
        gone: Whether it wants no more messages at all.
    """

    def __init__(
        self, problem: str, asked_for: timedelta | None = None, *, gone: bool = False
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.asked_for = asked_for
        self.gone = gone


class WebhookSender:
    """Sends messages in the order of their events; one that failed comes later.

    Webhooks don't wait for each other, and each gets one message at a time.
    """

    def __init__(self, stores: Stores, *, first_wait: float, lease: timedelta = LEASE) -> None:
        """Say what to send.

        Args:
            stores: Of runs, their events, and messages.
            first_wait: Seconds before what failed is sent again; the first of growing waits.
            lease: Longer than it takes to send a message once.
        """
        self._runs = stores.runs
        self._events = stores.events
        self._webhooks = stores.webhooks
        self._messages = stores.messages
        self._first_wait = first_wait
        self._lease = lease
        self._busy: dict[str, asyncio.Task[None]] = {}

    async def keep_sending(self) -> None:
        """Send for ever."""
        try:
            with self._events.signals.heard() as news:
                while True:
                    news.clear()
                    wait = await self._look()
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(wait):
                            await news.wait()
                    await asyncio.sleep(min(_PAUSE_SECONDS, wait))
        finally:
            for task in self._busy.values():
                task.cancel()
            await asyncio.gather(*self._busy.values(), return_exceptions=True)

    async def _look(self) -> float:
        """Begin to send what is due; return after how many seconds to look again."""
        try:
            for webhook_id in await self._messages.due(datetime.now(UTC)):
                if webhook_id not in self._busy:
                    self._begin(webhook_id)
            due = await self._messages.next_due()
        except StorageError as error:
            _log.warning("webhooks not looked after", problem=str(error))
            return _LOOK_SECONDS
        if due is None:
            return _LOOK_SECONDS
        left = (due - datetime.now(UTC)).total_seconds()
        return min(max(left, _PAUSE_SECONDS), _LOOK_SECONDS)

    def _begin(self, webhook_id: str) -> None:
        task = asyncio.create_task(self._send_all(webhook_id))
        self._busy[webhook_id] = task
        task.add_done_callback(lambda _: self._busy.pop(webhook_id, None))

    async def _send_all(self, webhook_id: str) -> None:
        try:
            while (claimed := await self._messages.claim(webhook_id, self._lease)) is not None:
                webhook, message = claimed
                await self._send(webhook, message)
        except StorageError as error:
            _log.warning("webhook not sent", webhook=webhook_id, problem=str(error))

    async def _send(self, webhook: Webhook, message: Message) -> None:
        told = {"webhook": webhook.id, "message": message.id, "tries": message.tries}
        try:
            await self._post(webhook, message)
        except Refused as refused:
            _log.warning("webhook failed", problem=refused.problem, **told)
            if refused.gone:
                await self._webhooks.gone(webhook.id)
                await self._messages.give_up(webhook.id, refused.problem)
                return
            wait = again_after(
                message.tries,
                self._first_wait,
                random.random(),  # noqa: S311 - spreads load, guards nothing
                refused.asked_for,
            )
            again_at = None if wait is None else datetime.now(UTC) + wait
            await self._messages.failed(message, refused.problem, again_at)
        else:
            _log.info("webhook sent", **told)
            await self._messages.sent(message)

    async def _post(self, webhook: Webhook, message: Message) -> None:
        """Send a message once.

        Raises:
            Refused: When it did not arrive.
        """
        run = await self._runs.get(message.run_id)
        if run is None:
            raise Refused("The run is gone.", gone=False)
        found = await self._events.after(message.run_id, message.number - 1, most=1)
        event = found[0] if found and found[0].number == message.number else None
        body = message_body(message, event, run)
        now = datetime.now(UTC)
        headers = {
            **signed_headers(webhook.secret, message.id, now, body),
            "Content-Type": "application/json",
            "User-Agent": f"Fixpoint/{__version__}",
        }
        try:
            async with (
                open_session(local=webhook.local, timeout=_TIMEOUT) as session,
                session.post(
                    webhook.url, data=body, headers=headers, allow_redirects=False
                ) as answer,
            ):
                _require_success(answer, now)
        except (aiohttp.ClientError, OSError) as error:
            # not `str(error)` of them all: an address may hold what only its owner should know
            raise Refused(_why(error, webhook.url)) from error


def _require_success(answer: aiohttp.ClientResponse, now: datetime) -> None:
    """Raise `Refused` unless a receiver took a message."""
    status = answer.status
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return
    problem = f"It answered with status {status}."
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        problem = f"It answered with status {status}; redirects are not followed."
    asked_for = retry_after(answer.headers.get("Retry-After", ""), now)
    raise Refused(problem, asked_for, gone=status == HTTPStatus.GONE)


def _why(error: Exception, url: str) -> str:
    """Return why a receiver was not reached, without its address but for the host."""
    host = urlsplit(url).hostname or "It"
    if isinstance(error, TimeoutError):
        return f"{host} did not answer within {_TIMEOUT:.0f} seconds."
    reason = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(reason, OSError) and reason.strerror:
        return f"{host} can't be reached: {reason.strerror.rstrip('.')}."
    return f"{host} can't be reached ({type(error).__name__})."
