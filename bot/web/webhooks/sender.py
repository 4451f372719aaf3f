"""Send what webhooks have to be told, again and again until it arrives or is given up."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import errno
import hashlib
import hmac
import json
import random
import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import structlog
from pydantic import SecretStr

from bot import __version__
from bot.errors import StorageError
from bot.model.events import KeptEvent
from bot.reporting.chat_message import ChatMessage, happened
from bot.storage.runs import RunRecord
from bot.storage.stores import Stores
from bot.storage.webhook_messages import WebhookMessage
from bot.storage.webhooks import SECRET_PREFIX, Webhook, WebhookFormat, WebhookType
from bot.web.api.models import run_part
from bot.web.shown_text import called
from sandbox.egress.addresses import is_local, is_own

FORBIDDEN = "It leads to this machine or into a private network."

_CONNECTIONS = 20
_PER_HOST = 4


class ForbiddenAddress(OSError):
    """The name of a webhook leads to where it may not lead."""

    def __init__(self) -> None:
        super().__init__(errno.EACCES, FORBIDDEN)


def open_session(*, local: bool, timeout: float) -> aiohttp.ClientSession:
    """Return what sends messages: without cookies, proxies, or redirects to follow.

    What is connected to is what was checked, because the check is where the socket is made: behind
    that, no name is looked up again.

    Args:
        local: Whether addresses of this machine and of private networks are allowed.
        timeout: Seconds for one message.
    """
    connector = aiohttp.TCPConnector(
        limit=_CONNECTIONS,
        limit_per_host=_PER_HOST,
        use_dns_cache=False,
        force_close=True,
        socket_factory=_socket if local else _checked_socket,
    )
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=timeout),
        trust_env=False,
        auto_decompress=False,
    )


def _checked_socket(address: Any) -> socket.socket:
    host = str(address[4][0])
    if is_local(host) or is_own(host):
        raise ForbiddenAddress
    return _socket(address)


def _socket(address: Any) -> socket.socket:
    family, kind, protocol, *_ = address
    return socket.socket(family, kind, protocol)


_WAITS = (1, 60, 360, 1440, 3600, 7200, 10_080, 14_400, 17_280)
"""In units of the first wait: with 5 seconds 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h,
as Standard Webhooks proposes; three days and three hours in all."""

MOST_TRIES = len(_WAITS) + 1

_MOST_ASKED_FOR = timedelta(hours=24)


def again_after(
    tries: int, first_wait: float, jitter: float, asked_for: timedelta | None
) -> timedelta | None:
    """Return how long to wait; None gives the message up.

    Args:
        tries: How often it was sent.
        first_wait: Seconds.
        jitter: From 0 to 1; spreads what failed at the same time.
        asked_for: What the receiver said; at least that long is waited, up to a day.
    """
    if tries >= MOST_TRIES:
        return None
    wait = timedelta(seconds=_WAITS[tries - 1] * first_wait * (1 + 0.2 * jitter))
    if asked_for is None:
        return wait
    return max(wait, min(asked_for, _MOST_ASKED_FOR))


def retry_after(header: str, now: datetime) -> timedelta | None:
    """Return what a `Retry-After` says: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after."""
    text = header.strip()
    if text.isascii() and text.isdigit():
        return timedelta(seconds=min(int(text[:9]), 10**8))
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    return max(timedelta(0), moment - now)


# See https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md


def signed_headers(secret: SecretStr, message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """Return the headers by which a receiver knows a message, its age, and that it is ours.

    Args:
        secret: `whsec_` and base64 of the key.
        message_id: The same for each time that the message is sent.
        at: When it is sent this time.
        body: Exactly as it is sent.
    """
    key = base64.b64decode(secret.get_secret_value().removeprefix(SECRET_PREFIX))
    timestamp = str(int(at.timestamp()))
    signed = f"{message_id}.{timestamp}.".encode() + body
    signature = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{signature}",
    }


def message_body(message: WebhookMessage, event: KeptEvent | None, run: RunRecord) -> bytes:
    """Return a message as JSON: its type, when it happened, and the run as the API shows it.

    Args:
        message: What to tell.
        event: That it is about; None when events of that age are deleted.
        run: As it is now. Its status is the event's: it may have gone on since.
    """
    data = run_part(run).model_dump(mode="json")
    if event is not None:
        data |= {key: event.data[key] for key in ("status", "verdict", "reason")}
    body = {
        "type": message.type,
        "timestamp": message.created_at.isoformat(),
        "data": {**data, "event": message.number},
    }
    return _encoded(body)


def body_for(
    webhook: Webhook, message: WebhookMessage, event: KeptEvent | None, run: RunRecord, page: str
) -> bytes:
    """Return a message in the format that a webhook takes; see `message_body`.

    Args:
        webhook: That is told.
        message: What to tell.
        event: That it is about; None when events of that age are deleted.
        run: As it is now.
        page: Address of the run's page; "" where people have none.
    """
    if webhook.format is WebhookFormat.STANDARD:
        return message_body(message, event, run)
    said = _chat_message(message, run, page)
    return _encoded(said.for_slack() if webhook.format is WebhookFormat.SLACK else said.for_teams())


def _chat_message(message: WebhookMessage, run: RunRecord, page: str) -> ChatMessage:
    over = message.type == WebhookType.FINISHED
    number = "" if run.request.number is None else f"#{run.request.number}"
    opened = "Commit" if run.pull_request is None else f"Pull request #{run.pull_request}"
    links = ((opened, run.pull_request_url or ""), ("Run", page))
    return ChatMessage(
        happened(message.type, run.verdict if over else None),
        called(run),
        f"{run.repo.full_name}{number}",
        run.reason,
        tuple((name, address) for name, address in links if address),
    )


def _encoded(body: object) -> bytes:
    # texts of strangers may have half characters, which UTF-8 has no place for
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


_TIMEOUT = 15.0
"""Seconds that a receiver has, as Standard Webhooks recommends: 15 to 30."""

LEASE = timedelta(seconds=60)
"""How long everybody leaves a message alone that one server has taken up, which may have ended."""

_LOOK_SECONDS = 5.0
_PAUSE_SECONDS = 0.2
"""Between two looks: a run's output is news as well, and comes in many pieces."""

_log = structlog.get_logger(__name__)


class NotDelivered(Exception):
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

    def __init__(
        self,
        stores: Stores,
        *,
        first_wait: float,
        lease: timedelta = LEASE,
        page_of: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        """Say what to send.

        Args:
            stores: Of runs, their events, and messages.
            first_wait: Seconds before what failed is sent again; the first of growing waits.
            lease: Longer than it takes to send a message once.
            page_of: Returns the address of a run's page, if people reach it.
        """
        self._page_of = page_of
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

    async def _send(self, webhook: Webhook, message: WebhookMessage) -> None:
        told = {"webhook": webhook.id, "message": message.id, "tries": message.tries}
        try:
            await self._post(webhook, message)
        except NotDelivered as refused:
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

    async def _post(self, webhook: Webhook, message: WebhookMessage) -> None:
        """Send a message once.

        Raises:
            Refused: When it did not arrive.
        """
        run = await self._runs.get(message.run_id)
        if run is None:
            raise NotDelivered("The run is gone.", gone=False)
        found = await self._events.after(message.run_id, message.number - 1, most=1)
        event = found[0] if found and found[0].number == message.number else None
        body = body_for(webhook, message, event, run, self._page_of(run.id) or "")
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
            raise NotDelivered(_why(error, webhook.url)) from error


def _require_success(answer: aiohttp.ClientResponse, now: datetime) -> None:
    """Raise `NotDelivered` unless a receiver took a message."""
    status = answer.status
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return
    problem = f"It answered with status {status}."
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        problem = f"It answered with status {status}; redirects are not followed."
    asked_for = retry_after(answer.headers.get("Retry-After", ""), now)
    raise NotDelivered(problem, asked_for, gone=status == HTTPStatus.GONE)


def _why(error: Exception, url: str) -> str:
    """Return why a receiver was not reached, without its address but for the host."""
    host = urlsplit(url).hostname or "It"
    if isinstance(error, TimeoutError):
        return f"{host} did not answer within {_TIMEOUT:.0f} seconds."
    reason = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(reason, OSError) and reason.strerror:
        return f"{host} can't be reached: {reason.strerror.rstrip('.')}."
    return f"{host} can't be reached ({type(error).__name__})."
