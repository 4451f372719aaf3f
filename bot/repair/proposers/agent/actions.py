"""Read a model's tool call as an action; the input is JSON that nobody has checked yet."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import Any, assert_never

from bot.llm.base import ToolCall
from bot.llm.reply import UNREADABLE_INPUT
from bot.repair.proposers.agent.code_search import SearchCode, SearchKind
from bot.repair.proposers.agent.edit_template import MOST_FILLINGS, TryEdits
from bot.repair.proposers.agent.edit_tool import (
    Create,
    EditCommand,
    Insert,
    Rejected,
    ReplaceLines,
    StrReplace,
    View,
)
from bot.repair.proposers.agent.working_notes import MOST_STEPS, PlanStep, StepState, TakeNotes
from bot.reporting.reasons import agent
from sandbox.base import WORKSPACE

BASH = "bash"
EDIT = "str_replace_based_edit_tool"
RUN_TESTS = "run_tests"
NOTES = "notes"
SEARCH = "search_code"
TRY_EDITS = "try_edits"
OWN = (BASH, EDIT, RUN_TESTS, SEARCH, NOTES, TRY_EDITS)
"""The names of our own tools, as models are told them."""

MCP_PREFIX = "mcp__"
"""Front of the names of other servers' tools."""

_LONGEST_COMMAND = 100_000
"""Below the 128 KiB that Linux takes as one argument (`MAX_ARG_STRLEN`)."""
_LONGEST_QUERY = 1_000
_LONGEST_NAME = 255
_LONGEST_PATH = 4_000
_FEW_WORDS = 80
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")


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


class _BadInput(Exception):
    """The input can't be used; the text tells the model what to send instead."""


def read_action(call: ToolCall) -> Action | Rejected:
    """Return what the model wants, or why that can't be understood."""
    readers: Mapping[str, Callable[[_Fields], Action]] = {
        BASH: _bash,
        EDIT: _edit,
        RUN_TESTS: _run_tests,
        SEARCH: _search,
        NOTES: _notes,
        TRY_EDITS: _try_edits,
    }
    if call.name not in readers:
        return Rejected(f"There is no such tool. The tools are {', '.join(readers)}.")
    if (text := call.input.get(UNREADABLE_INPUT)) is not None:
        return Rejected(_not_json(call.name, str(text)))
    try:
        return readers[call.name](_Fields(call.input))
    except _BadInput as problem:
        return Rejected(f"{problem} Nothing was done. For example: {_EXAMPLES[call.name]}")


def _not_json(tool: str, text: str) -> str:
    """Say where the arguments stop being JSON, and what they should look like."""
    try:
        json.loads(text)
        where = "they are not an object"
    except (ValueError, RecursionError) as error:
        where = str(error)
    return (
        f"The arguments of {tool} are not a JSON object: {where}. Nothing was done. Escape quotes "
        f"and line breaks inside of texts. For example: {_EXAMPLES[tool]}"
    )


def relative(path: str) -> str:
    """Return a path of the workspace without its head, as git writes it."""
    return posixpath.relpath(path, WORKSPACE)


def in_words(call: ToolCall) -> str:
    """Return a tool call as a few words for a person: `edit src/a.py`, `$ pytest -q`."""
    if call.name.startswith(MCP_PREFIX):
        words = f"{call.name} {json.dumps(dict(call.input), ensure_ascii=False, default=str)}"
    else:
        words = _in_words(read_action(call), call.name)
    line = " ".join(words.split())
    return line if len(line) <= _FEW_WORDS else f"{line[: _FEW_WORDS - 1]}…"


def file_of(call: ToolCall) -> tuple[str, str]:
    """Return the path of the file that a call is about, and `read`, `create` or `edit`; else ""."""
    match read_action(call):
        case View(path):
            return relative(path), "read"
        case Create(path):
            return relative(path), "create"
        case StrReplace(path) | Insert(path) | ReplaceLines(path):
            return relative(path), "edit"
        case _:
            return "", ""


def _bash(fields: _Fields) -> Bash | Restart:
    if fields.flag("restart") and not fields.has("command"):
        return Restart()
    return Bash(fields.command("command"))


def _run_tests(fields: _Fields) -> RunTests:
    return RunTests(fields.command("command") if fields.has("command") else None)


def _edit(fields: _Fields) -> EditCommand:
    path = fields.path("path")
    match fields.text("command"):
        case "view":
            first, last = fields.line_range("view_range")
            return View(path, first, last)
        case "create":
            return Create(path, fields.text("file_text"))
        case "str_replace":
            new = fields.text("new_str") if fields.has("new_str") else ""
            return StrReplace(path, fields.text("old_str"), new)
        case "insert":  # older versions of the tool called the text new_str
            key = "insert_text" if fields.has("insert_text") else "new_str"
            return Insert(path, fields.number("insert_line"), fields.text(key))
        case "replace_lines":  # as other harnesses edit; models are not told of it
            first, last = fields.number("start_line"), fields.number("end_line")
            return ReplaceLines(path, first, last, fields.text("new_str"))
        case "undo_edit":
            raise _BadInput("There is no undo: use str_replace, or `git checkout` in bash.")
        case other:
            raise _BadInput(
                f"There is no command {other!r}: use view, create, str_replace or insert."
            )


def _search(fields: _Fields) -> SearchCode:
    kind = fields.text("kind") if fields.has("kind") else SearchKind.SYMBOL
    if kind not in set(SearchKind):
        raise _BadInput(f"kind must be symbol, text or outline, not {kind!r}.")
    if kind == SearchKind.OUTLINE:
        return SearchCode("", SearchKind.OUTLINE, fields.path("path"))
    path = fields.path("path") if fields.has("path") else WORKSPACE
    return SearchCode(fields.line("query"), SearchKind(kind), path)


def _notes(fields: _Fields) -> TakeNotes:
    plan = fields.items("plan", MOST_STEPS) if fields.has("plan") else None
    note = fields.text("note").strip() if fields.has("note") else ""
    if plan is None and not note:
        raise _BadInput("Give a plan, a note, or both.")
    return TakeNotes(None if plan is None else tuple(map(_plan_step, plan)), note)


def _try_edits(fields: _Fields) -> TryEdits:
    holes = fields.choices("holes", MOST_FILLINGS)
    return TryEdits(fields.path("path"), fields.text("old_str"), fields.text("template"), holes)


def _plan_step(fields: _Fields) -> PlanStep:
    text = fields.text("step").strip()
    if not text:
        raise _BadInput("step is empty.")
    state = fields.text("status") if fields.has("status") else StepState.TODO
    if state not in set(map(str, StepState)):
        raise _BadInput(f"status must be {', '.join(StepState)}, not {state!r}.")
    check = fields.text("check").strip() if fields.has("check") else ""
    return PlanStep(text, check, StepState(state))


def _in_words(action: Action | Rejected, tool: str) -> str:
    match action:
        case Bash(command):
            words = agent.ran(command)
        case Restart():
            words = agent.restarted()
        case RunTests(command):
            words = agent.ran_tests(command)
        case View(path):
            words = agent.read(relative(path))
        case Create(path) | StrReplace(path) | Insert(path) | ReplaceLines(path):
            words = agent.edited(relative(path))
        case SearchCode(query):
            words = agent.searched(query) if query else agent.read(relative(action.path))
        case TryEdits(path, holes=holes):
            words = agent.tried_edits(relative(path), prod(len(values) for _, values in holes))
        case TakeNotes(plan, note):
            words = _planned(plan, note)
        case Rejected():
            words = agent.not_understood(tool)
        case _:
            assert_never(action)
    return words


def _planned(plan: tuple[PlanStep, ...] | None, note: str) -> str:
    if plan is None:
        return agent.noted(note)
    done = sum(step.state is StepState.DONE for step in plan)
    next_step = next((step.text for step in plan if step.state is not StepState.DONE), "")
    return agent.planned(done, len(plan), next_step)


class _Fields:
    """A tool's input, read field by field."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def has(self, key: str) -> bool:
        return self._values.get(key) is not None

    def flag(self, key: str) -> bool:
        return self._values.get(key) in (True, "true")  # a tuple: lists have no hash

    def text(self, key: str) -> str:
        value = self._values.get(key)
        if not isinstance(value, str):
            raise _BadInput(f"{key} is required and must be a string.")
        if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise _BadInput(f"{key} contains half a character (a lone surrogate).")
        return value

    def number(self, key: str) -> int:
        value = self._values.get(key)
        if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value):
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise _BadInput(f"{key} is required and must be a whole number.")
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
                raise _BadInput(f"{key} must be two whole numbers, such as [1, 50] or [80, -1].")

    def line(self, key: str) -> str:
        """Return a text of one line that is short enough for a command."""
        line = self.text(key)
        if not line.strip() or "\0" in line or len(line.splitlines()) > 1:
            raise _BadInput(f"{key} must be one line of text.")
        if len(line) > _LONGEST_QUERY:
            raise _BadInput(f"{key} is longer than {_LONGEST_QUERY} characters.")
        return line

    def items(self, key: str, most: int) -> list[_Fields]:
        """Return the objects of a list."""
        value = self._values.get(key)
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise _BadInput(f"{key} must be a list of objects.")
        if len(value) > most:
            raise _BadInput(f"{key} has more than {most} entries: put several into one.")
        return [_Fields(one) for one in value]

    def choices(self, key: str, most: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the texts that each name of an object may stand for."""
        value = self._values.get(key)
        if not isinstance(value, dict) or not all(
            isinstance(one, list) and one and all(isinstance(text, str) for text in one)
            for one in value.values()
        ):
            raise _BadInput(f"{key} must be an object with a list of texts for each hole.")
        if sum(map(len, value.values())) > most:
            raise _BadInput(f"{key} has more than {most} texts.")
        return tuple((str(name), tuple(texts)) for name, texts in value.items())

    def command(self, key: str) -> str:
        command = self.text(key)
        if not command.strip():
            raise _BadInput(f"{key} is empty.")
        if "\0" in command:
            raise _BadInput(f"{key} contains a NUL character.")
        if len(command.encode()) > _LONGEST_COMMAND:
            raise _BadInput(f"{key} is too long: write it to a file first and run that.")
        return command

    def path(self, key: str) -> str:
        """Return an absolute path of the workspace."""
        given = self.text(key)
        path = posixpath.normpath(posixpath.join(WORKSPACE, given))
        if path != WORKSPACE and not path.startswith(f"{WORKSPACE}/"):
            raise _BadInput(f"{given} is outside {WORKSPACE}: use bash to look elsewhere.")
        names = path.encode().split(b"/")
        if "\0" in path or len(path) > _LONGEST_PATH or max(map(len, names)) > _LONGEST_NAME:
            raise _BadInput(f"{key} is not a valid path.")
        return path
