"""One bubblewrap sandbox: three host folders, and a jail around them for every command."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import time
from asyncio.subprocess import DEVNULL
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path

from sandbox import file_scripts
from sandbox.base import (
    HOME,
    WORKSPACE,
    CommandResult,
    OutputListener,
    SandboxError,
    SandboxGone,
    SandboxSpec,
    SandboxUnavailable,
)
from sandbox.bubblewrap import jail
from sandbox.bubblewrap.cgroups import ControlGroup
from sandbox.bubblewrap.layers import Layers
from sandbox.bubblewrap.memory_file import memory_file
from sandbox.bubblewrap.processes import TIMED_OUT, Jail, Jailed
from sandbox.bubblewrap.spare_jail import Spare
from sandbox.bubblewrap.trees import SharedTrees, chain_of, changes_of
from sandbox.disk_room import (
    ENDED,
    Disk,
    DiskFull,
    DiskUsage,
    FreeDisk,
    held_below,
    room_at,
    while_room,
)
from sandbox.egress import Gate, WayOut, gate
from sandbox.egress.inside import FOLDER, RELAY, relayed
from sandbox.output import BoundedOutput
from sandbox.scratch import scratch_folder
from sandbox.store import Store

COPY = ("cp", "-RP", "--preserve=mode,timestamps,links", "--reflink=auto")
"""Copies a tree with its links as links; everything belongs to whoever runs it."""

_LONGEST_ARGUMENT = 100_000
"""Linux takes 128 KiB in one argument (MAX_ARG_STRLEN); longer commands go through a file."""

_COMMAND_FILE = "/run/fixpoint-command"
_COPIED = "/run/fixpoint-copy"
_RELAY = "/run/fixpoint-relay.py"
_PYTHON = str(Path(sys.base_prefix, "bin", "python3").resolve())
"""Ours, without its packages: the toolchain that every jail shows."""

_COPY_WORKSPACE = f"{' '.join(COPY)} -- {WORKSPACE}/. {_COPIED}/workspace/\n"
_COPY_HOME = f"{' '.join(COPY)} -- {HOME}/. {_COPIED}/home/\n"
_LONGEST_MESSAGE = 4096
_FILE_SECONDS = 600.0
_LOOK_SECONDS = 0.25
_COPY_SECONDS = 600.0


def bwrap() -> str:
    """Return the path of bubblewrap.

    Raises:
        SandboxUnavailable: It is not installed.
    """
    path = shutil.which("bwrap")
    if path is None:
        raise SandboxUnavailable(
            "Bubblewrap is not installed: run `apt-get install bubblewrap` "
            "or your system's equivalent."
        )
    return path


class BubblewrapSandbox:
    """A folder with workspace, home and scratch; see `sandbox.base.Sandbox`."""

    def __init__(
        self,
        spec: SandboxSpec,
        store: Store,
        layers: Layers,
        trees: SharedTrees,
        view: jail.HostView,
        group: ControlGroup | None,
        way_out: WayOut | None,
        *,
        resumed: bool,
    ) -> None:
        self.name = spec.name
        self.resumed = resumed
        self._spec = spec
        self._store = store
        self._layers = layers
        self._trees = trees
        self._environment = {**view.environment, **(way_out.environment if way_out else {})}
        self._group = group
        self._way_out = way_out
        self._place = store.sandbox(spec.name)
        places = jail.WritableFolders(
            *(self._place / name for name in ("workspace", "home", "scratch"))
        )
        self._front = jail.sandbox_front(view, places)
        self._closed = False
        self._has_run = False
        self._spare = Spare(lambda script: self._jailed(jail.told_later(), stdin=script))

    async def run(
        self,
        command: str,
        *,
        timeout: float,
        cwd: str = WORKSPACE,
        environment: Mapping[str, str] | None = None,
        on_output: OutputListener | None = None,
    ) -> CommandResult:
        """Run the command in a jail of its own."""
        started = time.monotonic()
        output = BoundedOutput(self._spec.limits.output, on_output)
        opened: Gate | None = None
        async with AsyncExitStack() as stack:
            waiting = await self._waiting(command, cwd, environment or {})
            if waiting is None:
                waiting, opened = await self._prepared(command, cwd, environment or {}, stack)
            before = await self._room()
            running = asyncio.ensure_future(waiting.run(timeout=timeout, on_output=output.add))
            if self._has_run and self._way_out is None:
                self._spare.make()
            disk = Disk(self._room, self._held)
            try:
                code = await while_room(
                    running, disk, self._spec.limits, every=_LOOK_SECONDS, before=before
                )
            except DiskFull as full:
                output.add(f"\n{full}\n".encode())
                code = ENDED
            if (
                self._way_out is None
            ):  # the first jail is not disturbed by one that is not needed yet
                self._spare.make()
            self._has_run = True
        return CommandResult(
            exit_code=TIMED_OUT if code is None else code,
            output=output.text(),
            omitted=output.omitted,
            seconds=time.monotonic() - started,
            timed_out=code is None,
            refused=opened.refused if opened is not None else (),
            unreached=opened.unreached if opened is not None else (),
            withheld=opened.withheld if opened is not None else (),
            undated=opened.undated if opened is not None else (),
        )

    async def _waiting(self, command: str, cwd: str, environment: Mapping[str, str]) -> Jail | None:
        """Return the spare jail, told what to run; None where there is none."""
        self._require_alive()
        if len(command) > _LONGEST_ARGUMENT:
            return None
        return await self._spare.take(jail.telling(command, cwd, environment))

    async def _prepared(
        self, command: str, cwd: str, environment: Mapping[str, str], stack: AsyncExitStack
    ) -> tuple[Jail, Gate | None]:
        """Return a jail for one command, and its gate if it has network."""
        extra: list[str] = []
        descriptors: tuple[int, ...] = ()
        opened: Gate | None = None
        if len(text := os.fsencode(command)) > _LONGEST_ARGUMENT:
            descriptors = (memory_file(text, stack),)
            extra = ["--ro-bind-data", str(descriptors[0]), _COMMAND_FILE]
            command = f". {_COMMAND_FILE}"
        words = jail.shell_command(command, cwd)
        if self._way_out is not None:
            opened = await self._open_gate(self._way_out, stack, extra)
            words = relayed(_PYTHON, _RELAY, words)
        jailed = self._jailed(words, environment=environment, extra=extra, descriptors=descriptors)
        return Jail(jailed), opened

    async def _open_gate(self, way_out: WayOut, stack: AsyncExitStack, extra: list[str]) -> Gate:
        """Open the way out until the stack is closed, and show it to the jail."""
        folder = stack.enter_context(scratch_folder("egress"))
        extra += ["--ro-bind", str(folder), FOLDER, "--ro-bind", str(RELAY), _RELAY]
        return await stack.enter_async_context(gate(folder, way_out))

    async def _room(self) -> FreeDisk:
        return room_at(self._place)

    async def _held(self) -> DiskUsage:
        """Count the sandbox's own files; what it shows of shared layers is not its own."""
        home = "upper" if (self._place / "upper").is_dir() else "home"
        folders = [self._place / name for name in (changes_of(self._place), home, "scratch")]
        return await asyncio.to_thread(held_below, folders)

    async def read_file(self, path: str) -> bytes:
        """Return a file's bytes, at most `file_scripts.LARGEST_FILE`."""
        self._require_alive()
        data = bytearray()
        ready = await self._spare.take(file_scripts.read_script(path))
        ready = ready or Jail(self._jailed(file_scripts.read_command(path)))
        code = await self._finish(ready, data.extend, _FILE_SECONDS)
        return file_scripts.read_result(path, code, bytes(data))

    async def write_file(self, path: str, data: bytes) -> None:
        """Create or replace a file."""
        with ExitStack() as stack:
            stdin = memory_file(data, stack)
            jailed = self._jailed(file_scripts.write_command(path), stdin=stdin)
            code = await self._finish(Jail(jailed), bytearray().extend, _FILE_SECONDS)
        file_scripts.raise_for(path, code)

    async def tree(self) -> Path:
        """Return the workspace itself: later commands change it."""
        self._require_alive()
        return self._place / "workspace"

    async def snapshot(self, name: str) -> str:
        """Share home and workspace, or copy what can't be shared.

        Copies are made inside a jail, so that a hostile tree can't lead them astray.
        """
        self._require_alive()
        await self.rest()
        place = self._store.snapshot(name)
        said = BoundedOutput(_LONGEST_MESSAGE)
        async with self._store.staging("workspace", "home") as staged:
            shared = await self._layers.share(self._place, staged)
            copied = "" if self._trees.share(self._place, staged) else _COPY_WORKSPACE
            copied += "" if shared else _COPY_HOME
            jailed = self._jailed(
                ("/bin/sh", "-ec", copied), extra=("--bind", str(staged), _COPIED)
            )
            if copied and await self._finish(Jail(jailed), said.add, _COPY_SECONDS):
                raise SandboxError(f"Sandbox {self.name} can't be copied: {said.text().strip()}")
            if not shared:
                self._layers.keep(staged)
            await self._store.remove(place)
            self._store.publish(staged, place)
        await self._layers.drop_unused(chain_of)
        return name

    async def rest(self) -> None:
        """Let no process stay until there is a next command."""
        await self._spare.drop()

    async def close(self) -> None:
        """Remove the folders."""
        self._closed = True
        await self.rest()
        await self._store.remove(self._place)
        await self._layers.drop_unused(chain_of)
        if self._group is not None:
            self._group.remove()

    async def _finish(
        self, ready: Jail, on_output: Callable[[bytes], object], seconds: float
    ) -> int:
        """Run something of ours, which never takes long."""
        code = await ready.run(timeout=seconds, on_output=on_output)
        if code is None:
            raise SandboxError(f"Sandbox {self.name} did not answer within {seconds:.0f} s.")
        return code

    def _jailed(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        extra: Sequence[str] = (),
        stdin: int = DEVNULL,
        descriptors: tuple[int, ...] = (),
    ) -> Jailed:
        self._require_alive()
        self._store.keep_for(self._place, self._spec.lifetime)
        return Jailed(
            bwrap(),
            [*jail.sandbox_arguments(self._front, extra), *command],
            {**self._environment, **self._spec.environment, **(environment or {})},
            jail.rlimits(self._spec.limits),
            self._group,
            jail.rlimits_without_group(self._spec.limits),
            stdin,
            descriptors,
        )

    def _require_alive(self) -> None:
        if self._closed or not self._place.is_dir():
            raise SandboxGone(f"Sandbox {self.name} no longer exists: open it again.")
