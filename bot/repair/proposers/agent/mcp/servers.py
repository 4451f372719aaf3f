"""Use the tools of all MCP servers in one attempt; every touch of a server is a step."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import uuid
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.llm.base import Tool
from bot.model.deadline import unless_stopped
from bot.model.mcp_servers import McpServer
from bot.model.steps import Steps
from bot.model.tool_rules import ToolPermission, ToolRisk
from bot.repair.proposers.agent.mcp.messages import (
    GREETING_ID,
    PROTOCOL,
    REQUEST_ID,
    McpAnswer,
    McpError,
    McpTool,
    answer_in,
    data_lines,
    greeted,
    greeting,
    has_answer,
    request,
    result_in,
    tools_in,
)
from bot.repair.proposers.base import Task
from bot.repair.workspace.base import Workbench
from bot.reporting.reasons import agent

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


# One command starts it, opens a session, asks, and ends: what a call does is an act like any other,
# so a killed run knows which calls are done, and a lost sandbox is remade with them.

REQUESTS = "/tmp/.fixpoint-mcp-{}"  # noqa: S108 - in the attempt's own sandbox
_ENDED = "The server ended:"


def session_command(server: McpServer, requests: str) -> str:
    """Return the command that plays a session and prints what the server said.

    Args:
        server: To start.
        requests: File in the sandbox: the greeting in the first line, then the rest.
    """
    start = shlex.join(server.command)
    return f"""\
d=$(mktemp -d) && mkfifo "$d/in" && : > "$d/out" || exit 1
{{ {start}; : > "$d/end"; }} < "$d/in" > "$d/out" 2> "$d/err" &
exec 3> "$d/in"
answered() {{
  until grep -q "\\"id\\": *$1 *[,}}]" "$d/out"; do [ -e "$d/end" ] && return 1; sleep 0.02; done
}}
head -n 1 {requests} >&3
answered {GREETING_ID} && tail -n +2 {requests} >&3 && answered {REQUEST_ID}
cat "$d/out"
[ -e "$d/end" ] && {{ echo "{_ENDED}"; tail -c 1000 "$d/err"; }}
exit 0"""


def why_ended(output: str) -> str:
    """Return what a server wrote to its standard error before it ended, or ""."""
    return output.partition(f"{_ENDED}\n")[2].strip()


_PROCESS = uuid.uuid4().hex
"""Of this process: a call that another one began and did not finish is not made twice."""


_Result = Mapping[str, Any] | str
"""What a server answered, or why there is no answer."""


async def _outside(server: McpServer, line: str) -> _Result:
    try:
        return result_in(await exchanged(server, line))
    except McpError as error:
        return str(error)


async def _interrupted(_server: McpServer, _line: str) -> _Result:
    return "the server was restarted during this call: it may or may not have been done"


async def _this_process() -> str:
    return _PROCESS


_Act = Callable[[McpServer, str], Awaitable[_Result]]


class McpServers:
    """The servers of one attempt.

    Attributes:
        notes: What a person should know of them, as sentences.
    """

    def __init__(self, task: Task, workbench: Workbench, steps: Steps) -> None:
        self._task = task
        self._workbench = workbench
        self._steps = steps
        self._servers = {server.name: server for server in task.mcp_servers}
        self._tools: dict[str, McpTool] = {}
        self.notes: list[str] = []

    async def connect(self, step: str) -> tuple[Tool, ...]:
        """Ask every server for its tools, and return those that may be used at all.

        Args:
            step: Names the attempt, uniquely in its run.
        """
        for server in self._servers.values():
            result = await self._asked(server, f"{step}: tools of {server.name}", "tools/list", {})
            if isinstance(result, str):
                self.notes.append(agent.mcp_unreachable(server.name, result))
                continue
            self._tools |= {tool.name: tool for tool in tools_in(server, result)}
        return tuple(tool.tool for tool in self._tools.values() if self._usable(tool))

    def risk_of(self, name: str) -> ToolRisk | None:
        """Return the risk of a tool; None when no server has one of that name."""
        found = self._tools.get(name)
        return None if found is None else found.risk

    async def use(self, name: str, arguments: Mapping[str, Any], step: str) -> McpAnswer:
        """Call a tool. What may change something outside is not done again after a crash."""
        tool = self._tools[name]
        server = self._servers[tool.server]
        once = tool.risk is ToolRisk.DANGEROUS and not server.inside
        act: _Act = _outside
        if once and await self._steps(f"{step}: begin", _this_process) != _PROCESS:
            act = _interrupted  # called only where the result of the earlier process was not kept
        params = {"name": tool.there, "arguments": dict(arguments)}
        result = await self._asked(server, f"{step}: {name}", "tools/call", params, act)
        if isinstance(result, str):
            return McpAnswer(f"{name}: {result}.", is_error=True)
        return answer_in(server, result)

    async def _asked(
        self,
        server: McpServer,
        step: str,
        method: str,
        params: Mapping[str, Any],
        act: _Act = _outside,
    ) -> _Result:
        """Return a result, or why there is none."""
        line = request(method, params)
        if not server.inside:
            stopped = self._task.stopped
            return await self._steps(step, unless_stopped, partial(act, server, line), stopped)
        file = REQUESTS.format(server.name)
        session = f"{greeting()}\n{greeted()}\n{line}\n".encode()
        await self._steps(f"{step}: ask", self._workbench.write_file, file, session)
        command = session_command(server, file)
        seen = await self._steps(step, self._workbench.run, command, server.seconds)
        if seen.timed_out:
            return f"it took more than {server.seconds:g} s"
        try:
            return result_in(seen.output.splitlines())
        except McpError as error:
            return ": ".join(filter(None, (str(error), why_ended(seen.output))))

    def _usable(self, tool: McpTool) -> bool:
        permission = self._task.tool_rules.permission(tool.name, tool.risk)
        return permission is not ToolPermission.DENY
