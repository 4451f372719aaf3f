"""Fetch exactly the configuration files that a pure decision asks for."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import TypeVar

from bot.ecosystems.commands.task_runners import Read
from bot.model.steps import Steps
from bot.repair.workspace.base import Workbench

T = TypeVar("T")

_ROUNDS = 8
"""Scripts that name scripts: more levels than anybody has."""

FILE_LIMIT = 2**20
"""Bytes; a bigger file counts as missing."""


async def decide(
    decision: Callable[[Read], T], workbench: Workbench, steps: Steps, *, name: str
) -> T:
    """Return what a pure decision says once it has every file that it asks for.

    It is asked again until it reads nothing new, so that it needs no list of files in advance.
    """
    files = _Files()
    decided = decision(files.read)
    for n in range(_ROUNDS):
        if not files.wanted:
            break
        wanted = tuple(files.wanted)
        files = _Files(
            files.known | await steps(f"{name}: read files {n + 1}", read_files, workbench, wanted)
        )
        decided = decision(files.read)
    return decided


class _Files:
    """Files that are known, and a note of those that were asked for in vain."""

    def __init__(self, known: dict[str, str | None] | None = None) -> None:
        self.known = known or {}
        self.wanted: dict[str, None] = {}

    def read(self, path: str) -> str | None:
        if path not in self.known:
            self.wanted[path] = None
        return self.known.get(path)


async def read_files(workbench: Workbench, paths: tuple[str, ...]) -> dict[str, str | None]:
    """Return the text of each file, None for those that are missing or too big."""
    plain = {path: posixpath.normpath(path) for path in paths}
    there = await workbench.untouched(tuple(plain.values()))
    return {path: _text(there.get(name)) for path, name in plain.items()}


def _text(data: bytes | None) -> str | None:
    return None if data is None or len(data) > FILE_LIMIT else data.decode("utf-8", "replace")
