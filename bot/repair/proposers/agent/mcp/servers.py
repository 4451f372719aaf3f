"""Use the tools of all MCP servers in one attempt; every touch of a server is a step."""

from __future__ import annotations

import shlex
import uuid
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from bot.llm.base import Tool
from bot.model.deadline import unless_stopped
from bot.model.mcp_servers import McpServer
from bot.model.steps import Steps
from bot.model.tool_rules import ToolPermission, ToolRisk
from bot.repair.proposers.agent.mcp.messages import (
    GREETING_ID,
    REQUEST_ID,
    McpAnswer,
    McpError,
    McpTool,
    answer_in,
    greeted,
    greeting,
    request,
    result_in,
    tools_in,
)
from bot.repair.proposers.agent.mcp.outside import exchanged
from bot.repair.proposers.base import Task
from bot.repair.workspace.base import Workbench
from bot.reporting.reasons import agent

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
