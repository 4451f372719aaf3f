"""Take protected files out of a patch that a tool made over the whole tree."""

from __future__ import annotations

import re

from bot.model import Patch
from bot.repair.guards import protected_paths

_SECTION = re.compile(rb"^(?=diff --git )", re.MULTILINE)
_HEADER = re.compile(rb"^diff --git (?P<rest>.+)$", re.MULTILINE)


def without(patch: Patch, protected: tuple[str, ...]) -> tuple[Patch, tuple[str, ...]]:
    """Return the patch without protected files, and those files.

    Args:
        patch: `git diff --binary --full-index`.
        protected: Globs as in `.gitignore`.
    """
    dropped = protected_paths(patch.files, protected)
    if not dropped:
        return patch, ()
    kept = [s for s in _SECTION.split(patch.data) if s and not _is_of(s, dropped)]
    files = tuple(path for path in patch.files if path not in dropped)
    added, removed = _counted(kept)
    return Patch(b"".join(kept), files, added, removed), dropped


def _is_of(section: bytes, paths: tuple[str, ...]) -> bool:
    header = _HEADER.match(section)
    rest = header["rest"] if header else b""
    return any(rest.endswith((f" b/{path}".encode(), f' "b/{path}"'.encode())) for path in paths)


def _counted(sections: list[bytes]) -> tuple[int, int]:
    """Return added and removed lines, the headers `+++` and `---` left out."""
    added = removed = 0
    for section in sections:
        _, _, body = section.partition(b"\n@@")
        lines = body.split(b"\n")
        added += sum(line.startswith(b"+") for line in lines)
        removed += sum(line.startswith(b"-") for line in lines)
    return added, removed
