"""Read public trajectories of SWE-agent: which tools were called, and what was answered.

https://github.com/SWE-agent/SWE-agent, `trajectories/demonstrations` and `tests/test_data`.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

FOLDERS = ("trajectories/demonstrations", "tests/test_data/trajectories")

_ROOT = re.compile(r"\(Current directory: (/[\w.-]+)|\[File: (/[\w.-]+)/")
_FILE = re.compile(r"\[File: (?P<path>\S+) \((?P<total>\d+) lines total\)\]")
_LINE = re.compile(r"^(\d+):(.*)$", re.MULTILINE)
_NUMBERED = re.compile(r"^\s*(\d+)\t(.*)$", re.MULTILINE)
_FOUND = re.compile(r"^(/\S+\.\w+)$", re.MULTILINE)
_OWN = frozenset(
    [
        "open",
        "goto",
        "scroll_up",
        "scroll_down",
        "create",
        "edit",
        "insert",
        "find_file",
        "search_dir",
        "search_file",
        "set_cursors",
        "submit",
    ]
)
_PARAMETERS = {
    "open": ("path", "line_number"),
    "goto": ("line_number",),
    "create": ("filename",),
    "find_file": ("file_name", "dir"),
    "search_dir": ("search_term", "path"),
    "search_file": ("search_term", "path"),
    "set_cursors": ("start_line", "end_line"),
}
_TRADE = "/ctf/"
"""Folder of another trade: its tools take programs apart and talk to servers."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call that a model made, and what the original environment answered."""

    name: str
    given: Mapping[str, Any]
    answer: str


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One conversation.

    Attributes:
        name: Of its file.
        other_trade: It is no repair of a program.
        root: Of the repository in the original environment.
        calls: In order.
        files: What can be known of the repository, by path: what was shown of it before a change.
    """

    name: str
    other_trade: bool
    root: str
    calls: tuple[RecordedCall, ...]
    files: Mapping[str, str] = field(default_factory=dict)


def read_all(clone: Path) -> list[Trajectory]:
    """Return every trajectory of a bare clone."""
    listed = _git(clone, "ls-tree", "-r", "--name-only", "HEAD", *FOLDERS).splitlines()
    found = []
    for path in listed:
        if path.endswith(".traj"):
            data = json.loads(_git(clone, "show", f"HEAD:{path}"))
        elif path.endswith("demo.yaml"):
            data = YAML(typ="safe").load(_git(clone, "show", f"HEAD:{path}"))
        else:
            continue
        calls = tuple(_calls(data))
        root = next(_roots(calls), "/testbed")
        found.append(Trajectory(path, _TRADE in path, root, calls, _files(calls, root)))
    return found


def _roots(calls: tuple[RecordedCall, ...]) -> Iterator[str]:
    """Yield where the repository may have been: what answers say, then what calls name."""
    for call in calls:
        yield from (item or other for item, other in _ROOT.findall(call.answer))
    for call in calls:
        path = str(call.given.get("path", ""))
        if path.startswith("/"):
            yield "/" + path.split("/")[1]


def _git(clone: Path, *arguments: str) -> str:
    done = subprocess.run(("git", "-C", str(clone), *arguments), capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def _calls(data: Mapping[str, Any]) -> Iterator[RecordedCall]:
    history = data.get("history") or []
    if any(message.get("tool_calls") for message in history):
        yield from _tool_calls(history)
        return
    for step in data.get("trajectory") or []:
        name, given = _parsed(step["action"])
        yield RecordedCall(name, given, step.get("observation") or "")


def _tool_calls(history: list[Mapping[str, Any]]) -> Iterator[RecordedCall]:
    for said, answered in zip(history, [*history[1:], {}], strict=True):
        for call in said.get("tool_calls") or []:
            function = call["function"]
            given = function["arguments"]
            given = json.loads(given) if isinstance(given, str) else given
            content = answered.get("content") or ""
            text = content if isinstance(content, str) else json.dumps(content)
            yield RecordedCall(function["name"], given, text.replace("\r\n", "\n"))


def _parsed(action: str) -> tuple[str, dict[str, Any]]:
    """Return a command of SWE-agent's shell as the call of the tool that it later became."""
    head, _, body = action.strip().partition("\n")
    try:
        words = shlex.split(head)
    except ValueError:
        words = head.split()
    name = words[0] if words else ""
    body = body.removesuffix("end_of_edit").removesuffix("\n")
    if name not in _OWN:
        return "bash", {"command": action.strip()}
    return name, _given(name, words[1:], body)


def _given(name: str, words: list[str], body: str) -> dict[str, Any]:
    if name == "edit":
        return _edit_given(words, body)
    names = _PARAMETERS.get(name, ())
    given = zip(names, (int(word) if word.isdecimal() else word for word in words), strict=False)
    return dict(given)


def _edit_given(words: list[str], body: str) -> dict[str, Any]:
    match words:
        case [lines, *_] if ":" in lines:
            first, last = lines.split(":")
            return {"start_line": int(first), "end_line": int(last), "replacement_text": body}
        case [old, new, *_]:
            return {"search": old, "replace": new}
        case _:
            return {"replacement_text": body}


def _files(calls: tuple[RecordedCall, ...], root: str) -> dict[str, str]:
    """Return the repository as far as it was shown before it was changed; the rest is blank."""
    lines: dict[str, dict[int, str]] = {}
    totals: dict[str, int] = {}
    changed: set[str] = set()
    for call in calls:
        path = ""
        if shown := _FILE.search(call.answer):
            path = _inside(shown["path"], root)
            if call.name in {"create", "edit", "insert"}:
                changed.add(path)
            elif path not in changed:
                totals[path] = int(shown["total"])
                found = lines.setdefault(path, {})
                found.update((int(n), text) for n, text in _LINE.findall(call.answer))
        elif "path" in call.given and call.given.get("command") == "view":
            for item in _FOUND.findall(call.answer):
                lines.setdefault(_inside(item, root), {})
            path = _inside(str(call.given["path"]), root)
            shown_lines = _NUMBERED.findall(call.answer)
            if shown_lines and path not in changed:
                lines.setdefault(path, {}).update((int(n), text) for n, text in shown_lines)
        elif call.name == "find_file":
            for item in _FOUND.findall(call.answer):
                lines.setdefault(_inside(item, root), {})
    return {
        path: "".join(
            f"{found.get(n, '')}\n"
            for n in range(1, 1 + max(totals.get(path, 0), max(found, default=0)))
        )
        for path, found in lines.items()
        if path and not path.startswith("/")
    }


def _inside(path: str, root: str) -> str:
    return path.removeprefix(f"{root}/")
