"""Compare two listings of the workspace to find what has to be transferred."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass

from sandbox.archives import is_too_long
from sandbox.base import SandboxError, SandboxFault

FOLDER = "d"

LARGEST = 128 * 2**20
"""Bytes of a listing; about a million paths."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file, folder or symbolic link.

    Attributes:
        kind: `f`, `d` or `l`, as find's `%y` has it.
        size: Bytes.
        stamp: Changes whenever content, mode or identity does: mode, inode and the time of the
            last status change, which no program can set.
    """

    kind: str
    size: int
    stamp: str


@dataclass(frozen=True, slots=True)
class Changes:
    """How to get from one listing to another, each part in the order of doing.

    Attributes:
        removed: Paths that are gone or became another kind; what is in a folder before it.
        folders: New folders; each after the one it is in.
        fetched: New or changed files and links.
    """

    removed: tuple[str, ...]
    folders: tuple[str, ...]
    fetched: tuple[str, ...]


def parse(listing: bytes) -> dict[str, Entry]:
    """Read a gzipped listing that `shell.LIST_WORKSPACE` wrote: path, NUL, facts, NUL.

    Paths that are too long for anybody to open are left out.

    Raises:
        SandboxError: It is damaged, or longer than `LARGEST`.
    """
    try:
        with gzip.open(io.BytesIO(listing)) as file:
            data = file.read(LARGEST + 1)
    except (OSError, EOFError) as error:
        raise SandboxFault(f"The sandbox sent a damaged listing: {error}") from error
    if len(data) > LARGEST:
        raise SandboxError(
            "The workspace has too many files; make the commands clean up after themselves."
        )
    fields = os.fsdecode(data).split("\0")[:-1]
    pairs = zip(fields[::2], fields[1::2], strict=True)
    return {path: _entry(facts) for path, facts in pairs if not is_too_long(path)}


def _entry(facts: str) -> Entry:
    kind, mode, size, rest = facts.split(" ", 3)
    return Entry(kind, int(size), f"{mode} {rest}")


def compare(old: Mapping[str, Entry], new: Mapping[str, Entry]) -> Changes:
    """Return what turns `old` into `new`."""
    removed = [path for path, entry in old.items() if _kind(new, path) != entry.kind]
    added = [path for path, entry in new.items() if _kind(old, path) != entry.kind]
    changed = [path for path, entry in new.items() if _differs(old.get(path), entry)]
    return Changes(
        removed=tuple(sorted(removed, reverse=True)),
        folders=tuple(sorted(path for path in added if new[path].kind == FOLDER)),
        fetched=tuple(sorted(changed)),
    )


def _kind(listing: Mapping[str, Entry], path: str) -> str | None:
    entry = listing.get(path)
    return entry.kind if entry else None


def _differs(old: Entry | None, new: Entry) -> bool:
    return new.kind != FOLDER and old != new
