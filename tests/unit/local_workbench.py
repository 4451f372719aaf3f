"""A workbench on a plain directory, for proposers that need no isolation to be tested."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from bot.model import Observation, Patch
from bot.repair.workspace import observe, programs
from sandbox.base import CommandResult


class LocalWorkbench:
    """Runs commands in a directory, with the tools of an environment on the `PATH`; else of this one."""

    def __init__(self, directory: Path, files: dict[str, str], tools: Path | None = None) -> None:
        self.directory = directory
        self._tools = tools or Path(sys.executable).parent
        self.ran: list[str] = []
        self._tracked: set[str] | None = None
        for name, text in files.items():
            place = directory / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")

    async def start(self) -> LocalWorkbench:
        """Remember the files as they are, which `patch` compares with."""
        await self._shell(
            "git init -q && git add -A && git -c user.name=a -c user.email=b commit -qm x"
        )
        self._tracked = set((await self._shell("git ls-files")).output.splitlines())
        return self

    async def run(self, command: str, timeout: float) -> CommandResult:
        self.ran.append(command)
        return await self._shell(command, timeout)

    async def observe(self, command: str) -> Observation:
        return observe.read(command, await self._shell(command), ())

    async def watch(self, command: str) -> Observation:
        folder = self.directory / ".git" / "watching"
        folder.mkdir(exist_ok=True)
        Path(programs.watcher_path(str(folder))).write_bytes(programs.watcher())
        result = await self._shell(programs.watched(command, str(folder)))
        record = Path(programs.record_path(str(folder)))
        told = record.read_bytes() if record.exists() else b""
        started = programs.read_record(told, str(self.directory))
        return replace(observe.read(command, result, ()), programs=started)

    async def untouched(self, paths: tuple[str, ...]) -> dict[str, bytes]:
        known = (
            paths if self._tracked is None else [item for item in paths if item in self._tracked]
        )
        places = {path: self.directory / path for path in known}
        return {path: place.read_bytes() for path, place in places.items() if place.is_file()}

    async def read_file(self, path: str) -> bytes:
        return (self.directory / path).read_bytes()

    async def write_file(self, path: str, data: bytes) -> None:
        (self.directory / path).write_bytes(data)

    async def patch(self) -> Patch:
        diff = await self._shell("git add -A && git diff --cached --binary --full-index")
        names = await self._shell("git diff --cached --name-only")
        return Patch(diff.output.encode(), tuple(names.output.split()))

    async def _shell(self, command: str, timeout: float = 600) -> CommandResult:
        started = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            "bash", "-c", command,
            cwd=self.directory,
            env={**os.environ, "PATH": f"{self._tools}{os.pathsep}{os.environ['PATH']}"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        output, _ = await asyncio.wait_for(process.communicate(), timeout)
        code = process.returncode if process.returncode is not None else 1
        return CommandResult(code, output.decode("utf-8", "replace"), 0, time.monotonic() - started)
