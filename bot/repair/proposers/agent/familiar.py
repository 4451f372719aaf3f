"""Read calls as models know them from other harnesses as calls of our tools.

A model that was trained with other tools calls them by habit, or ours with their arguments. What is
meant is clear most of the time; where it is not, the answer says which call would be.

The names are those of SWE-agent (https://swe-agent.com/latest/config/tools/), OpenHands, Claude
Code, Codex, Gemini CLI and Anthropic's earlier editors.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from bot.llm.base import ToolCall
from bot.llm.reply import UNREADABLE_INPUT
from bot.repair.proposers.agent.actions import BASH, EDIT, NOTES, OWN, SEARCH
from bot.repair.proposers.agent.working_notes import StepState

_WINDOW = 100
"""Lines that a harness with a window shows at a time."""

_SHELLS = frozenset(
    [
        "bash",
        "shell",
        "sh",
        "cmd",
        "exec",
        "run",
        "execute",
        "terminal",
        "execute_bash",
        "run_command",
        "execute_command",
        "run_shell_command",
        "local_shell",
        "container.exec",
        "bash_command",
        "run_terminal_cmd",
    ]
)
_VIEWS = frozenset(["open", "open_file", "view", "view_file", "read", "read_file", "cat", "show_file", "file_read", "ls", "list_dir", "list_directory", "list_files"])  # fmt: skip
_EDITS = frozenset(["edit", "edit_file", "replace", "str_replace", "search_replace", "string_replace", "multiedit", "replace_string_in_file", "replace_in_file", "edit_file_by_replace"])  # fmt: skip
_CREATES = frozenset(
    ["create", "create_file", "write", "write_file", "write_to_file", "new_file", "save_file"]
)
_EDITORS = frozenset(["str_replace_editor", "text_editor", "editor", "str_replace_based_edit_tool", "edit_anthropic"])  # fmt: skip
_FINDS = frozenset(["find_file", "find_files", "glob", "file_search", "search_files", "find"])
_SEARCHES = frozenset(["search", "search_dir", "search_file", "grep", "grep_search", "search_file_content", "codebase_search", "find_in_files", "ripgrep", "search_in_files"])  # fmt: skip
_ENDS = frozenset(
    ["submit", "finish", "attempt_completion", "task_done", "complete", "done", "exit"]
)
_PLANS = frozenset(["todo_write", "todowrite", "update_plan", "write_todos"])

_PATHS = (
    "path",
    "file_path",
    "filepath",
    "filename",
    "file_name",
    "file",
    "absolute_path",
    "target_file",
)
_FOLDERS = ("dir", "directory", "dir_path", *_PATHS)
_COMMANDS = ("command", "cmd", "commands", "script", "code", "input")
_OLD = ("old_str", "old_string", "search", "old_text", "find", "old", "target", "to_replace")
_NEW = ("new_str", "new_string", "replace", "new_text", "replacement", "new", "new_content")
_TEXT = ("file_text", "content", "contents", "text", "file_content", "new_str", "code")
_LINES = ("replacement_text", *_NEW, *_TEXT)
_QUERIES = ("query", "pattern", "search_term", "regex", "term", "search", "keyword", "text")
_STATES = MappingProxyType({
    "pending": StepState.TODO, "todo": StepState.TODO,
    "in_progress": StepState.DOING, "doing": StepState.DOING,
    "completed": StepState.DONE, "done": StepState.DONE,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Open:
    """What a harness with one open file has open: calls may leave the file out, and the lines."""

    path: str = ""
    first: int = 1
    lines: tuple[int, int] = (1, 1)


def read_as_ours(call: ToolCall, opened: Open) -> tuple[ToolCall, Open]:
    """Return the call of ours that is meant, the call itself where none is, and what is open then."""
    given = _readable(call)
    name = call.name.rsplit(".", 1)[-1].lower() if call.name not in OWN else call.name
    fields = _Given(given, opened)
    ours = next((read(fields) for names, read in _READERS if name in names), None)
    if ours is None:
        ours = _moved(name, fields)
    meant = (
        replace(call, input=given) if ours is None else replace(call, name=ours[0], input=ours[1])
    )
    then = _opened(meant, opened)
    first, last = fields.number("start_line"), fields.number("end_line")
    if name == "set_cursors" and first and last:
        then = replace(then, lines=(first, last))
    return meant, then


def is_end(name: str) -> bool:
    """Whether a tool of that name ends the work elsewhere; here, an answer without a call does."""
    return name.lower() in _ENDS


class _Given:
    """The arguments of a call, by any of their names."""

    def __init__(self, values: Mapping[str, Any], opened: Open) -> None:
        self.values = values
        self.opened = opened

    def of(self, names: Sequence[str]) -> Any:
        return next(
            (self.values[name] for name in names if self.values.get(name) is not None), None
        )

    def number(self, *names: str) -> int | None:
        value = self.of(names)
        if isinstance(value, str) and value.isdecimal():
            return int(value)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    @property
    def path(self) -> Any:
        return self.of(_PATHS) or self.opened.path or None


_Ours = tuple[str, dict[str, Any]]


def _readable(call: ToolCall) -> Mapping[str, Any]:
    """Return the arguments, also where they are no strict JSON but can be read all the same."""
    text = call.input.get(UNREADABLE_INPUT)
    if not isinstance(text, str):
        return call.input
    try:
        value = json.loads(text, strict=False)  # line breaks inside of texts
        value = (
            json.loads(value, strict=False) if isinstance(value, str) else value
        )  # encoded twice
    except (ValueError, RecursionError):
        is_command = call.name.lower() in _SHELLS and not text.lstrip().startswith(("{", "["))
        return {"command": text} if is_command else call.input
    return value if isinstance(value, dict) else call.input


def _shell(given: _Given) -> _Ours | None:
    command = given.of(_COMMANDS)
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        wraps = len(command) == 3 and command[1] in {"-c", "-lc"}  # noqa: PLR2004 - bash -lc COMMAND
        command = command[2] if wraps else shlex.join(command)
    return None if command is None else (BASH, {**_kept(given, "restart"), "command": command})


def _editor(given: _Given) -> _Ours | None:
    """Ours by another name, or with other names of its arguments."""
    readers = {"view": _view, "create": _create, "str_replace": _edit, "insert": _insert}
    command = given.values.get("command")
    reader = readers.get(command) if isinstance(command, str) else None
    return reader(given) if reader is not None else (EDIT, dict(given.values))


def _view(given: _Given) -> _Ours | None:
    path = given.of(_FOLDERS) or given.opened.path or "."
    lines = given.values.get("view_range") or _range(given)
    return EDIT, {"command": "view", "path": path} | ({"view_range": lines} if lines else {})


def _range(given: _Given) -> list[int] | None:
    if (at := given.number("line_number", "line")) is not None:
        return [max(1, at - _WINDOW // 2), -1 if at <= 0 else at + _WINDOW // 2]
    first = given.number("start_line", "offset", "start", "first_line")
    last = given.number("end_line", "end", "last_line")
    if first is None:
        return None
    first, limit = max(1, first), given.number("limit")
    return [first, first + limit - 1 if limit else last or -1]


def _edit(given: _Given) -> _Ours | None:
    first, last = given.number("start_line"), given.number("end_line")
    if given.of(_OLD) is None and given.values.get("replacement_text") is not None:
        first, last = (first, last) if first and last else given.opened.lines
    if first is not None and last is not None and given.of(_OLD) is None:
        lines = {"start_line": first, "end_line": last, "new_str": given.of(_LINES) or ""}
        return EDIT, {"command": "replace_lines", "path": given.path} | lines
    texts = {"old_str": given.of(_OLD), "new_str": given.of(_NEW) or ""}
    return EDIT, {"command": "str_replace", "path": given.path} | texts


def _create(given: _Given) -> _Ours | None:
    return EDIT, {"command": "create", "path": given.path, "file_text": given.of(_TEXT) or ""}


def _insert(given: _Given) -> _Ours | None:
    line = given.of(("insert_line", "line", "line_number"))
    text = given.of(("insert_text", *_TEXT))
    at = {"insert_line": -1 if line is None else line, "insert_text": text}
    return EDIT, {"command": "insert", "path": given.path} | at


def _find(given: _Given) -> _Ours | None:
    name = given.of(("file_name", "pattern", "name", "glob", "query", *_PATHS))
    folder = given.of(("dir", "directory", "folder")) or "."
    if not isinstance(name, str) or not isinstance(folder, str):
        return None
    by = "-path" if "/" in name else "-name"
    name = f"*{name.lstrip('*')}" if by == "-path" else name
    return BASH, {
        "command": f"find {shlex.quote(folder)} -not -path '*/.git/*' {by} {shlex.quote(name)} | head -n 100"
    }


def _search(given: _Given) -> _Ours | None:
    where = given.of(_FOLDERS)
    place = {} if where is None else {"path": where}
    return SEARCH, {"query": given.of(_QUERIES), "kind": "text"} | place


def _plan(given: _Given) -> _Ours | None:
    steps = given.of(("todos", "plan", "steps", "items"))
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        return None
    plan = [
        {
            "step": step.get("content") or step.get("step") or step.get("title") or "",
            "status": _STATES.get(str(step.get("status")), StepState.TODO),
        }
        for step in steps
    ]
    return NOTES, {"plan": plan}


def _think(given: _Given) -> _Ours | None:
    thought = given.of(("thought", "thoughts", "text", "content"))
    return None if thought is None else (NOTES, {"note": thought})


_READERS: tuple[tuple[frozenset[str], Callable[[_Given], _Ours | None]], ...] = (
    (_SHELLS, _shell),
    (_EDITORS, _editor),
    (_VIEWS, _view),
    (_EDITS, _edit),
    (_CREATES, _create),
    (frozenset({"insert", "insert_lines"}), _insert),
    (_FINDS, _find),
    (_SEARCHES, _search),
    (_PLANS, _plan),
    (frozenset({"think"}), _think),
)


def _moved(name: str, given: _Given) -> _Ours | None:
    """Return the call that moves the window of the open file."""
    if not given.opened.path:
        return None
    at = given.number("line_number", "line") if name == "goto" else None
    if name == "set_cursors":
        at = given.number("start_line")
    steps = {"scroll_down": _WINDOW, "scroll_up": -_WINDOW}
    if at is not None:
        first = max(1, at - _WINDOW // 2)
    elif name in steps:
        first = max(1, given.opened.first + steps[name])
    else:
        return None
    lines = [first, first + _WINDOW]
    return EDIT, {"command": "view", "path": given.opened.path, "view_range": lines}


def _opened(call: ToolCall, before: Open) -> Open:
    if call.input.get("command") == "create":
        before = Open()
    path, lines = call.input.get("path"), call.input.get("view_range")
    if call.name != EDIT or not isinstance(path, str):
        return before
    match lines:
        case [int(first), _]:
            return replace(before, path=path, first=first)
        case _:
            return replace(before, path=path)


def _kept(given: _Given, *names: str) -> dict[str, Any]:
    return {name: given.values[name] for name in names if name in given.values}
