"""Find what a patch adds to a repository besides code that people write and read. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from bot.code.change import SUBMODULE, SYMLINK, FileDiff
from bot.code.files import is_lock, is_manifest
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.reporting.reasons import guards

MOST_BYTES = 10 * 2**20
MOST_FILES = 1_000
"""Nobody reviews a patch above one of these."""

_LONG_LINE = 2_000
_MINIFIED = re.compile(r"\.min\.(?:js|css)$|\.(?:js|css)\.map$")
_GENERATED = re.compile(r"(?:@generated|do not edit|auto-?generated)", re.IGNORECASE)


def size(changes: Sequence[FileDiff], patch_bytes: int) -> Iterator[GuardFinding]:
    """Yield a finding for a patch that is too large to review."""
    if patch_bytes > MOST_BYTES or len(changes) > MOST_FILES:
        said = guards.too_large_to_review(patch_bytes / 2**20, len(changes))
        yield found("patch-size", said)


def additions(change: FileDiff) -> Iterator[GuardFinding]:
    """Yield findings on the kind of a file, whatever its content."""
    if SUBMODULE in {change.mode_before, change.mode_after}:
        yield found("submodule-changed", guards.submodule_changed(change.path), change.path)
    elif change.mode_after == SYMLINK:
        yield _link(change)
    elif change.is_binary and not change.is_gone:
        yield found("binary-added", guards.binary(change.path), change.path)
    elif not change.is_readable and not change.is_gone:
        yield found("not-examined", guards.too_large_to_examine(change.path), change.path)
    elif change.after is not None:
        yield from _blob(change)
    if is_manifest(change.path) or is_lock(change.path):
        yield found(
            "dependency-added",
            guards.dependencies_changed(change.path),
            change.path,
        )


def _link(change: FileDiff) -> GuardFinding:
    target = (change.after or b"").decode("utf-8", "replace")
    depth = 0
    for part in (*PurePosixPath(change.path).parts[:-1], *PurePosixPath(target).parts):
        depth += -1 if part == ".." else 1
        if depth < 0 or part == "/":
            said = guards.symlink_escapes(change.path, target[:200])
            return found("symlink-escapes", said, change.path)
    return found("symlink-changed", guards.symlink(change.path, target[:200]), change.path)


def _blob(change: FileDiff) -> Iterator[GuardFinding]:
    if _MINIFIED.search(change.path):
        yield found("blob-added", guards.minified(change.path), change.path)
        return
    for number, line in change.added_text:
        if len(line) > _LONG_LINE:
            said = guards.long_line(len(line))
            yield found("blob-added", said, change.path, number)
            return
    if change.is_new and any(_GENERATED.search(line) for line in change.lines_after[:5]):
        yield found("blob-added", guards.generated(change.path), change.path, 1)
