"""One container, whose commands run as a user that nothing else belongs to."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from sandbox import file_scripts
from sandbox.archives import unpack
from sandbox.base import (
    HOME,
    SCRATCH,
    WORKSPACE,
    CommandResult,
    OutputListener,
    SandboxError,
    SandboxGone,
    SandboxSpec,
)
from sandbox.disk_room import ENDED, Disk, DiskFull, DiskUsage, FreeDisk, while_room
from sandbox.docker.archive import pack_file
from sandbox.docker.container import (
    KILL_ALL,
    STAGING,
    USER,
    USER_ID,
    shell_command,
)
from sandbox.docker.engine import ContainerExecution, Engine, EngineError
from sandbox.egress import WayOut, gate
from sandbox.egress.inside import PORT
from sandbox.output import BoundedOutput
from sandbox.store import Store

_TIMED_OUT = 124
"""The exit code of `timeout` in GNU coreutils."""

_KILLED = 137
_LONGEST_ARGUMENT = 100_000
"""Linux takes 128 KiB in one argument (MAX_ARG_STRLEN); longer commands go through a file."""

_COMMAND_FILE = f"{SCRATCH}/.fixpoint-command"
_KILL_ATTEMPTS = 5
_ABANDON_SECONDS = 5.0
_FILE_SECONDS = 60
_RELAY_SECONDS = 30
_LOOK_SECONDS = 1.0
_GONE = (404, 409)
"""No such container; not running."""


class DockerSandbox:
    """A running container; see `sandbox.base.Sandbox`.

    Args:
        spec: What it was opened with.
        engine: Where it runs.
        store: Keeps work trees and snapshots on this machine.
        identity: The container's id.
        environment: The variables of every command, before those of `spec`.
        way_out: What it may reach, and the folder where its relay looks for gates.
        resumed: Whether it existed before.
    """

    def __init__(
        self,
        spec: SandboxSpec,
        engine: Engine,
        store: Store,
        identity: str,
        environment: Mapping[str, str],
        way_out: tuple[Path, WayOut] | None = None,
        *,
        resumed: bool,
    ) -> None:
        self.name = spec.name
        self.resumed = resumed
        self._spec = spec
        self._engine = engine
        self._store = store
        self._identity = identity
        self._environment = {**environment, **spec.environment}
        self._way_out = way_out
        self._place = store.sandbox(spec.name)
        self._running = asyncio.Lock()
        """Held by one command at a time: its end kills every process of the user."""
        self._writing = asyncio.Lock()
        self._closed = False

    async def run(
        self,
        command: str,
        *,
        timeout: float,
        cwd: str = WORKSPACE,
        environment: Mapping[str, str] | None = None,
        on_output: OutputListener | None = None,
    ) -> CommandResult:
        """Run the command, then kill whatever it left."""
        if len(os.fsencode(command)) > _LONGEST_ARGUMENT:
            await self.write_file(_COMMAND_FILE, os.fsencode(command))
            command = f". {_COMMAND_FILE}"
        output = BoundedOutput(self._spec.limits.output, on_output)
        variables = {**self._environment, **(environment or {})}
        execution = ContainerExecution(shell_command(command, cwd), USER, variables)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._running)
            started = time.monotonic()
            running = self._until(timeout, execution, output.add)
            opened = (
                await stack.enter_async_context(gate(*self._way_out)) if self._way_out else None
            )
            disk = Disk(self._room, self._held)
            try:
                code = await while_room(running, disk, self._spec.limits, every=_LOOK_SECONDS)
            except DiskFull as full:
                output.add(f"\n{full}\n".encode())
                code = ENDED
        return CommandResult(
            exit_code=_TIMED_OUT if code is None else code,
            output=output.text(),
            omitted=output.omitted,
            seconds=time.monotonic() - started,
            timed_out=code is None,
            refused=opened.refused if opened is not None else (),
            unreached=opened.unreached if opened is not None else (),
            withheld=opened.withheld if opened is not None else (),
            undated=opened.undated if opened is not None else (),
        )

    async def _room(self) -> FreeDisk | None:
        """Ask inside: the engine's volumes need not be on a disk that this process sees."""
        said = bytearray()
        script = ("stat", "-f", "-c", "%a %S %d", WORKSPACE)
        await self._execute(_file_execution(*script), said.extend)
        try:
            blocks, size, files = map(int, said.split())
        except ValueError:
            return None  # the command's own end has taken this one with it
        return FreeDisk(blocks * size, files or None)

    async def _held(self) -> DiskUsage | None:
        said = bytearray()
        places = f"{WORKSPACE} {HOME} {SCRATCH}"
        script = f"du -sk {places} | awk '{{n += $1}} END {{print n}}'; find {places} -xdev | wc -l"
        await self._execute(_file_execution("sh", "-c", script), said.extend)
        try:
            kilobytes, files = map(int, said.split())
        except ValueError:
            return None
        return DiskUsage(kilobytes * 1024, files)

    async def _until(
        self, timeout: float, execution: ContainerExecution, on_output: Callable[[bytes], object]
    ) -> int | None:
        """Run to the end and clean up; None when the time was up."""
        running = asyncio.ensure_future(self._execute(execution, on_output))
        try:
            done, _ = await asyncio.wait({running}, timeout=timeout)
            await self._kill_all()
            code = await running
        except BaseException:  # cancelled, or the listener failed: nothing may stay behind
            await asyncio.shield(self._abandon(running))
            raise
        return code if done else None

    async def _abandon(self, running: asyncio.Future[int]) -> None:
        """End a command whose result nobody waits for any more."""
        with contextlib.suppress(SandboxError):  # what made us stop matters more than this
            await self._kill_all()
        await asyncio.wait({running}, timeout=_ABANDON_SECONDS)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    async def _kill_all(self) -> None:
        """Kill every process of the sandboxed user."""
        for _ in range(_KILL_ATTEMPTS):
            code = await self._execute(ContainerExecution(KILL_ALL, USER), _ignore)
            if code != _KILLED:  # else another killer was faster
                return
        raise SandboxError(
            f"The processes in sandbox {self.name} can't be killed: remove the sandbox."
        )

    async def read_file(self, path: str) -> bytes:
        """Return a file's bytes, at most `file_scripts.LARGEST_FILE`."""
        code, data = await self._on_file(file_scripts.read_command(path))
        return file_scripts.read_result(path, code, data)

    async def write_file(self, path: str, data: bytes) -> None:
        """Create or replace a file; the engine can't see `SCRATCH`, so a command copies it."""
        script = ("/bin/sh", "-c", f'exec "$@" <{STAGING}/file', "sh")
        command = (*script, *file_scripts.write_command(path))
        async with self._writing:
            with self._alive():
                archive = pack_file("file", data, USER_ID)
                await self._engine.put_archive(self._identity, STAGING, archive)
            code, _ = await self._on_file(command)
        file_scripts.raise_for(path, code)

    async def _on_file(self, command: Sequence[str]) -> tuple[int, bytes]:
        """Run what reads or writes a file; again where the end of a command took it along."""
        for _ in range(_KILL_ATTEMPTS):
            data, beside = bytearray(), self._running.locked()
            code = await self._execute(_file_execution(*command), data.extend)
            if code != _KILLED or not beside:
                break
        return code, bytes(data)

    async def tree(self) -> Path:
        """Copy the workspace to this machine."""
        async with self._store.staging("tree") as staged:
            await self._save(WORKSPACE, staged / "workspace.tar")
            await asyncio.to_thread(unpack, staged / "workspace.tar", staged / "tree")
            await self._store.remove(self._place / "tree")
            (staged / "tree").rename(self._place / "tree")
        self._store.keep_for(self._place, self._spec.lifetime)
        return self._place / "tree"

    async def snapshot(self, name: str) -> str:
        """Save workspace and home as archives on this machine."""
        place = self._store.snapshot(name)
        async with self._store.staging() as staged:
            await self._save(WORKSPACE, staged / "workspace.tar")
            await self._save(HOME, staged / "home.tar")
            await self._store.remove(place)
            self._store.publish(staged, place)
        return name

    async def _save(self, place: str, archive: Path) -> None:
        with self._alive():
            limit = self._spec.limits.disk
            await self._engine.get_archive(self._identity, f"{place}/.", archive, limit=limit)

    async def close(self) -> None:
        """Remove the container with its volumes."""
        self._closed = True
        await destroy(self._engine, self._identity)
        await self._store.remove(self._place)

    async def _execute(
        self, execution: ContainerExecution, on_output: Callable[[bytes], object]
    ) -> int:
        with self._alive():
            return await self._engine.execute(self._identity, execution, on_output)

    @contextlib.contextmanager
    def _alive(self) -> Iterator[None]:
        """Tell a sandbox that no longer exists from an engine that refuses."""
        gone = f"Sandbox {self.name} no longer exists: open it again."
        if self._closed or not self._place.is_dir():
            raise SandboxGone(gone)
        self._store.keep_for(self._place, self._spec.lifetime)
        try:
            yield
        except EngineError as error:
            if error.status in _GONE:
                raise SandboxGone(gone) from error
            raise


async def destroy(engine: Engine, container: str) -> None:
    """Remove a container and its volumes, if there is one."""
    try:
        await engine.ask("DELETE", f"/containers/{container}", params={"force": "1", "v": "1"})
    except EngineError as error:
        if error.status not in _GONE:  # 409: somebody else is removing it
            raise


async def wait_for_relay(engine: Engine, container: str) -> None:
    """Wait until the container's relay listens.

    Raises:
        SandboxError: It does not.
    """
    script = f"until (exec 3<>/dev/tcp/127.0.0.1/{PORT}) 2>/dev/null; do sleep 0.02; done"
    waiting = ContainerExecution(
        ("timeout", "-s", "KILL", str(_RELAY_SECONDS), "bash", "-c", script), USER
    )
    if await engine.execute(container, waiting, _ignore):
        raise SandboxError(
            "The network of a Docker sandbox did not start: its image needs `python3`."
        )


def _file_execution(*command: str) -> ContainerExecution:
    """Return what ends by itself: a command that is running meanwhile must go on."""
    return ContainerExecution(("timeout", "-s", "KILL", str(_FILE_SECONDS), *command), USER)


def _ignore(piece: bytes) -> None:
    """Some commands have nothing to say."""
    del piece
