"""The sandbox that a run works in, on a virtual machine of E2B."""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sandbox import file_scripts
from sandbox.archives import unpack
from sandbox.base import (
    WORKSPACE,
    CommandResult,
    OutputListener,
    SandboxError,
    SandboxGone,
    SandboxSpec,
)
from sandbox.e2b import archive, manifest, shell
from sandbox.e2b.machine import VirtualMachine
from sandbox.file_scripts import absolute
from sandbox.output import BoundedOutput

# E2B's machines have no proxy of ours, which would leave newer packages out for every client.


def package_dates(moment: datetime) -> dict[str, str]:
    """Return the variables that keep uv, pip (from 26.0) and npm from newer releases.

    Sources: `UV_EXCLUDE_NEWER` of uv, `--uploaded-prior-to` of pip, `before` of npm. Other clients
    have no such setting.
    """
    text = moment.isoformat(timespec="seconds")
    return {"UV_EXCLUDE_NEWER": text, "PIP_UPLOADED_PRIOR_TO": text, "NPM_CONFIG_BEFORE": text}


_TIMED_OUT = 124
"""The exit code of `timeout` in GNU coreutils."""

_LONGEST_VARIABLE = 100_000
"""Linux takes 128 KiB in one variable (MAX_ARG_STRLEN); what is longer goes through a file."""

_FILE_SECONDS = 60.0

_LARGEST_TREE = 8 * 2**30
"""Bytes; a workspace beyond this is a mistake or an attack, not a project."""


@dataclass(slots=True)
class _Mirror:
    """A host copy of the workspace as it was when `entries` were listed; None before the first."""

    folder: Path
    entries: dict[str, manifest.Entry] | None = None


class E2BSandbox:
    """One machine prepared for a run.

    Args:
        machine: With the workspace in place.
        spec: What it was opened with.
        resumed: Whether it existed before.
        scratch: An empty host folder that this sandbox removes when it closes.
        source: Archive that the workspace was unpacked from just now, if it was; `tree` starts
            from it instead of transferring everything back.
    """

    def __init__(
        self,
        machine: VirtualMachine,
        spec: SandboxSpec,
        *,
        resumed: bool,
        scratch: Path,
        source: Path | None = None,
    ) -> None:
        self.name = spec.name
        self.resumed = resumed
        self._machine = machine
        self._spec = spec
        before = spec.network.package_date if spec.network else None
        self._dates = package_dates(before) if before else {}
        self._scratch = scratch
        self._source = source
        self._mirror: _Mirror | None = None
        self._mirroring = asyncio.Lock()

    async def run(
        self,
        command: str,
        *,
        timeout: float,
        cwd: str = WORKSPACE,
        environment: Mapping[str, str] | None = None,
        on_output: OutputListener | None = None,
    ) -> CommandResult:
        """Run a `bash -c` command to its end, as `Sandbox.run` promises."""
        if len(command.encode()) > _LONGEST_VARIABLE:
            place = shell.scratch_file(uuid.uuid4().hex)
            await self._machine.upload(place, command.encode(), user=shell.USER)
            command = f". {place}"
        output = BoundedOutput(self._spec.limits.output, on_output)
        started = time.monotonic()
        variables = {**self._dates, **self._spec.environment, **(environment or {})}
        exit_code = await self._execute(
            command, timeout, output.add, cwd=absolute(cwd), environment=variables
        )
        return CommandResult(
            exit_code=_TIMED_OUT if exit_code is None else exit_code,
            output=output.text(),
            omitted=output.omitted,
            seconds=time.monotonic() - started,
            timed_out=exit_code is None,
        )

    async def read_file(self, path: str) -> bytes:
        """Return a file's bytes, at most `file_scripts.LARGEST_FILE`."""
        data = bytearray()
        code = await self._execute(shell.read_command(path), _FILE_SECONDS, data.extend)
        file_scripts.raise_for(path, _TIMED_OUT if code is None else code)
        return file_scripts.read_result(path, 0, base64.b64decode(data))

    async def write_file(self, path: str, data: bytes) -> None:
        """Create or replace a file and its parent folders; an existing file keeps its mode."""
        encoded = base64.b64encode(data).decode()
        if len(encoded) <= _LONGEST_VARIABLE:
            command, variables = shell.write_command(path), {"DATA": encoded}
        else:
            place = shell.scratch_file(uuid.uuid4().hex)
            command, variables = shell.move_command(place, path), {}
            await self._machine.upload(place, data, user=shell.USER)
        code = await self._execute(command, _FILE_SECONDS, _ignore, environment=variables)
        file_scripts.raise_for(path, _TIMED_OUT if code is None else code)

    async def _execute(
        self,
        command: str,
        timeout: float,
        on_output: Callable[[bytes], None],
        *,
        cwd: str = "/",
        environment: Mapping[str, str] | None = None,
    ) -> int | None:
        variables = shell.command_environment(
            command,
            identity=uuid.uuid4().hex,
            cwd=cwd,
            environment=environment or {},
            limits=self._spec.limits,
        )
        return await self._machine.commands.execute(variables, timeout=timeout, on_output=on_output)

    async def tree(self) -> Path:
        """Return a host folder with the workspace as it is now.

        Only what differs from the last call is transferred, or from the source at the first.
        """
        if not self._scratch.exists():
            raise SandboxGone("The sandbox is closed; open it again.")
        async with self._mirroring:
            mirror = self._mirror or _Mirror(Path(tempfile.mkdtemp(dir=self._scratch)))
            self._mirror = None  # unless all goes well, the next call starts over
            try:
                if mirror.entries is None:
                    await self._start(mirror)
                await self._bring(mirror)
            except BaseException:
                shutil.rmtree(mirror.folder, ignore_errors=True)
                raise
            self._mirror = mirror
        return mirror.folder

    async def _start(self, mirror: _Mirror) -> None:
        """Fill the mirror with what the workspace was made from, as far as that is at hand."""
        mirror.entries = {}
        if self._source is not None:
            await asyncio.to_thread(unpack, self._source, mirror.folder)
            mirror.entries = await self._listing(shell.BASE_MANIFEST)

    async def _bring(self, mirror: _Mirror) -> None:
        """Transfer what differs."""
        await self._machine.commands.script(shell.LIST_WORKSPACE, "list the workspace")
        listing = await self._listing(shell.MANIFEST)
        if sum(entry.size for entry in listing.values()) > _LARGEST_TREE:
            raise SandboxError(
                "The workspace is larger than 8 GiB; make the commands clean up after themselves."
            )
        changes = manifest.compare(mirror.entries or {}, listing)
        await asyncio.to_thread(archive.remove_all, mirror.folder, changes.removed)
        await asyncio.to_thread(archive.make_folders, mirror.folder, changes.folders)
        if changes.fetched:
            await self._fetch(changes.fetched, mirror.folder)
        mirror.entries = listing

    async def _listing(self, path: str) -> dict[str, manifest.Entry]:
        return manifest.parse(await self._machine.download(path, limit=manifest.LARGEST))

    async def _fetch(self, paths: tuple[str, ...], folder: Path) -> None:
        wanted = b"".join(os.fsencode(path) + b"\0" for path in paths)
        await self._machine.upload(shell.WANTED, wanted)
        await self._machine.commands.script(shell.PACK_CHANGES, "pack the workspace")
        packed = self._scratch / "changes.tar.gz"
        await self._machine.download_to(shell.CHANGES, packed)
        await asyncio.to_thread(unpack, packed, folder, set(paths))
        packed.unlink()

    async def snapshot(self, name: str) -> str:
        """Keep the whole machine under `name` and return the id that `SandboxSpec` takes."""
        return await self._machine.snapshot(name)

    async def close(self) -> None:
        """Destroy the machine. Closing twice is fine."""
        try:
            await asyncio.shield(self._machine.destroy())
        finally:
            await asyncio.to_thread(shutil.rmtree, self._scratch, ignore_errors=True)


def _ignore(_: bytes) -> None:
    pass
