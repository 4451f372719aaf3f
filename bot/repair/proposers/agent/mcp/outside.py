"""A server outside of the sandbox, because the operator says so: on this machine, or at an address."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bot.model.mcp_servers import McpServer
from bot.repair.proposers.agent.mcp.messages import (
    GREETING_ID,
    PROTOCOL,
    REQUEST_ID,
    McpError,
    data_lines,
    greeted,
    greeting,
    has_answer,
)

if TYPE_CHECKING:
    from aiohttp import ClientSession

_LONGEST_LINE = 4 * 2**20
_MOST_LINES = 10_000
_PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR")
"""Of our own environment: a server gets what it needs to start, and none of our secrets."""


async def exchanged(server: McpServer, request: str) -> list[str]:
    """Open a session, ask, and return the lines that the server said.

    Raises:
        McpError: When it can't be reached, or takes too long.
    """
    try:
        async with asyncio.timeout(server.seconds):
            return await (
                _over_http(server, request) if server.url else _over_pipes(server, request)
            )
    except TimeoutError as error:
        raise McpError(f"it took more than {server.seconds:g} s") from error
    except (OSError, ValueError) as error:
        raise McpError(f"the server can't be reached: {type(error).__name__}") from error


async def _over_pipes(server: McpServer, request: str) -> list[str]:
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment |= {name: value.get_secret_value() for name, value in server.environment}
    process = await asyncio.create_subprocess_exec(
        *server.command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment,
        limit=_LONGEST_LINE,
        start_new_session=True,
    )
    try:
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        await _send(process.stdin, greeting())
        said = await _until(process.stdout, GREETING_ID)
        await _send(process.stdin, greeted())
        await _send(process.stdin, request)
        return said + await _until(process.stdout, REQUEST_ID)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        await process.wait()


async def _send(pipe: asyncio.StreamWriter, line: str) -> None:
    pipe.write(f"{line}\n".encode())
    await pipe.drain()


async def _until(pipe: asyncio.StreamReader, wanted: int) -> list[str]:
    said: list[str] = []
    while len(said) < _MOST_LINES:
        line = (await pipe.readline()).decode("utf-8", "replace")
        if not line:
            raise McpError("the server ended without an answer")
        said.append(line)
        if has_answer(line, wanted):
            return said
    raise McpError("the server says too much")


async def _over_http(server: McpServer, request: str) -> list[str]:
    from aiohttp import ClientError, ClientSession  # few runs need it

    headers = {name: value.get_secret_value() for name, value in server.headers}
    headers |= {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    try:
        async with ClientSession(headers=headers, read_bufsize=_LONGEST_LINE) as http:
            opened, said = await _posted(http, server.url, greeting(), {}, GREETING_ID)
            session = {"MCP-Protocol-Version": PROTOCOL}
            session |= {"Mcp-Session-Id": opened} if opened else {}
            await _posted(http, server.url, greeted(), session, None)
            _, more = await _posted(http, server.url, request, session, REQUEST_ID)
            if opened:
                with contextlib.suppress(ClientError):
                    await (await http.delete(server.url, headers=session)).read()
            return said + more
    except ClientError as error:
        raise McpError(f"the server can't be reached: {type(error).__name__}") from error


async def _posted(
    http: ClientSession, url: str, line: str, headers: Mapping[str, str], wanted: int | None
) -> tuple[str, list[str]]:
    """Send one message; return the session's id and what was answered.

    Raises:
        McpError: When the server refuses it.
    """
    async with http.post(url, data=line.encode(), headers=headers, allow_redirects=False) as answer:
        if answer.status >= 300:  # noqa: PLR2004 - neither an answer nor its acceptance
            raise McpError(f"the server answers {answer.status}")
        session = answer.headers.get("Mcp-Session-Id", "")
        if wanted is None:
            return session, []
        if not answer.headers.get("Content-Type", "").startswith("text/event-stream"):
            return session, [(await answer.content.read(_LONGEST_LINE)).decode("utf-8", "replace")]
        events: list[str] = []
        async for piece in answer.content:
            events.append(piece.decode("utf-8", "replace"))
            if any(has_answer(line, wanted) for line in data_lines(events[-1:])):
                break
            if len(events) > _MOST_LINES:
                raise McpError("the server says too much")
        return session, data_lines(events)
