"""Calls of our tools that calls of other harnesses mean, by the kind of tool."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bot.model.plan import StepState
from bot.repair.proposers.agent.actions import BASH, EDIT, NOTES, SEARCH
from bot.repair.proposers.agent.foreign_arguments import Given
from bot.repair.proposers.agent.foreign_tool_names import (
    COMMANDS,
    CREATES,
    EDITORS,
    EDITS,
    FINDS,
    FOLDERS,
    LINES,
    NEW,
    OLD,
    PATCHES,
    PATHS,
    PLANS,
    QUERIES,
    SEARCHES,
    SHELLS,
    STATES,
    TEXT,
    VIEWS,
)

# https://github.com/openai/codex, `codex-rs/apply-patch`. A hunk is found by its text and not by line
# numbers, so it is a text that is replaced by another one.

_BEGIN, _END = "*** Begin Patch\n", "\n*** End Patch"
_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)\n?", re.MULTILINE)
_MOVE = re.compile(r"\*\*\* Move to: (.+)")


def edits_of(text: str) -> list[str | dict[str, Any]]:
    """Return what a patch does, in order: arguments of our editor, and shell commands.

    Files are removed and moved by a command. Other text, a patch that stops before its end, and one
    with a head that is not known, are [].
    """
    patch, ended, _ = text.partition(_BEGIN)[2].partition(_END)
    front, *parts = _FILE.split(patch) if ended else ("",)
    if front.strip():
        return []
    edits: list[str | dict[str, Any]] = []
    for kind, path, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        done = _file_edits(kind, path.strip(), body.removesuffix("\n").split("\n"))
        if not done:
            return []
        edits += done
    return edits


def _file_edits(kind: str, path: str, lines: Sequence[str]) -> list[str | dict[str, Any]]:
    """Return what the part of a patch about one file does; [] where it can't be read."""
    if kind == "Delete":
        return [f"rm -- {shlex.quote(path)}"]
    if kind == "Add":
        content = "".join(f"{line[1:]}\n" for line in lines if line.startswith("+"))
        return [{"command": "create", "path": path, "file_text": content}]
    moved = _MOVE.fullmatch(lines[0].strip())
    to = moved[1] if moved else path
    body = lines[1:] if moved else lines
    if any(re.match(r"\*\*\* (?!End of File)", line) for line in body):
        return []
    edits: list[str | dict[str, Any]] = [_move(path, to)] if moved else []
    replaced = [{"old_str": old, "new_str": new} for old, new in _hunks(body) if old != new]
    if replaced:
        first, *further = replaced
        edits.append({"command": "str_replace", "path": to, **first, "further": further})
    return edits


def _move(path: str, to: str) -> str:
    folder = posixpath.dirname(to) or "."
    return f"mkdir -p -- {shlex.quote(folder)} && mv -- {shlex.quote(path)} {shlex.quote(to)}"


def _hunks(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what each hunk replaces, and by what."""
    old: list[str] = []
    new: list[str] = []
    for line in (*lines, "@@"):
        if line.startswith("@@"):
            if old or new:
                yield "\n".join(old), "\n".join(new)
            old, new = [], []
        elif not line.startswith("***"):
            if not line.startswith("+"):
                old.append(line[1:])
            if not line.startswith("-"):
                new.append(line[1:])


_WINDOW = 100
"""Lines that a harness with a window shows at a time."""


Ours = tuple[str, dict[str, Any]]
"""A tool of ours, and what it is given."""


def meant_by(name: str, given: Given) -> list[Ours]:
    """Return the calls of ours that a call of a tool of that name means; [] where none is.

    Only a patch of several files, or one that moves or removes them, means more than one.
    """
    edits = edits_of(_patch_text(name, given))
    if edits:
        return [(BASH, {"command": e}) if isinstance(e, str) else (EDIT, e) for e in edits]
    ours = next((read(given) for names, read in _READERS if name in names), None)
    ours = ours or _moved(name, given)
    return [] if ours is None else [ours]


def _patch_text(name: str, given: Given) -> str:
    """Return what may be the text of a patch: an argument, or behind the command of that name."""
    texts = given.of(("input", "patch", "patch_text", *COMMANDS))
    text = "\n".join(map(str, texts)) if isinstance(texts, list) else str(texts)
    is_command = name in SHELLS and text.lstrip().startswith("apply_patch")
    return text if name in PATCHES or is_command else ""


def _shell(given: Given) -> Ours | None:
    command = given.of(COMMANDS)
    if command is given.values.get("commands") and isinstance(command, list):
        command = "\n".join(map(str, command))  # each of them is a whole one
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        wraps = len(command) == 3 and command[1] in {"-c", "-lc"}  # noqa: PLR2004 - bash -lc COMMAND
        command = command[2] if wraps else shlex.join(command)
    return None if command is None else (BASH, {**_kept(given, "restart"), "command": command})


def _editor(given: Given) -> Ours | None:
    """Ours by another name, or with other names of its arguments."""
    readers = {"view": _view, "create": _create, "str_replace": _edit, "insert": _insert}
    command = given.values.get("command") or _implied(given)
    reader = readers.get(command) if isinstance(command, str) else None
    return reader(given) if reader is not None else (EDIT, dict(given.values))


def _implied(given: Given) -> str:
    """Return the command of an editor whose arguments say what to do."""
    if given.of(OLD) is not None:
        return "str_replace"
    if given.values.get("insert_line") is not None:
        return "insert"
    return "view" if given.of((*NEW, *TEXT)) is None else "create"


def _view(given: Given) -> Ours | None:
    path = given.of(FOLDERS) or given.opened.path or "."
    lines = given.values.get("view_range") or _range(given)
    return EDIT, {"command": "view", "path": path} | ({"view_range": lines} if lines else {})


def _range(given: Given) -> list[int] | None:
    if (at := given.number("line_number", "line")) is not None:
        return [max(1, at - _WINDOW // 2), -1 if at <= 0 else at + _WINDOW // 2]
    first = given.number("start_line", "offset", "start", "first_line")
    last = given.number("end_line", "end", "last_line")
    if first is None:
        return None
    first, limit = max(1, first), given.number("limit")
    return [first, first + limit - 1 if limit else last or -1]


def _edit(given: Given) -> Ours | None:
    first, last = given.number("start_line"), given.number("end_line")
    if given.of(OLD) is None and given.values.get("replacement_text") is not None:
        first, last = (first, last) if first and last else given.opened.lines
    if first is not None and last is not None and given.of(OLD) is None:
        lines = {"start_line": first, "end_line": last, "new_str": given.of(LINES) or ""}
        return EDIT, {"command": "replace_lines", "path": given.path} | lines
    edits = given.values.get("edits")
    if isinstance(edits, list) and edits and all(isinstance(edit, dict) for edit in edits):
        first_one, *others = [_texts(Given(edit, given.opened)) for edit in edits]
        texts = {**first_one, "further": others}
    else:
        texts = _texts(given)
    return EDIT, {"command": "str_replace", "path": given.path} | texts


def _texts(given: Given) -> dict[str, Any]:
    return {"old_str": given.of(OLD), "new_str": given.of(NEW) or ""}


def _create(given: Given) -> Ours | None:
    return EDIT, {"command": "create", "path": given.path, "file_text": given.of(TEXT) or ""}


def _insert(given: Given) -> Ours | None:
    line = given.of(("insert_line", "line", "line_number"))
    text = given.of(("insert_text", *TEXT))
    at = {"insert_line": -1 if line is None else line, "insert_text": text}
    return EDIT, {"command": "insert", "path": given.path} | at


def _find(given: Given) -> Ours | None:
    name = given.of(("file_name", "pattern", "name", "glob", "query", *PATHS))
    folder = given.of(("dir", "directory", "folder")) or "."
    if not isinstance(name, str) or not isinstance(folder, str):
        return None
    by = "-path" if "/" in name else "-name"
    name = f"*{name.lstrip('*')}" if by == "-path" else name
    return BASH, {
        "command": f"find {shlex.quote(folder)} -not -path '*/.git/*' {by} {shlex.quote(name)} | head -n 100"
    }


def _search(given: Given) -> Ours | None:
    where = given.of(FOLDERS)
    place = {} if where is None else {"path": where}
    return SEARCH, {"query": given.of(QUERIES), "kind": "text"} | place


def _plan(given: Given) -> Ours | None:
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


def _think(given: Given) -> Ours | None:
    thought = given.of(("thought", "thoughts", "text", "content"))
    return None if thought is None else (NOTES, {"note": thought})


_READERS: tuple[tuple[frozenset[str], Callable[[Given], Ours | None]], ...] = (
    (SHELLS, _shell),
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


def _moved(name: str, given: Given) -> Ours | None:
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


def _kept(given: Given, *names: str) -> dict[str, Any]:
    return {name: given.values[name] for name in names if name in given.values}
