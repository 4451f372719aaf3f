"""The steps that agents take, as calls of Fixpoint's tools, and as commands of a shell."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.fakes.model import Call, Request, Say, Script, Step

_SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_EDITOR = "str_replace_based_edit_tool"


def bash(command: str) -> Call:
    """Run a command."""
    return Call("bash", {"command": command})


def tests(command: str, *, peer: bool) -> Call:
    """Run tests."""
    return bash(command) if peer else Call("run_tests", {"command": command})


def lookup(name: str, *, peer: bool) -> Call:
    """Look for a name."""
    return bash(f"grep -rn {name} .") if peer else Call("search_code", {"query": name})


def view(path: str, first: int, last: int, *, peer: bool) -> Call:
    """Look at lines of a file."""
    if peer:
        return bash(f"nl -ba {path} | sed -n '{first},{last}p'")
    return Call(_EDITOR, {"command": "view", "path": path, "view_range": [first, last]})


def edit(path: str, old: str, new: str, *, peer: bool) -> Call:
    """Replace one text by another."""
    if peer:
        pattern = re.sub(r"([.*^$/])", r"\\\1", old)
        return bash(f"sed -i 's/{pattern}/{new}/' {path}")
    given = {"command": "str_replace", "path": path, "old_str": old, "new_str": new}
    return Call(_EDITOR, given)


def ended(words: str, *, peer: bool) -> Step:
    """Say that it is done."""
    return bash(_SUBMIT) if peer else Say(words)


def own_tools(step: Callable[..., Step]) -> Script:
    """Return a model that takes each step in the tools of whoever asks: `step(turn, peer=...)`."""
    return lambda request: step(request.turn, peer=_is_peer(request))


def same_commands(step: Callable[..., Step], turns: int) -> Script:
    """Return a model that says the same commands to everybody; how each ends is its own."""
    return lambda request: step(request.turn, peer=request.turn < turns or _is_peer(request))


def _is_peer(request: Request) -> bool:
    return request.tools == ("bash",)
