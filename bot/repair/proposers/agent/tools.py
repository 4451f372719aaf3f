"""The tools of the agent: how they are described, and how they act on the workbench."""

from __future__ import annotations

import shlex
from typing import assert_never

from bot.llm.base import Tool, ToolCall, ToolResult
from bot.model.risk import Level
from bot.model.steps import Steps
from bot.model.untrusted import clip, reveal_hidden
from bot.repair.proposers.agent.actions import (
    BASH,
    EDIT,
    NOTES,
    RUN_TESTS,
    Bash,
    Restart,
    RunTests,
    read_action,
)
from bot.repair.proposers.agent.edit_tool import (
    Create,
    EditCommand,
    Insert,
    ListFolder,
    NotOpened,
    Rejected,
    Show,
    StrReplace,
    View,
    Write,
    decide,
)
from bot.repair.proposers.agent.levels import level_of
from bot.repair.proposers.agent.observations import describe
from bot.repair.proposers.agent.text_file import MOST_BYTES
from bot.repair.proposers.agent.working_notes import StepState, TakeNotes, WorkingNotes
from bot.repair.proposers.base import Task, Workbench
from sandbox.base import CommandResult, SandboxError, SandboxGone, SandboxUnavailable

_OUTPUT_CHARACTERS = 16_000
_LISTED_ENTRIES = 500
_LISTING_SECONDS = 30.0

TOOLS = (
    Tool(
        name=BASH,
        description=(
            "Run a bash command in the sandbox and return its exit code and output. Each command "
            "starts in a fresh shell in /workspace, without stdin and without network. "
            "Long output is cut in the middle."
        ),
        schema={
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command to run."},
                "restart": {"type": "boolean", "description": "Never needed: shells are fresh."},
            },
            "required": ["command"],
        },
        anthropic_type="bash_20250124",
    ),
    Tool(
        name=EDIT,
        description=(
            "View, create and edit text files in /workspace. `view` shows a file with line "
            "numbers, or a folder two levels deep; `create` writes a whole file; `str_replace` "
            "replaces the only exact occurrence of old_str; `insert` adds insert_text "
            "after line insert_line (0: at the beginning)."
        ),
        schema={
            "type": "object",
            "properties": {
                "command": {
                    "type": "string",
                    "enum": ["view", "create", "str_replace", "insert"],
                },
                "path": {"type": "string", "description": "Such as /workspace/src/module.py."},
                "view_range": {
                    "type": "array",
                    "items": {"type": "integer"},
                    "minItems": 2,
                    "maxItems": 2,
                    "description": "For view: first and last line, counted from 1; -1 is the end.",
                },
                "file_text": {"type": "string", "description": "For create: the whole content."},
                "old_str": {"type": "string", "description": "For str_replace: must be unique."},
                "new_str": {"type": "string", "description": "For str_replace: the replacement."},
                "insert_line": {"type": "integer", "description": "For insert."},
                "insert_text": {"type": "string", "description": "For insert."},
            },
            "required": ["command", "path"],
        },
        anthropic_type="text_editor_20250728",
    ),
    Tool(
        name=RUN_TESTS,
        description=(
            "Run tests and return what failed, test by test, with message and location. Without "
            "`command` it runs the failing command of the task. Use it rather than bash to run "
            "tests, and narrow `command` to single tests while you investigate."
        ),
        schema={
            "type": "object",
            "properties": {
                "command": {
                    "type": "string",
                    "description": "Another test command, such as `pytest tests/test_a.py -k name`.",
                }
            },
            "required": [],
        },
    ),
    Tool(
        name=NOTES,
        description=(
            "Keep a plan and notes. They stay in sight when older turns of a long conversation "
            "are folded away, and the people who watch see the plan. `plan` replaces the whole "
            "plan; `note` adds one finding that you will need later."
        ),
        schema={
            "type": "object",
            "properties": {
                "plan": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "step": {"type": "string", "description": "What to do."},
                            "check": {"type": "string", "description": "What shows it is done."},
                            "status": {"type": "string", "enum": list(StepState)},
                        },
                        "required": ["step", "status"],
                    },
                },
                "note": {"type": "string"},
            },
            "required": [],
        },
    ),
)


class Toolbox:
    """Does what tool calls ask for; every touch of the sandbox is a step of its own.

    An edit is two steps, read and write: between them everything is decided, so that a write that
    was in flight at a crash can be done again.

    Attributes:
        notes: What the model keeps; a restarted run takes them down again from the kept turns.
    """

    def __init__(self, task: Task, workbench: Workbench, steps: Steps) -> None:
        self._task = task
        self._workbench = workbench
        self._steps = steps
        self.notes = WorkingNotes()

    async def use(self, call: ToolCall, step: str) -> ToolResult:
        """Return the tool's answer; one that can't be used is an error for the model to read.

        Args:
            call: What the model asks for.
            step: Names the call, uniquely in its run; steps are named after it.
        """
        action = read_action(call)
        match action:
            case Bash(command):
                answer: str | Rejected = await self._bash(command, step)
            case Restart():
                answer = "There is nothing to restart: every command starts in a fresh shell."
            case RunTests(command):
                answer = await self._run_tests(command, step)
            case TakeNotes():
                self.notes = self.notes.with_taken(action)
                answer = "Kept."
            case View() | Create() | StrReplace() | Insert():
                answer = await self._edit(action, step)
            case Rejected():
                answer = action
            case _:
                assert_never(action)
        if isinstance(answer, Rejected):
            return ToolResult(call.id, reveal_hidden(answer.text), is_error=True)
        return ToolResult(call.id, answer)

    async def _bash(self, command: str, step: str) -> str:
        seconds = self._task.limits.command_seconds
        result = await self._steps(f"{step}: bash", self._workbench.run, command, seconds)
        return describe_result(result)

    async def _run_tests(self, command: str | None, step: str) -> str:
        observation = await self._steps(
            f"{step}: run tests", self._workbench.observe, command or self._task.commands.failing
        )
        text = describe(observation, self._task.reproduction.observation)
        return clip(text, _OUTPUT_CHARACTERS)

    async def _edit(self, command: EditCommand, step: str) -> str | Rejected:
        if level_of(command, self._task.protected, self._task.requested) is Level.HIGH:
            return Rejected(f"{command.path} is protected: no patch may change it.")
        try:
            found = await self._steps(f"{step}: read", self._find, command.path)
            decision = decide(command, found)
            match decision:
                case Show(text):
                    return text
                case ListFolder():
                    return await self._list_folder(command.path, step)
                case Write(data, text):
                    await self._steps(
                        f"{step}: write", self._workbench.write_file, command.path, data
                    )
                    return text
                case Rejected():
                    return decision
                case _:
                    assert_never(decision)
        except (SandboxGone, SandboxUnavailable):
            raise
        except (OSError, SandboxError) as error:  # no permission, a device, a folder in the way
            return Rejected(f"{command.path} can't be accessed: {error}")

    async def _find(self, path: str) -> bytes | NotOpened:
        """Return a file's bytes; only those of an editable size get into a checkpoint."""
        try:
            data = await self._workbench.read_file(path)
        except FileNotFoundError:
            return NotOpened.MISSING
        except IsADirectoryError:
            return NotOpened.FOLDER
        return data if len(data) <= MOST_BYTES else NotOpened.TOO_LARGE

    async def _list_folder(self, path: str, step: str) -> str:
        result = await self._steps(
            f"{step}: list", self._workbench.run, listing_command(path), _LISTING_SECONDS
        )
        return clip(reveal_hidden(result.output).strip(), _OUTPUT_CHARACTERS) or "(empty)"


def describe_result(result: CommandResult) -> str:
    """Return how a command ended, for a model: head and tail of its output, then the exit code."""
    output = clip(reveal_hidden(result.output).strip("\n"), _OUTPUT_CHARACTERS)
    if result.timed_out:
        ending = f"(stopped after {result.seconds:.0f} s: it took too long)"
    else:
        ending = f"(exit code {result.exit_code})"
    return f"{output or '(no output)'}\n{ending}"


def listing_command(path: str) -> str:
    """Return a command that lists a folder two levels deep, without what is hidden or vendored."""
    return (
        f"cd {shlex.quote(path)} && find . -mindepth 1 -maxdepth 2 "
        r"\( -name '.?*' -o -name node_modules -o -name __pycache__ \) -prune "
        r"-o -type d -exec printf '%s/\n' {} + -o -print "
        f"| cut -c 3- | LC_ALL=C sort | head -n {_LISTED_ENTRIES}"
    )
