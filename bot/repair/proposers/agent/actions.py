"""Read a model's tool call as an action; the input is JSON that nobody has checked yet."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from bot.llm import text_tools
from bot.llm.base import ToolCall
from bot.llm.reply import UNREADABLE_INPUT
from bot.model.plan import PlanStep, StepState
from bot.repair.proposers.agent.code_grep import SearchCode, SearchKind
from bot.repair.proposers.agent.edit_template import MOST_FILLINGS, TryEdits
from bot.repair.proposers.agent.edit_tool import (
    Create,
    EditCommand,
    EditRejected,
    Insert,
    ReplaceLines,
    StrReplace,
    View,
)
from bot.repair.proposers.agent.working_notes import MOST_STEPS, TakeNotes
from sandbox.base import WORKSPACE

_LONGEST_COMMAND = 100_000
"""Below the 128 KiB that Linux takes as one argument (`MAX_ARG_STRLEN`)."""
_LONGEST_QUERY = 1_000
_LONGEST_NAME = 255
_LONGEST_PATH = 4_000
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")


class BadInput(Exception):
    """The input can't be used; the text tells the model what to send instead."""


class Fields:
    """A tool's input. What can't be used raises `BadInput`, with what to send instead."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def has(self, key: str) -> bool:
        """Whether there is a value."""
        return self._values.get(key) is not None

    def flag(self, key: str) -> bool:
        """Whether it is set."""
        return self._values.get(key) in (True, "true")  # a tuple: lists have no hash

    def text(self, key: str) -> str:
        """Return a text that can be encoded."""
        value = self._values.get(key)
        if not isinstance(value, str):
            raise BadInput(f"{key} is required and must be a string.")
        if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise BadInput(f"{key} contains half a character (a lone surrogate).")
        return value

    def number(self, key: str) -> int:
        """Return a whole number, also where it is written as a text."""
        value = self._values.get(key)
        if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value):
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise BadInput(f"{key} is required and must be a whole number.")
        return value

    def line_range(self, key: str) -> tuple[int, int | None]:
        """Return first and last line; None for the last one is the end of the file."""
        value = self._values.get(key)
        if value is None:
            return 1, None
        match value:
            case [int(first), int(last)]:
                return first, None if last == -1 else last
            case _:
                raise BadInput(f"{key} must be two whole numbers, such as [1, 50] or [80, -1].")

    def line(self, key: str) -> str:
        """Return a text of one line that is short enough for a command."""
        line = self.text(key)
        if not line.strip() or "\0" in line or len(line.splitlines()) > 1:
            raise BadInput(f"{key} must be one line of text.")
        if len(line) > _LONGEST_QUERY:
            raise BadInput(f"{key} is longer than {_LONGEST_QUERY} characters.")
        return line

    def items(self, key: str, most: int) -> list[Fields]:
        """Return the objects of a list."""
        value = self._values.get(key)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise BadInput(f"{key} must be a list of objects.")
        if len(value) > most:
            raise BadInput(f"{key} has more than {most} entries: put several into one.")
        return [Fields(item) for item in value]

    def choices(self, key: str, most: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the texts that each name of an object may stand for."""
        value = self._values.get(key)
        if not isinstance(value, dict) or not all(
            isinstance(item, list) and item and all(isinstance(text, str) for text in item)
            for item in value.values()
        ):
            raise BadInput(f"{key} must be an object with a list of texts for each hole.")
        if sum(map(len, value.values())) > most:
            raise BadInput(f"{key} has more than {most} texts.")
        return tuple((str(name), tuple(texts)) for name, texts in value.items())

    def command(self, key: str) -> str:
        """Return a shell command that Linux takes as one argument."""
        command = self.text(key)
        if not command.strip():
            raise BadInput(f"{key} is empty.")
        if "\0" in command:
            raise BadInput(f"{key} contains a NUL character.")
        if len(command.encode()) > _LONGEST_COMMAND:
            raise BadInput(f"{key} is too long: write it to a file first and run that.")
        return command

    def path(self, key: str) -> str:
        """Return an absolute path of the workspace."""
        given = self.text(key)
        path = posixpath.normpath(posixpath.join(WORKSPACE, given))
        if path != WORKSPACE and not path.startswith(f"{WORKSPACE}/"):
            raise BadInput(f"{given} is outside {WORKSPACE}: use bash to look elsewhere.")
        names = path.encode().split(b"/")
        if "\0" in path or len(path) > _LONGEST_PATH or max(map(len, names)) > _LONGEST_NAME:
            raise BadInput(f"{key} is not a valid path.")
        return path


BASH = "bash"
EDIT = "str_replace_based_edit_tool"
RUN_TESTS = "run_tests"
NOTES = "notes"
SEARCH = "search_code"
TRY_EDITS = "try_edits"
OWN = (BASH, EDIT, RUN_TESTS, SEARCH, NOTES, TRY_EDITS)
"""The names of our own tools, as models are told them."""

_BEFORE_NAME = 40
"""Characters of a block in which its tool's name stands."""
_MOST_EDITS = 50
"""Replacements that one call makes in a file."""

MCP_PREFIX = "mcp__"
"""Front of the names of other servers' tools."""


@dataclass(frozen=True, slots=True)
class Bash:
    """Run a shell command."""

    command: str


@dataclass(frozen=True, slots=True)
class Restart:
    """Start the shell anew."""


@dataclass(frozen=True, slots=True)
class RunTests:
    """Run a test command and read its failures; None is the failing command."""

    command: str | None


Action = Bash | Restart | RunTests | TakeNotes | SearchCode | TryEdits | EditCommand


_EXAMPLES = MappingProxyType({
    BASH: '{"command": "git status --short"}',
    EDIT: '{"command": "str_replace", "path": "src/a.py", "old_str": "x = 1", "new_str": "x = 2"}',
    RUN_TESTS: '{"command": "pytest tests/test_a.py -k name"}, or {} for the failing command',
    SEARCH: '{"query": "parse_amount", "kind": "symbol"}',
    TRY_EDITS: '{"path": "src/a.py", "old_str": "if a < b:", "template": "if a {{op}} b:", '
    '"holes": {"op": ["<=", ">", ">=", "=="]}}',
    NOTES: '{"plan": [{"step": "Find the cause", "status": "doing"}], "note": "It rounds twice."}',
})  # fmt: skip


def read_action(call: ToolCall) -> Action | EditRejected:
    """Return what the model wants, or why that can't be understood."""
    readers: Mapping[str, Callable[[Fields], Action]] = {
        BASH: _bash,
        EDIT: _edit,
        RUN_TESTS: _run_tests,
        SEARCH: _search,
        NOTES: _notes,
        TRY_EDITS: _try_edits,
    }
    if call.name not in readers:
        return EditRejected(f"There is no tool {call.name}.")
    if (text := call.input.get(UNREADABLE_INPUT)) is not None:
        return EditRejected(_not_json(call.name, str(text)))
    try:
        return readers[call.name](Fields(call.input))
    except BadInput as problem:
        return EditRejected(f"{problem} Nothing was done. For example: {_EXAMPLES[call.name]}")


def unknown_tool(call: ToolCall, offered: Sequence[str]) -> str:
    """Say that a tool is not there, and which are; or that a block is no call, and what would be."""
    listed = f"The tools are {', '.join(offered)}."
    if call.name != text_tools.UNNAMED or call.name in offered:
        return f"There is no tool {call.name}. {listed}"
    name = next((item for item in offered if item in _EXAMPLES), BASH)
    return (
        "This block names no tool, so nothing was done. Write one JSON object with name and input, "
        f"such as:\n{_block(name)}\n{listed}"
    )


def _block(tool: str) -> str:
    return text_tools.example(tool, _EXAMPLES[tool].partition(", or ")[0])


def _not_json(tool: str, text: str) -> str:
    """Say where the arguments stop being JSON, and what they should look like."""
    is_block = text.lstrip().startswith("{") and f'"{tool}"' in text[: len(tool) + _BEFORE_NAME]
    shown = f"\n{_block(tool)}" if is_block else _EXAMPLES[tool]
    try:
        json.loads(text)
        where = "they are not an object"
    except (ValueError, RecursionError) as error:
        where = str(error)
    return (
        f"The arguments of {tool} are not a JSON object: {where}. Nothing was done. Escape quotes "
        f"and line breaks inside of texts. For example: {shown}"
    )


def _bash(fields: Fields) -> Bash | Restart:
    if fields.flag("restart") and not fields.has("command"):
        return Restart()
    return Bash(fields.command("command"))


def _run_tests(fields: Fields) -> RunTests:
    return RunTests(fields.command("command") if fields.has("command") else None)


def _edit(fields: Fields) -> EditCommand:
    path = fields.path("path")
    match fields.text("command"):
        case "view":
            first, last = fields.line_range("view_range")
            return View(path, first, last)
        case "create":
            return Create(path, fields.text("file_text"))
        case "str_replace":
            new = fields.text("new_str") if fields.has("new_str") else ""
            more = fields.items("further", _MOST_EDITS) if fields.has("further") else []
            further = tuple((item.text("old_str"), item.text("new_str")) for item in more)
            return StrReplace(path, fields.text("old_str"), new, further)
        case "insert":  # older versions of the tool called the text new_str
            key = "insert_text" if fields.has("insert_text") else "new_str"
            return Insert(path, fields.number("insert_line"), fields.text(key))
        case "replace_lines":  # as other harnesses edit; models are not told of it
            first, last = fields.number("start_line"), fields.number("end_line")
            return ReplaceLines(path, first, last, fields.text("new_str"))
        case "undo_edit":
            raise BadInput("There is no undo: use str_replace, or `git checkout` in bash.")
        case other:
            raise BadInput(
                f"There is no command {other!r}: use view, create, str_replace or insert."
            )


def _search(fields: Fields) -> SearchCode:
    kind = fields.text("kind") if fields.has("kind") else SearchKind.SYMBOL
    if kind not in set(SearchKind):
        raise BadInput(f"kind must be symbol, text or outline, not {kind!r}.")
    if kind == SearchKind.OUTLINE:
        return SearchCode("", SearchKind.OUTLINE, fields.path("path"))
    path = fields.path("path") if fields.has("path") else WORKSPACE
    return SearchCode(fields.line("query"), SearchKind(kind), path)


def _notes(fields: Fields) -> TakeNotes:
    plan = fields.items("plan", MOST_STEPS) if fields.has("plan") else None
    note = fields.text("note").strip() if fields.has("note") else ""
    if plan is None and not note:
        raise BadInput("Give a plan, a note, or both.")
    return TakeNotes(None if plan is None else tuple(map(_plan_step, plan)), note)


def _try_edits(fields: Fields) -> TryEdits:
    holes = fields.choices("holes", MOST_FILLINGS)
    return TryEdits(fields.path("path"), fields.text("old_str"), fields.text("template"), holes)


def _plan_step(fields: Fields) -> PlanStep:
    text = fields.text("step").strip()
    if not text:
        raise BadInput("step is empty.")
    state = fields.text("status") if fields.has("status") else StepState.TODO
    if state not in set(map(str, StepState)):
        raise BadInput(f"status must be {', '.join(StepState)}, not {state!r}.")
    check = fields.text("check").strip() if fields.has("check") else ""
    return PlanStep(text, check, StepState(state))
