"""Take protected files out of a patch that a tool made over the whole tree."""

from __future__ import annotations

import re
from collections.abc import Collection

from bot.model import Patch
from bot.repair.guards import protected_paths

_SECTION = re.compile(rb"^(?=diff --git )", re.MULTILINE)
_HEADER = re.compile(rb"^diff --git (?P<names>.+)$", re.MULTILINE)
_ESCAPED = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
}
"""How git quotes a name with control characters, quotes or backslashes: as C does."""


def without(patch: Patch, protected: tuple[str, ...]) -> tuple[Patch, tuple[str, ...]]:
    """Return the patch without protected files, and those files.

    Args:
        patch: `git diff --binary --full-index`.
        protected: Globs as in `.gitignore`.
    """
    dropped = protected_paths(patch.files, protected)
    if not dropped:
        return patch, ()
    return only(patch, frozenset(patch.files).difference(dropped)), dropped


def only(patch: Patch, files: Collection[str]) -> Patch:
    """Return what a patch does to some of its files."""
    kept = [s for s in _SECTION.split(patch.data) if s and _path(s) in files]
    added, removed = _counted(kept)
    return Patch(b"".join(kept), tuple(f for f in patch.files if f in files), added, removed)


def _path(section: bytes) -> str:
    """Return the path of a section: there are no renames, so its header names it twice."""
    header = _HEADER.match(section)
    names = header["names"] if header else b""
    name = names[len(names) // 2 + 1 :]
    if name.startswith(b'"'):
        name = _ESCAPED.sub(lambda escape: _byte(escape[1]), name[1:-1])
    return name.removeprefix(b"b/").decode("utf-8", "surrogateescape")


def _byte(escaped: bytes) -> bytes:
    return bytes([int(escaped, 8)]) if escaped.isdigit() else _LETTERS.get(escaped, escaped)


def _counted(sections: list[bytes]) -> tuple[int, int]:
    """Return added and removed lines, the headers `+++` and `---` left out."""
    added = removed = 0
    for section in sections:
        _, _, body = section.partition(b"\n@@")
        lines = body.split(b"\n")
        added += sum(line.startswith(b"+") for line in lines)
        removed += sum(line.startswith(b"-") for line in lines)
    return added, removed
