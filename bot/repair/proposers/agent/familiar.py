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
from typing import Any

from bot.llm.base import ToolCall
from bot.llm.reply import UNREADABLE_INPUT
from bot.repair.proposers.agent.actions import BASH, EDIT, NOTES, OWN, SEARCH
from bot.repair.proposers.agent.familiar_names import (
    COMMANDS,
    CREATES,
    EDITORS,
    EDITS,
    ENDS,
    FINDS,
    FOLDERS,
    LINES,
    NETWORK,
    NEW,
    OLD,
    PATHS,
    PLANS,
    QUERIES,
    SEARCHES,
    SHELLS,
    STATES,
    TEXT,
    VIEWS,
)
from bot.repair.proposers.agent.patch_text import edit_of
from bot.repair.proposers.agent.working_notes import StepState

_WINDOW = 100
"""Lines that a harness with a window shows at a time."""


@dataclass(frozen=True, slots=True)
class Open:
    """What a harness with one open file has open: calls may leave the file out, and the lines."""

    path: str = ""
    first: int = 1
    lines: tuple[int, int] = (1, 1)


def read_as_ours(call: ToolCall, opened: Open) -> tuple[ToolCall, Open]:
    """Return the call of ours that is meant, the call itself where none is, and what is open then."""
    given = _unwrapped(_readable(call))
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
    return name.lower() in ENDS


def needs_network(name: str) -> bool:
    """Whether a tool of that name reaches the internet elsewhere."""
    return name.lower() in NETWORK


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
        return self.of(PATHS) or self.opened.path or None


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
        is_command = call.name.lower() in SHELLS and not text.lstrip().startswith(("{", "["))
        return {"command": text} if is_command else call.input
    return value if isinstance(value, dict) else call.input


def _unwrapped(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments, where a list of files or edits holds a sole one with that one's own."""
    for name in ("edits", "files", "paths"):
        match given.get(name):
            case [dict(one)]:
                return {**{key: value for key, value in given.items() if key != name}, **one}
            case [str(path)]:
                return {**{key: value for key, value in given.items() if key != name}, "path": path}
    return given


def _shell(given: _Given) -> _Ours | None:
    command = given.of(COMMANDS)
    words = command if isinstance(command, list) else [command]
    if str(words[0]).lstrip().startswith("apply_patch") and (meant := _patch(given)) is not None:
        return meant
    if command is given.values.get("commands") and isinstance(command, list):
        command = "\n".join(map(str, command))  # each of them is a whole one
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        wraps = len(command) == 3 and command[1] in {"-c", "-lc"}  # noqa: PLR2004 - bash -lc COMMAND
        command = command[2] if wraps else shlex.join(command)
    return None if command is None else (BASH, {**_kept(given, "restart"), "command": command})


def _patch(given: _Given) -> _Ours | None:
    """The text of a patch in place of an edit, as an argument or behind a command."""
    texts = given.of(("input", "patch", "patch_text", *COMMANDS))
    text = "\n".join(map(str, texts)) if isinstance(texts, list) else str(texts)
    edit = edit_of(text)
    return None if edit is None else (EDIT, edit)


def _editor(given: _Given) -> _Ours | None:
    """Ours by another name, or with other names of its arguments."""
    readers = {"view": _view, "create": _create, "str_replace": _edit, "insert": _insert}
    command = given.values.get("command") or _implied(given)
    reader = readers.get(command) if isinstance(command, str) else None
    return reader(given) if reader is not None else (EDIT, dict(given.values))


def _implied(given: _Given) -> str:
    """Return the command of an editor whose arguments say what to do."""
    if given.of(OLD) is not None:
        return "str_replace"
    if given.values.get("insert_line") is not None:
        return "insert"
    return "view" if given.of((*NEW, *TEXT)) is None else "create"


def _view(given: _Given) -> _Ours | None:
    path = given.of(FOLDERS) or given.opened.path or "."
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
    if given.of(OLD) is None and given.values.get("replacement_text") is not None:
        first, last = (first, last) if first and last else given.opened.lines
    if first is not None and last is not None and given.of(OLD) is None:
        lines = {"start_line": first, "end_line": last, "new_str": given.of(LINES) or ""}
        return EDIT, {"command": "replace_lines", "path": given.path} | lines
    edits = given.values.get("edits")
    if isinstance(edits, list) and edits and all(isinstance(one, dict) for one in edits):
        first_one, *others = [_texts(_Given(one, given.opened)) for one in edits]
        texts = {**first_one, "further": others}
    else:
        texts = _texts(given)
    return EDIT, {"command": "str_replace", "path": given.path} | texts


def _texts(given: _Given) -> dict[str, Any]:
    return {"old_str": given.of(OLD), "new_str": given.of(NEW) or ""}


def _create(given: _Given) -> _Ours | None:
    return EDIT, {"command": "create", "path": given.path, "file_text": given.of(TEXT) or ""}


def _insert(given: _Given) -> _Ours | None:
    line = given.of(("insert_line", "line", "line_number"))
    text = given.of(("insert_text", *TEXT))
    at = {"insert_line": -1 if line is None else line, "insert_text": text}
    return EDIT, {"command": "insert", "path": given.path} | at


def _find(given: _Given) -> _Ours | None:
    name = given.of(("file_name", "pattern", "name", "glob", "query", *PATHS))
    folder = given.of(("dir", "directory", "folder")) or "."
    if not isinstance(name, str) or not isinstance(folder, str):
        return None
    by = "-path" if "/" in name else "-name"
    name = f"*{name.lstrip('*')}" if by == "-path" else name
    return BASH, {
        "command": f"find {shlex.quote(folder)} -not -path '*/.git/*' {by} {shlex.quote(name)} | head -n 100"
    }


def _search(given: _Given) -> _Ours | None:
    where = given.of(FOLDERS)
    place = {} if where is None else {"path": where}
    return SEARCH, {"query": given.of(QUERIES), "kind": "text"} | place


def _plan(given: _Given) -> _Ours | None:
    steps = given.of(("todos", "plan", "steps", "items"))
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        return None
    plan = [
        {
            "step": step.get("content") or step.get("step") or step.get("title") or "",
            "status": STATES.get(str(step.get("status")), StepState.TODO),
        }
        for step in steps
    ]
    return NOTES, {"plan": plan}


def _think(given: _Given) -> _Ours | None:
    thought = given.of(("thought", "thoughts", "text", "content"))
    return None if thought is None else (NOTES, {"note": thought})


_READERS: tuple[tuple[frozenset[str], Callable[[_Given], _Ours | None]], ...] = (
    (SHELLS, _shell),
    (frozenset({"apply_patch", "applypatch"}), _patch),
    (EDITORS, _editor),
    (VIEWS, _view),
    (EDITS, _edit),
    (CREATES, _create),
    (frozenset({"insert", "insert_lines"}), _insert),
    (FINDS, _find),
    (SEARCHES, _search),
    (PLANS, _plan),
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
