"""Receive GitHub's webhooks: verify, store, acknowledge; everything slow happens after."""

from __future__ import annotations

import asyncio
import hmac
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus

import structlog
from aiohttp import hdrs, web
from pydantic import SecretStr

from bot.errors import MalformedPayload, StorageError
from bot.intake.events import is_handled, peek
from bot.intake.webhook_head import Peek
from bot.redaction import TOKENS_ALONE, Redactor
from bot.storage.deliveries import DeliveryStore

MAX_BODY = 25 * 2**20
"""GitHub sends no larger payload.

https://docs.github.com/en/webhooks/webhook-events-and-payloads#payload-cap
"""

BODY_SECONDS = 60.0
"""For a payload to arrive; GitHub itself waits ten seconds for the answer."""

_DELIVERY_ID = re.compile(r"[0-9A-Za-z-]{1,64}")
_EVENT_NAME = re.compile(r"[a-z_]{1,64}")

_HEADERS = {
    hdrs.CACHE_CONTROL: "no-store",
    hdrs.CONTENT_TYPE: "application/json; charset=utf-8",
}

_log = structlog.get_logger(__name__)


class _Refused(Exception):
    """The request is no webhook that we take; says so with a status and a sentence."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True, slots=True)
class _Envelope:
    """What the headers say about a webhook."""

    delivery_id: str
    event: str
    signature: str


class WebhookReceiver:
    """The handler of `POST /webhook`.

    Args:
        secret: What the App's webhook is set up with.
        deliveries: Where webhooks are kept until they are worked through.
        wake: Called after a new one was stored; must return at once.
        redactor: Takes secrets out of what people wrote, before it is stored.
        is_base: Whether a pull request of ours merges into a branch of a repository: what is pushed
            to others asks for nothing.
    """

    def __init__(
        self,
        secret: SecretStr,
        deliveries: DeliveryStore,
        wake: Callable[[], None],
        redactor: Redactor = TOKENS_ALONE,
        is_base: Callable[[str, str], Awaitable[bool]] | None = None,
    ) -> None:
        self._is_base = is_base
        self._secret = secret
        self._redactor = redactor
        self._deliveries = deliveries
        self._wake = wake

    async def handle(self, request: web.Request) -> web.Response:
        """Answer 202 once the delivery is on disk, or a 4xx with a sentence, or 503."""
        try:
            envelope = _envelope(request)
            body = await _read_body(request)
            _check_signature(self._secret, body, envelope.signature)
            return await self._take(envelope, body)
        except _Refused as refusal:
            _log.warning("webhook refused", status=refusal.status.value, reason=refusal.reason)
            return _answer(refusal.status, error=refusal.reason)

    async def _take(self, envelope: _Envelope, body: bytes) -> web.Response:
        if envelope.event == "ping":
            return _answer(HTTPStatus.OK, status="pong")
        try:
            seen = peek(envelope.event, body)
        except MalformedPayload as error:
            raise _Refused(HTTPStatus.BAD_REQUEST, str(error)) from error
        about = {
            "delivery_id": envelope.delivery_id,
            "event_name": envelope.event,
            "action": seen.action,
        }
        try:
            if not await self._is_wanted(envelope.event, seen):
                _log.debug("webhook ignored", **about)
                return _answer(HTTPStatus.ACCEPTED, status="ignored")
            kept = self._redactor.payload(body)
            new = await self._deliveries.add(envelope.delivery_id, envelope.event, kept)
        except StorageError as error:
            # GitHub marks it as failed; it can be redelivered, by hand or by the sweep.
            _log.exception("webhook not stored", **about)
            raise _Refused(
                HTTPStatus.SERVICE_UNAVAILABLE, "The delivery could not be stored; redeliver it."
            ) from error
        if not new:
            _log.info("webhook delivered again", **about)
            return _answer(HTTPStatus.ACCEPTED, status="duplicate")
        self._wake()
        _log.info("webhook stored", **about)
        return _answer(HTTPStatus.ACCEPTED, status="accepted")

    async def _is_wanted(self, event: str, seen: Peek) -> bool:
        if is_handled(event, seen.action, seen.outcome(event), seen.says):
            return True
        if event != "push" or seen.pushed_to is None or self._is_base is None:
            return False
        return await self._is_base(*seen.pushed_to)


def _envelope(request: web.Request) -> _Envelope:
    """Check everything that is known before the body is read."""
    if request.content_type != "application/json":
        raise _Refused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"The content type is {request.content_type}; choose application/json in the App's "
            "webhook settings.",
        )
    if hdrs.CONTENT_ENCODING in request.headers:
        raise _Refused(
            HTTPStatus.BAD_REQUEST,
            "The payload has a Content-Encoding, which GitHub never sends; send it as it is.",
        )
    return _Envelope(
        delivery_id=_header(request, "X-GitHub-Delivery", _DELIVERY_ID),
        event=_header(request, "X-GitHub-Event", _EVENT_NAME),
        signature=request.headers.get("X-Hub-Signature-256", ""),
    )


def _header(request: web.Request, name: str, pattern: re.Pattern[str]) -> str:
    value = request.headers.get(name, "")
    if not pattern.fullmatch(value):
        raise _Refused(
            HTTPStatus.BAD_REQUEST,
            f"The {name} header is missing or invalid, so this is not a GitHub webhook.",
        )
    return value


async def _read_body(request: web.Request) -> bytes:
    """Return the raw body; ask not even for the first byte of one that says it is too large."""
    refusal = _Refused(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The payload is larger than {MAX_BODY >> 20} MiB."
    )
    if (request.content_length or 0) > MAX_BODY:
        raise refusal
    body = bytearray()
    try:
        if request.content.is_eof():  # it came with the headers
            return request.content.read_nowait()
        async with asyncio.timeout(BODY_SECONDS):
            # Not `request.read()`: its limit belongs to the application, and is 1 MiB unless set.
            async for chunk in request.content.iter_any():
                body += chunk
                if len(body) > MAX_BODY:
                    raise refusal
    except (web.RequestPayloadError, TimeoutError) as error:
        raise _Refused(
            HTTPStatus.BAD_REQUEST, "The payload did not arrive as a whole; send it again."
        ) from error
    return bytes(body)


def _check_signature(secret: SecretStr, body: bytes, signature: str) -> None:
    """Refuse a body that was not signed with our secret; SHA-1 signatures do not count.

    https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    """
    if not signature:
        raise _Refused(
            HTTPStatus.UNAUTHORIZED,
            "The X-Hub-Signature-256 header is missing; set a webhook secret in the App's settings.",
        )
    digest = hmac.digest(secret.get_secret_value().encode(), body, "sha256").hex()
    # As bytes: `compare_digest` raises on text that is not ASCII.
    given = signature.encode("utf-8", "surrogateescape")
    if not hmac.compare_digest(f"sha256={digest}".encode(), given):
        raise _Refused(
            HTTPStatus.UNAUTHORIZED,
            "The signature does not match; GITHUB_WEBHOOK_SECRET must be the App's webhook secret.",
        )


def _answer(status: HTTPStatus, /, **content: str) -> web.Response:
    return web.Response(body=_written(**content), status=status.value, headers=_HEADERS)


@lru_cache(maxsize=16)
def _written(**content: str) -> bytes:
    return json.dumps(content).encode()
