"""Read sessions that public agents recorded for their own tests: Crush, Cline, Gemini CLI.

https://github.com/charmbracelet/crush, `internal/agent/testdata`: what was sent to a provider; the
longest request of a file holds the conversation. https://github.com/cline/cline,
`sdk/packages/core/fixtures`: a session's messages, with the files that people attached.
https://github.com/google-gemini/gemini-cli, `integration-tests`: what models said; those of its
browser agent are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from bench.case import run_git
from bench.trajectories import RecordedCall, Trajectory

_REQUESTS = "internal/agent/testdata"
_MESSAGES = "sdk/packages/core/fixtures"
_RESPONSES = "integration-tests"
_NUMBERED = re.compile(r"^ *(\d+) ?\|(.*)$", re.MULTILINE)
_READS = frozenset({"view", "read_files"})
_CRUSH_ROOT = re.compile(r"/tmp/crush-test(?:/[\w.-]+){3}")
_CLINE_ROOTS = ("/Users/example/dev/cline", "/tmp/project")


def of_crush(clone: Path) -> list[Trajectory]:
    """Return every conversation that has a call."""
    found = []
    for path, commit in _ever_there(clone, _REQUESTS).items():
        kept = YAML(typ="safe").load(run_git(clone, "show", f"{commit}:{path}"))
        if not isinstance(kept, dict):
            continue
        bodies = [item["request"].get("body", "") for item in kept["interactions"]]
        asked = [_messages(body) for body in bodies if body.startswith("{")]
        calls = tuple(_calls_of_request(max(asked, key=len, default=[])))
        if calls:
            told = "\n".join([json.dumps(dict(call.given)) + call.answer for call in calls])
            root = _CRUSH_ROOT.search(told)
            found.append(_trajectory(path, root[0] if root else "/tmp", calls, {}))
    return found


def _ever_there(clone: Path, folder: str) -> dict[str, str]:
    """Return the files of a folder with a commit that has them, also those that are gone since."""
    listed = run_git(clone, "ls-tree", "-r", "--name-only", "HEAD", folder).splitlines()
    found = dict.fromkeys(listed, "HEAD")
    gone = run_git(clone, "log", "--format=%x00%H", "--diff-filter=D", "--name-only", "--", folder)
    for entry in gone.split("\0")[1:]:
        commit, *paths = entry.split()
        found = {path: f"{commit}^" for path in paths if path.endswith(".yaml")} | found
    return found


def _messages(body: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = json.loads(body).get("messages", [])
    return found


def _calls_of_request(messages: Sequence[Mapping[str, Any]]) -> Iterator[RecordedCall]:
    """Yield the calls of a request to either kind of provider."""
    yield from _calls_of_session([block for message in messages for block in _blocks(message)])
    answers = {
        entry["tool_call_id"]: entry["content"] for entry in messages if entry["role"] == "tool"
    }
    for message in messages:
        for call in message.get("tool_calls") or []:
            function = call["function"]
            answer = str(answers.get(call["id"], ""))
            yield RecordedCall(function["name"], json.loads(function["arguments"]), answer)


def of_cline(clone: Path) -> list[Trajectory]:
    """Return every session that has a call."""
    found = []
    for path in run_git(clone, "ls-tree", "-r", "--name-only", "HEAD", _MESSAGES).splitlines():
        kept = json.loads(run_git(clone, "show", f"HEAD:{path}"))
        messages = kept.get("messages") if isinstance(kept, dict) else None
        blocks = [block for message in messages or [] for block in _blocks(message)]
        calls = tuple(_calls_of_session(blocks))
        if calls:
            told = json.dumps(blocks)
            root = next(cline_root for cline_root in _CLINE_ROOTS if cline_root in told)
            attached = {
                block["path"]: block["content"] for block in blocks if block.get("type") == "file"
            }
            found.append(_trajectory(path, root, calls, attached))
    return found


def of_gemini(clone: Path) -> list[Trajectory]:
    """Return what a model says in each test that has a call; there are no answers to compare with.

    A file that is read before it is written is there, and blank.
    """
    found = []
    for path in run_git(clone, "ls-tree", "-r", "--name-only", "HEAD", _RESPONSES).splitlines():
        if not path.endswith(".responses") or "/browser-" in path:
            continue
        lines = run_git(clone, "show", f"HEAD:{path}").splitlines()
        said = [entry for line in lines if line for entry in _function_calls(json.loads(line))]
        calls = tuple(RecordedCall(entry["name"], entry.get("args", {}), "") for entry in said)
        if calls:
            blank = {
                str(recorded_call.given.get("file_path")): ""
                for recorded_call in calls
                if recorded_call.name == "read_file"
            }
            for call in calls:
                if call.name == "write_file":
                    blank.pop(str(call.given.get("file_path")), None)
            found.append(_trajectory(path, "/tmp/project", calls, blank))
    return found


def _function_calls(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        for item in value:
            yield from _function_calls(item)
    elif isinstance(value, dict):
        if "functionCall" in value:
            yield value["functionCall"]
        for item in value.values():
            yield from _function_calls(item)


def _blocks(message: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    content = message.get("content")
    return content if isinstance(content, list) else ()


def _calls_of_session(blocks: Sequence[Mapping[str, Any]]) -> Iterator[RecordedCall]:
    answers = {
        block["tool_use_id"]: block for block in blocks if block.get("type") == "tool_result"
    }
    for call in blocks:
        if call.get("type") == "tool_use":
            yield RecordedCall(call["name"], call["input"], _answer(answers.get(call["id"], {})))


def _answer(block: Mapping[str, Any]) -> str:
    content = block.get("content", "")
    if isinstance(content, str):
        return content
    return "\n".join(str(item.get("result") or item.get("text") or "") for item in content)


def _trajectory(
    name: str, root: str, calls: tuple[RecordedCall, ...], attached: Mapping[str, str]
) -> Trajectory:
    """Return a conversation with the files that it shows: as attached, or as first looked at."""
    files = {path.removeprefix(f"{root}/"): text for path, text in attached.items()}
    for call in calls:
        path = _path(call.given).removeprefix(f"{root}/")
        lines = {int(n): text for n, text in _NUMBERED.findall(call.answer)}
        if not path or path in files:
            continue
        if lines:
            shown = [lines.get(n, "") for n in range(1, max(lines) + 1)]
            files[path] = "".join(f"{line}\n" for line in shown)
        elif call.name in _READS:
            files[path] = call.answer
    inside = {path: text for path, text in files.items() if not path.startswith("/")}
    return Trajectory(name, other_trade=False, root=root, calls=calls, files=inside)


def _path(given: Mapping[str, Any]) -> str:
    match given:
        case {"file_path": str(path)} | {"path": str(path)} | {"files": [{"path": str(path)}]}:
            return path
        case _:
            return ""
