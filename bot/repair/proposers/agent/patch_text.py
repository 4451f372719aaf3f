"""Read the patches that Codex writes (`*** Begin Patch`) as edits of files and commands.

https://github.com/openai/codex, `codex-rs/apply-patch`. A hunk is found by its text and not by line
numbers, so it is a text that is replaced by another one.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

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
