"""Keep prepared environments by what they were made from, so that a later run starts at once.

An environment belongs to one repository: it holds that repository's source. What comes from a fork
may use one, and leaves none behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import math
import os
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.repair.workspace.setup_inputs import is_input
from sandbox.base import SandboxError

MOST_KEPT = 8
"""Environments that a server keeps; the one that was not used for longest goes first."""

OLDEST = 7 * 86_400.0
"""Seconds after which an environment is made anew: what nobody pins has moved on by then."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A prepared tree that another run made.

    Attributes:
        snapshot: As its provider names it.
        commit: Whose source it holds.
    """

    snapshot: str
    commit: str


def environment_key(
    identity: str,
    kind: str,
    commands: Sequence[str],
    contents: Mapping[str, str],
    volatile: Iterable[str],
) -> str:
    """Return what names an environment: 32 hex digits of everything that it is made from.

    Args:
        identity: Of the repository whose source it holds.
        kind: Of the sandbox, with its image.
        commands: Of the setup.
        contents: Ids of the source's files by path; manifests, locks and what a setup compiles count.
        volatile: Texts that differ from commit to commit and change nothing: its id, its branch.
    """
    digest = _digest(identity.lower(), kind, *(_levelled(text, volatile) for text in commands))
    inputs = sorted(f"{path}:{content}\n" for path, content in contents.items() if is_input(path))
    for line in inputs:
        digest.update(line.encode(errors="surrogateescape"))
    return digest.hexdigest()[:32]


def commit_key(identity: str, kind: str, commands: Sequence[str], commit: str) -> str:
    """Return what names an environment of one commit alone: nobody knows what its setup reads.

    Args:
        identity: Of the repository whose source it holds.
        kind: Of the sandbox, with its image.
        commands: Of the setup.
        commit: Whose source it holds.
    """
    return _digest("commit", commit, identity, kind, *commands).hexdigest()[:32]


def _digest(*parts: str) -> hashlib._Hash:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)}:{part}".encode(errors="surrogateescape"))
    return digest


def _levelled(text: str, volatile: Iterable[str]) -> str:
    for word in sorted(filter(None, volatile), key=len, reverse=True):
        text = text.replace(word, "?")
    return text


class Remover(Protocol):
    """Whoever keeps snapshots."""

    async def remove(self, name: str) -> None:
        """Destroy the snapshot of that name, if there is one."""
        ...


class Environments:
    """The environments of one server: a file for each, beside the snapshots of its provider."""

    def __init__(self, folder: Path, provider: Remover) -> None:
        self._folder = folder
        self._provider = provider
        self.looked_up: Callable[[bool], None] = lambda _: None
        """Hears of each look whether it found an environment."""

    async def find(self, key: str) -> Environment | None:
        """Return the environment of that key, unless it is too old."""
        found = await asyncio.to_thread(self._read, key)
        self.looked_up(found is not None)
        return found

    async def keep(self, key: str, environment: Environment) -> bool:
        """Note an environment, unless a run beside this one kept one of the same key before.

        That one is in use; what is too old, and what is too much, is dropped.
        """
        before = await asyncio.to_thread(self._replaced, key)
        if not await asyncio.to_thread(self._write, key, environment):
            return False
        gone = [] if before is None or before == environment else [before]
        gone += await asyncio.to_thread(self._surplus)
        for old in gone:
            with contextlib.suppress(SandboxError):  # it goes with its provider's own clearing
                await self._provider.remove(old.snapshot)
        return True

    async def forget(self, key: str) -> None:
        """Drop an environment that turned out to be of no use."""
        found = await asyncio.to_thread(self._read, key)
        await asyncio.to_thread(self._file(key).unlink, missing_ok=True)
        if found is not None:
            with contextlib.suppress(SandboxError):
                await self._provider.remove(found.snapshot)

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.json"

    def _read(self, key: str, *, most_seconds: float = OLDEST) -> Environment | None:
        file = self._file(key)
        try:
            made = json.loads(file.read_text(encoding="utf-8"))
            os.utime(file)
            if time.time() - made["made"] > most_seconds:
                return None
            return Environment(made["snapshot"], made["commit"])
        except (OSError, ValueError, KeyError, TypeError):
            return None  # none was kept, or the file is no use: the setup runs

    def _replaced(self, key: str) -> Environment | None:
        """Remove a note that is no longer useful, and return what it named."""
        if self._read(key) is not None:
            return None
        old = self._read(key, most_seconds=math.inf)
        self._file(key).unlink(missing_ok=True)
        return old

    def _write(self, key: str, environment: Environment) -> bool:
        """Write a note, unless there is one; return whether this is what is noted."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = json.dumps(
            {"snapshot": environment.snapshot, "commit": environment.commit, "made": time.time()}
        )
        passing = self._folder / f"{key}.{uuid.uuid4().hex}.passing"
        passing.write_text(text, encoding="utf-8")
        try:
            self._file(key).hardlink_to(passing)
        except FileExistsError:
            return self._read(key) == environment
        finally:
            passing.unlink()
        return True

    def _surplus(self) -> list[Environment]:
        """Take out the notes of what is too much, and return what they named."""
        files = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime)
        found = []
        for file in files[: max(0, len(files) - MOST_KEPT)]:
            old = self._read(file.stem)
            file.unlink(missing_ok=True)
            if old is not None:
                found.append(old)
        return found
