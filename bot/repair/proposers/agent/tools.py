"""What the agent's tools do on the workbench."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, assert_never

from bot.limited_process import TooMuch, run_limited
from bot.llm.base import Tool, ToolCall, ToolResult
from bot.model.steps import Steps
from bot.model.untrusted import clip, reveal_hidden
from bot.repair.proposers.agent.actions import (
    OWN,
    Action,
    Bash,
    Restart,
    RunTests,
    read_action,
    unknown_tool,
)
from bot.repair.proposers.agent.code_grep import SearchCode
from bot.repair.proposers.agent.edit_checks import newly_broken, newly_unknown
from bot.repair.proposers.agent.edit_template import TryEdits
from bot.repair.proposers.agent.edit_tool import (
    Create,
    EditRejected,
    Insert,
    ListFolder,
    ReplaceLines,
    Show,
    StrReplace,
    View,
    Write,
    decide,
)
from bot.repair.proposers.agent.edit_trial import EditTrial
from bot.repair.proposers.agent.foreign_tool_names import ENDS, NETWORK
from bot.repair.proposers.agent.mcp.servers import McpServers
from bot.repair.proposers.agent.observations import describe
from bot.repair.proposers.agent.permission import Permissions, is_protected, risk_of
from bot.repair.proposers.agent.reader import OUTPUT_CHARACTERS, Look, Lookup, Reader
from bot.repair.proposers.agent.shell import Shell
from bot.repair.proposers.agent.tool_schemas import own_tools
from bot.repair.proposers.agent.working_notes import TakeNotes, WorkingNotes
from bot.repair.proposers.base import Task
from bot.repair.workspace.base import Workbench
from sandbox.base import SandboxError, SandboxGone, SandboxUnavailable

# The names are those of Claude Code, Codex, Gemini CLI, Crush, Cline, Roo Code and SWE-agent.

_JOBS = frozenset(["bashoutput", "bash_output", "killshell", "kill_shell", "killbash", "taskoutput", "taskstop", "write_stdin", "list_background_processes", "read_background_output", "kill_background_process", "job_output", "job_kill", "command_status", "check_command_status", "read_process_output", "kill_process", "list_processes"])  # fmt: skip
_RESOURCES = frozenset(["list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource", "access_mcp_resource", "listmcpresources", "readmcpresource", "listmcpresourcestool", "readmcpresourcetool"])  # fmt: skip
_PEOPLE = frozenset(["ask_user", "ask_followup_question", "askuserquestion", "request_user_input", "ask_human", "ask_question", "message_user", "request_human_input"])  # fmt: skip
_HELPERS = frozenset(["task", "agent", "dispatch_agent", "new_task", "spawn_agent", "use_subagents", "delegate_to_agent", "codebase_investigator", "subagent"])  # fmt: skip

_INSTEAD = (
    (ENDS, "answer without calling a tool to end."),
    (
        NETWORK,
        (
            "the sandbox has no network. Go by the repository, its packages and their "
            "documentation, which bash can read."
        ),
    ),
    (
        _JOBS,
        (
            "what bash starts in the background goes on. Let it write to a file (`command > out.log "
            "2>&1 &`), and look at it with bash later."
        ),
    ),
    (_RESOURCES, "of MCP servers there are only the tools that you were given."),
    (_PEOPLE, "nobody can answer now. Decide by the task and the repository, and end with what is open."),
    (_HELPERS, "nobody else works on this. Do it yourself, with the tools that you were given."),
)  # fmt: skip


def instead_of(name: str) -> str:
    """Return what a model is told that calls a tool of that name, or "" where that isn't known."""
    known = name.rpartition(".")[2].lower()
    for names, instead in _INSTEAD:
        if known in names:
            return f"There is no {name}: {instead}"
    return ""


class EditNotes:
    """Compares a file with what it was before an edit broke it, so that a broken one stays known."""

    def __init__(self) -> None:
        self._whole: dict[str, bytes] = {}

    async def note(self, path: str, before: bytes, after: bytes) -> str:
        """Return a sentence about an edit that was made, or ""."""
        try:
            whole = self._whole.pop(path, before)
            if told := await run_limited(newly_broken, path, whole, after):
                self._whole[path] = whole
                return told
            return await run_limited(newly_unknown, path, whole, after)
        except TooMuch:
            return ""


@dataclass(frozen=True, slots=True)
class Used:
    """A tool that was used: what was asked, what came of it, and the seconds that it took."""

    call: ToolCall
    result: ToolResult
    seconds: float


@dataclass(frozen=True, slots=True)
class McpCall:
    """Use a tool of an MCP server."""

    name: str
    arguments: Mapping[str, Any]


_Asked = tuple[ToolCall, Action | McpCall | EditRejected]
"""A call, and what may be done of it."""


class Toolbox:
    """Does what tool calls ask for; every touch of the sandbox is a step of its own.

    An edit is two steps, read and write: between them everything is decided, so that a write that
    was in flight at a crash can be done again. Calls that follow each other and only look are one
    step, and done at the same time.

    Attributes:
        notes: What the model keeps; a restarted run takes them down again from the kept turns.
        together: Calls that were made at the same time, and in how many turns.
    """

    def __init__(self, task: Task, workbench: Workbench, steps: Steps) -> None:
        self._task = task
        self._workbench = workbench
        self._steps = steps
        self._reader = Reader(workbench)
        self._permissions = Permissions(task, steps)
        self._mcp = McpServers(task, workbench, steps)
        self._trial = EditTrial(task, workbench, steps)
        self._offered = own_tools(task)
        self._shell = Shell(workbench, steps, task.limits.command_seconds)
        self._edit_notes = EditNotes()
        self.notes = WorkingNotes()
        self.together = (0, 0)

    async def connect(self, step: str) -> tuple[tuple[Tool, ...], Sequence[str]]:
        """Return the tools that a model gets, and what a person should know of them.

        Args:
            step: Names the attempt, uniquely in its run.
        """
        if self._task.tool_rules.mcp:
            self._offered = (*self._offered, *await self._mcp.connect(step))
        return self._offered, self._mcp.notes

    @property
    def decisions(self) -> Sequence[str]:
        """Which tools a person or the repository allowed or refused, as sentences."""
        return self._permissions.decisions

    async def use(self, calls: Sequence[ToolCall], step: str, now: float) -> AsyncIterator[Used]:
        """Yield the tools' answers in order; one that can't be used is an error for the model to read.

        Args:
            calls: What the model asks for in one turn.
            step: Names the turn, uniquely in its run; steps are named after it.
            now: `time.time()` of the turn.
        """
        asked = [
            (call, await self._permitted(call, f"{step}.{n}", now))
            for n, call in enumerate(calls, start=1)
        ]
        position = 1
        for looks, some in groupby(asked, lambda item: isinstance(item[1], Look)):
            group = list(some)
            done = self._looked_at(group, step, position) if looks else None
            async for used in done or self._acted_on(group, step, position):
                yield used
            position += len(group)

    async def _looked_at(
        self, asked: Sequence[_Asked], step: str, first: int
    ) -> AsyncIterator[Used]:
        """Yield the answers to calls that only look, all of them at the same time if they may."""
        looks = [action for _, action in asked if isinstance(action, Look)]
        seen: list[Lookup] = []
        if self._task.tool_rules.parallel:
            name = f"{step}.{first}: look"
            seen += await self._steps(name, self._reader.look, tuple(looks))
            if len(looks) > 1:
                self.together = (self.together[0] + len(looks), self.together[1] + 1)
        else:
            for n, look in enumerate(looks, first):
                seen += await self._steps(f"{step}.{n}: look", self._reader.look, (look,))
        for (call, _), item in zip(asked, seen, strict=True):
            yield Used(call, _result(call, item.answer), item.seconds)

    async def _acted_on(
        self, asked: Sequence[_Asked], step: str, first: int
    ) -> AsyncIterator[Used]:
        """Yield the answers to calls that change something, one after the other."""
        for n, (call, action) in enumerate(asked, first):
            began = time.monotonic()
            answer = await self._act(action, f"{step}.{n}")
            yield Used(call, _result(call, answer), time.monotonic() - began)

    async def _permitted(
        self, call: ToolCall, step: str, now: float
    ) -> Action | McpCall | EditRejected:
        """Return what a call asks for; a refusal in its place when it may not be done."""
        foreign = self._mcp.risk_of(call.name)
        if foreign is None and (instead := instead_of(call.name)):
            return EditRejected(instead)
        offered = [tool.name for tool in self._offered]
        if foreign is None and call.name not in OWN:
            return EditRejected(unknown_tool(call, offered))
        if foreign is not None:
            action: Action | McpCall | EditRejected = McpCall(call.name, call.input)
            risk = foreign
        else:
            action = own = read_action(call)
            risk = risk_of(own)
        refusal = await self._permissions.refusal(call, risk, step, now)
        if not refusal and call.name not in offered:
            refusal = unknown_tool(call, offered)
        return EditRejected(refusal) if refusal else action

    async def _act(self, action: Action | McpCall | EditRejected, step: str) -> str | EditRejected:
        match action:
            case McpCall(name, arguments):
                told = await self._mcp.use(name, arguments, step)
                answer: str | EditRejected = EditRejected(told.text) if told.is_error else told.text
            case Bash(command):
                answer = await self._shell.answer(command, step)
            case Restart():
                answer = "There is nothing to restart: every command starts in a fresh shell."
            case RunTests(command):
                answer = await self._run_tests(command, step)
            case TryEdits():
                answer = await self._trial.answer(action, step)
            case TakeNotes():
                self.notes = self.notes.with_taken(action)
                answer = "Kept."
            case Create() | StrReplace() | Insert() | ReplaceLines():
                answer = await self._edit(action, step)
            case EditRejected():
                answer = action
            case View() | SearchCode():
                raise AssertionError("looks are taken together")
            case _:
                assert_never(action)
        return answer

    async def _run_tests(self, command: str | None, step: str) -> str:
        observation = await self._steps(
            f"{step}: run tests", self._workbench.observe, command or self._task.commands.failing
        )
        text = describe(observation, self._task.reproduction.observation)
        return clip(text, OUTPUT_CHARACTERS)

    async def _edit(
        self, edit: Create | StrReplace | Insert | ReplaceLines, step: str
    ) -> str | EditRejected:
        if is_protected(edit.path, self._task.protected, self._task.requested):
            return EditRejected(f"{edit.path} is protected: no patch may change it.")
        try:
            found = await self._steps(f"{step}: read", self._reader.find, edit.path)
            match decide(edit, found):
                case Write(data, text):
                    await self._steps(f"{step}: write", self._workbench.write_file, edit.path, data)
                    before = found if isinstance(found, bytes) else b""
                    return "\n".join(
                        filter(None, (text, await self._edit_notes.note(edit.path, before, data)))
                    )
                case EditRejected() as rejected:
                    return rejected
                case Show() | ListFolder():
                    raise AssertionError("an edit writes or is rejected")
        except (SandboxGone, SandboxUnavailable):
            raise
        except (OSError, SandboxError) as error:  # no permission, a device, a folder in the way
            return EditRejected(f"{edit.path} can't be accessed: {error}")


def _result(call: ToolCall, answer: str | EditRejected) -> ToolResult:
    if isinstance(answer, EditRejected):
        return ToolResult(call.id, reveal_hidden(answer.text), is_error=True)
    return ToolResult(call.id, answer)
