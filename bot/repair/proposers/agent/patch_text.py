"""Read the patches that Codex writes (`*** Begin Patch`) as replacements in one file.

https://github.com/openai/codex, `codex-rs/apply-patch`. A hunk is found by its text and not by line
numbers, so it is a text that is replaced by another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

_BEGIN, _END = "*** Begin Patch\n", "\n*** End Patch"
_FILE = re.compile(r"\*\*\* (Add|Update) File: (.+)")


def edit_of(text: str) -> dict[str, Any] | None:
    """Return the arguments of our editor that a patch of one file means; None for any other text.

    Patches of several files, and those that delete or move one, are not read.
    """
    patch, ended, _ = text.partition(_BEGIN)[2].partition(_END)
    head, *lines = patch.split("\n") if ended else ("",)
    named = _FILE.fullmatch(head.strip())
    if named is None or any(re.match(r"\*\*\* (?!End of File)", line) for line in lines):
        return None
    if named[1] == "Add":
        content = "".join(f"{line[1:]}\n" for line in lines if line.startswith("+"))
        return {"command": "create", "path": named[2], "file_text": content}
    edits = [{"old_str": old, "new_str": new} for old, new in _hunks(lines) if old != new]
    if not edits:
        return None
    first, *further = edits
    return {"command": "str_replace", "path": named[2], **first, "further": further}


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
