"""Fetch deliveries from a channel where GitHub can't reach the server: the protocol of smee.io.

A channel is a stream of server-sent events. Each is a request that came in there: its headers, and
its body as JSON, or, with gosmee's server, the bytes of it in base64 as well. Signatures are checked
by the webhook, as if GitHub had delivered itself. https://github.com/probot/smee.io
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog
from httpx2 import AsyncClient, HTTPError, Timeout

from bot.background import in_background

_PASSED_ON = ("content-type", "user-agent", "x-hub-signature-256")
_OF_GITHUB = "x-github-"
_AGAIN_SECONDS = 5.0
"""Until a channel that broke off is opened again."""

_QUIET_SECONDS = 120.0
"""Without even a comment, which channels send to keep the connection."""

_LARGEST = 2**26
"""Bytes of an event: the largest payload of GitHub's, 25 MB, in base64 beside itself."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Relayed:
    """One request to pass on."""

    headers: Mapping[str, str]
    body: bytes


def relayed(data: str) -> Relayed | None:
    """Return the request that an event carries; None for one that carries none."""
    try:
        event: Any = json.loads(data)
    except ValueError:
        return None
    if not isinstance(event, dict) or "x-github-event" not in event:
        return None
    headers = {
        name: value
        for name, value in event.items()
        if isinstance(value, str) and (name in _PASSED_ON or name.startswith(_OF_GITHUB))
    }
    raw = event.get("bodyB")
    if isinstance(raw, str):
        try:
            return Relayed(headers, base64.b64decode(raw, validate=True))
        except ValueError:
            return None
    # As GitHub writes it: without blanks, and letters of all languages as they are.
    text = json.dumps(event.get("body"), separators=(",", ":"), ensure_ascii=False)
    return Relayed(headers | {"content-type": "application/json"}, text.encode())


@asynccontextmanager
async def deliveries_from(channel: str | None, webhook: str) -> AsyncIterator[None]:
    """Pass on to `webhook` what arrives in a channel, if there is one, while the block lasts."""
    if channel is None:
        yield
        return
    async with in_background(partial(_pass_on, channel, webhook)):
        yield


async def _pass_on(channel: str, webhook: str) -> None:
    timeout = Timeout(30.0, read=_QUIET_SECONDS)
    while True:
        try:
            async with AsyncClient(timeout=timeout, follow_redirects=True) as client:
                await _follow(client, channel, webhook)
            problem = "The channel ended."
        except HTTPError as error:
            problem = str(error) or type(error).__name__
        _log.warning("channel broke off", problem=problem, again_seconds=_AGAIN_SECONDS)
        await asyncio.sleep(_AGAIN_SECONDS)


async def _follow(client: AsyncClient, channel: str, webhook: str) -> None:
    async with client.sse(channel, max_event_size=_LARGEST) as source:
        source.response.raise_for_status()
        _log.info("deliveries come from a channel")
        async for event in source:
            request = relayed(event.data)
            if request is None:
                continue
            answer = await client.post(webhook, content=request.body, headers=request.headers)
            if answer.is_error:
                _log.warning(
                    "delivery refused", status=answer.status_code, answer=answer.text[:200]
                )
