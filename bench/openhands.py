"""Read public recordings of OpenHands: its tests replay them, and no benchmark is among them.

https://github.com/All-Hands-AI/OpenHands: `tests/runtime/trajs` has events as JSON;
`tests/integration/mock`, which a later commit removed, has prompts as text.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.case import run_git
from bench.trajectories import RecordedCall, Trajectory

_EVENTS = "tests/runtime/trajs"
_PROMPTS = "tests/integration/mock"
_BREAK = "\n----------\n"
_ACT = re.compile(r"<execute_(bash|ipython)>\n?(.*?)\n?</execute_\1>", re.DOTALL)
_FILE = re.compile(r"\[File: (?P<path>\S+) \((?P<total>\d+) lines total")
_LINE = re.compile(r"^(\d+)\|(.*)$", re.MULTILINE)
_ROOT = "/workspace"


def recorded(clone: Path) -> list[Trajectory]:
    """Return every conversation of a whole clone; those without a call are left out."""
    found = [*_of_events(clone), *_of_prompts(clone)]
    return [trajectory for trajectory in found if trajectory.calls]


def _of_events(clone: Path) -> Iterator[Trajectory]:
    for path in run_git(clone, "ls-tree", "-r", "--name-only", "HEAD", _EVENTS).splitlines():
        events = json.loads(run_git(clone, "show", f"HEAD:{path}"))
        answers = {
            event["cause"]: event for event in events if "observation" in event and "cause" in event
        }
        yield Trajectory(
            path, other_trade=False, root=_ROOT, calls=tuple(_event_calls(events, answers))
        )


def _event_calls(
    events: list[Mapping[str, Any]], answers: Mapping[int, Mapping[str, Any]]
) -> Iterator[RecordedCall]:
    for event in events:
        if "action" not in event or not event.get("tool_call_metadata"):
            continue
        wanted = event["tool_call_metadata"]["tool_call_id"]
        said = event["tool_call_metadata"]["model_response"]["choices"][0]["message"]
        for call in said["tool_calls"]:
            if call["id"] == wanted:
                given = json.loads(call["function"]["arguments"])
                answer = str(answers.get(event["id"], {}).get("content", ""))
                yield RecordedCall(call["function"]["name"], given, answer)


def _of_prompts(clone: Path) -> Iterator[Trajectory]:
    gone = run_git(clone, "log", "-1", "--format=%H", "--diff-filter=D", "--", _PROMPTS).strip()
    listed = run_git(clone, "ls-tree", "-r", "--name-only", f"{gone}^", _PROMPTS).splitlines()
    last = {Path(path).parent: path for path in sorted(listed) if "/prompt_" in path}
    for folder, path in last.items():
        text = run_git(clone, "show", f"{gone}^:{path}")
        said = run_git(clone, "show", f"{gone}^:{path.replace('prompt_', 'response_')}")
        calls = tuple(_prompt_calls(text.split("NOW, LET'S START!")[-1], said))
        yield Trajectory(
            str(folder), other_trade=False, root=_ROOT, calls=calls, files=_files(calls)
        )


def _prompt_calls(text: str, last: str) -> Iterator[RecordedCall]:
    parts = [*text.split(_BREAK), last, ""]
    for said, answered in pairwise(parts):
        if act := _ACT.search(said):
            answer = answered.strip().removeprefix("OBSERVATION:\n")
            yield RecordedCall(*_named(act[1], act[2]), answer)


def _named(kind: str, code: str) -> tuple[str, dict[str, Any]]:
    """Return what a block does: a call of one of its skills by name, or a command."""
    if kind == "bash":
        return "execute_bash", {"command": code}
    try:
        match ast.parse(code).body:
            case [ast.Expr(ast.Call(ast.Name(name), arguments, keywords))]:
                names = _PARAMETERS.get(name)
                if names is not None:
                    values = zip(names, map(ast.literal_eval, arguments), strict=False)
                    given = {
                        keyword.arg: ast.literal_eval(keyword.value)
                        for keyword in keywords
                        if keyword.arg
                    }
                    return name, {**dict(values), **given}
    except (SyntaxError, ValueError):
        pass
    return "execute_bash", {"command": f"python3 - <<'END'\n{code}\nEND"}


_PARAMETERS = {
    "open_file": ("path", "line_number"),
    "goto_line": ("line_number",),
    "create_file": ("filename",),
    "search_dir": ("search_term", "path"),
    "search_file": ("search_term", "path"),
    "find_file": ("file_name", "dir"),
    "edit_file_by_replace": ("file_name", "to_replace", "new_content"),
    "insert_content_at_line": ("file_name", "line_number", "content"),
}


def _files(calls: tuple[RecordedCall, ...]) -> dict[str, str]:
    """Return files as they were first shown."""
    files: dict[str, str] = {}
    for call in calls:
        if shown := _FILE.search(call.answer):
            lines = [text for _, text in _LINE.findall(call.answer)]
            path = shown["path"].removeprefix(f"{_ROOT}/")
            files.setdefault(path, "".join(f"{line}\n" for line in lines))
    return files
