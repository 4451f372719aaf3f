"""Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import structlog
from aiohttp import web

from bot.errors import StorageError
from bot.web.caller import CALLER, Caller

PERSON_SECONDS = 240.0

PULSE_SECONDS = 15.0
"""Between two signs of life: proxies close what is silent for a minute."""

KEY_SECONDS = 5.0
"""Between two looks at whether the key that a stream was opened with is still good."""

StillGood = Callable[[], Awaitable[bool]]

STILL_GOOD: web.RequestKey[StillGood] = web.RequestKey("still good")
"""Of a request with a key: asks the database whether that would still let somebody in."""

_log = structlog.get_logger(__name__)


@contextlib.asynccontextmanager
async def stream(request: web.Request) -> AsyncIterator[web.StreamResponse]:
    """Open a stream to the client of a request.

    That it leaves ends the block without an error, and so does a database that fails: the answer
    has begun, so a client that reads no end has to ask again.

    A stream to a person who logged in with GitHub ends after some minutes, which ends the block as
    well: their browser comes back for the rest, and what they may see is asked anew. One that was
    opened with a key ends soon after the key is revoked or has expired.
    """
    response = web.StreamResponse(
        headers={
            "Content-Type": "text/event-stream; charset=utf-8",
            "X-Accel-Buffering": "no",
        }
    )
    await response.prepare(request)
    caller: Caller | None = request.get(CALLER)
    limit = PERSON_SECONDS if caller is not None and caller.login else None
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit) as deadline, _while_good(request, deadline):
                yield response
        await response.write_eof()
    except ConnectionResetError:
        pass
    except StorageError as error:
        _log.warning("stream cut", problem=str(error))
        response.force_close()


@contextlib.asynccontextmanager
async def _while_good(request: web.Request, deadline: asyncio.Timeout) -> AsyncIterator[None]:
    """Bring the deadline forward once the key of a request is good no more."""
    is_good = request.get(STILL_GOOD)
    if is_good is None:
        yield
        return

    async def watch() -> None:
        while await is_good():  # noqa: ASYNC110 - in the database
            await asyncio.sleep(KEY_SECONDS)
        deadline.reschedule(asyncio.get_running_loop().time())

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()


async def pulse(response: web.StreamResponse) -> None:
    """Show that there is nothing new."""
    await response.write(b": still here\n\n")


async def send(
    response: web.StreamResponse,
    data: Mapping[str, Any],
    *,
    event: str = "",
    number: int | None = None,
) -> None:
    """Send one event; its JSON has no line end, so that it is one line of data."""
    lines = [] if number is None else [f"id: {number}"]
    lines += [f"event: {event}"] if event else []
    lines.append(f"data: {json.dumps(data, ensure_ascii=False)}")
    text = "\n".join(lines) + "\n\n"
    await response.write(text.encode("utf-8", "replace"))
