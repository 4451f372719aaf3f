"""One virtual machine at E2B: its files, its snapshots, its end."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sandbox.base import SandboxError, SandboxGone
from sandbox.e2b import shell
from sandbox.e2b.errors import retried, translated
from sandbox.e2b.lease import MachineLease

if TYPE_CHECKING:
    from e2b import AsyncSandbox
import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sandbox.base import OutputListener, SandboxFault

if TYPE_CHECKING:
    from e2b import AsyncCommandHandle, AsyncSandbox, CommandResult, ProcessInfo

_SCRIPT_SECONDS = 900.0
_KILL_SECONDS = 10.0
_LOOKS = 200
_KILLED = 137


class RemoteProcesses:
    """The processes of one machine."""

    def __init__(self, sdk: AsyncSandbox, lease: MachineLease) -> None:
        self._sdk = sdk
        self._lease = lease

    async def execute(
        self, environment: Mapping[str, str], *, timeout: float, on_output: OutputListener
    ) -> int | None:
        """Run `shell.COMMAND` and return its exit status, or None when the time was up.

        Nothing of it is left when this returns or raises.
        """
        output = _Listener(on_output)
        identity = environment[shell.COMMAND_ID]
        async with self._lease.kept():
            handle = await self._start(environment, output)
            ending = asyncio.ensure_future(_exit_code(handle))
            try:
                await asyncio.wait({ending}, timeout=timeout)
                if not ending.done():
                    await self._kill(handle.pid)
                    await asyncio.wait({ending}, timeout=_KILL_SECONDS)  # takes the last output
                    await self.sweep(identity)
                    return None
                return ending.result()
            except BaseException as error:  # cancelled, cut off, or the listener failed
                cause = await asyncio.shield(self._clean_up(error, identity))
                output.raise_failure()
                if cause is not error:
                    raise cause from error
                raise
            finally:
                await asyncio.shield(_hang_up(handle, ending))

    async def script(
        self, text: str, doing: str, environment: Mapping[str, str] | None = None
    ) -> str:
        """Run one of our own scripts as root and return what it printed.

        Raises:
            SandboxError: It failed; the text has its last words.
        """
        from e2b import CommandExitException

        async with self._lease.kept():
            with translated(doing):
                try:
                    result = await self._sdk.commands.run(
                        text,
                        envs=dict(environment or {}),
                        user=shell.ROOT,
                        cwd="/",
                        timeout=_SCRIPT_SECONDS,
                    )
                except CommandExitException as failed:
                    said = (failed.stdout + failed.stderr).strip() or f"exit {failed.exit_code}"
                    raise SandboxError(f"E2B could not {doing}: {said}") from failed
        return result.stdout

    async def sweep(self, identity: str | None = None) -> None:
        """End commands of ours that run still, all or the one of that identity.

        Raises:
            SandboxError: They could not be ended.
        """
        for _ in range(_LOOKS):
            processes = await retried("list the processes", self._sdk.commands.list)
            pids = [each.pid for each in processes if _is_ours(each, identity)]
            if not pids:
                return
            for pid in pids:
                await self._kill(pid)
            await asyncio.sleep(_KILL_SECONDS / _LOOKS)
        raise SandboxError("E2B could not stop a command; close the sandbox.")

    async def _start(
        self, environment: Mapping[str, str], output: _Listener
    ) -> AsyncCommandHandle[None]:
        starting = asyncio.ensure_future(
            self._sdk.commands.run(
                shell.COMMAND,
                background=True,
                envs=dict(environment),
                user=shell.ROOT,
                cwd="/",
                on_stdout=output,
                timeout=0,
                retain_output=False,
            )
        )
        try:
            with translated("start a command"):
                return await asyncio.shield(starting)
        except BaseException as error:  # it may run already, though nobody told us its pid
            cause = await asyncio.shield(self._abandon(starting, error, environment))
            if cause is not error:
                raise cause from error
            raise

    async def _abandon(
        self,
        starting: asyncio.Future[AsyncCommandHandle[None]],
        error: BaseException,
        environment: Mapping[str, str],
    ) -> BaseException:
        with contextlib.suppress(Exception):  # it is known already: `error`
            await (await starting).disconnect()
        return await self._clean_up(error, environment[shell.COMMAND_ID])

    async def _clean_up(self, error: BaseException, identity: str) -> BaseException:
        """End a command that nobody listens to any more, and return the error to raise.

        A machine that still answers is not gone, whatever the SDK makes of a cut connection.
        """
        try:
            await self.sweep(identity)
        except SandboxError:
            return error
        if isinstance(error, SandboxGone):
            return SandboxFault(
                "The connection to E2B was lost, so the command was stopped; run it again."
            )
        return error

    async def _kill(self, pid: int) -> None:
        with contextlib.suppress(SandboxGone):
            await retried("kill a command", lambda: self._sdk.commands.kill(pid))


class _Listener:
    """Hands output on as bytes, and remembers when the one it hands it to fails."""

    def __init__(self, on_output: OutputListener) -> None:
        self._on_output = on_output
        self._failure: Exception | None = None

    def __call__(self, text: str) -> None:
        try:
            self._on_output(text.encode())
        except Exception as error:
            self._failure = error
            raise

    def raise_failure(self) -> None:
        """Raise what the listener raised, rather than the SDK's report of it."""
        if self._failure is not None:
            raise self._failure


async def _exit_code(handle: AsyncCommandHandle[None]) -> int:
    """Wait for the end; the status is negative when E2B saw a signal end our process 1."""
    from e2b import CommandExitException

    with translated("finish the command"):
        try:
            result: CommandResult[None] = await handle.wait()
        except CommandExitException as end:
            return end.exit_code if end.exit_code >= 0 else _KILLED
    return result.exit_code


async def _hang_up(handle: AsyncCommandHandle[None], ending: asyncio.Future[int]) -> None:
    await handle.disconnect()
    await asyncio.gather(ending, return_exceptions=True)


def _is_ours(process: ProcessInfo, identity: str | None) -> bool:
    ours = process.envs.get(shell.COMMAND_ID)
    return ours is not None and identity in {None, ours}


class VirtualMachine:
    """A running virtual machine: calls to the SDK, with answers and errors translated.

    Args:
        sdk: Connected.
        lifetime: Seconds after which E2B ends the machine unless it is told to wait again.

    Attributes:
        commands: What runs on it.
    """

    def __init__(self, sdk: AsyncSandbox, lifetime: int) -> None:
        self._sdk = sdk
        self._lease = MachineLease(sdk.set_timeout, lifetime)
        self.commands = RemoteProcesses(sdk, self._lease)

    async def upload(self, path: str, data: bytes | IO[bytes], *, user: str = shell.ROOT) -> None:
        """Write a file; `data` that is a file is streamed."""
        async with self._lease.kept():
            with translated("write a file"):
                await self._sdk.files.write(path, data, user=user)

    async def download(self, path: str, *, limit: int) -> bytes:
        """Return a file's bytes. Raises `SandboxError` when there are more than `limit`."""
        data = bytearray()
        async with contextlib.aclosing(self._pieces(path)) as pieces:
            async for piece in pieces:
                data += piece
                if len(data) > limit:
                    raise SandboxError(
                        f"{path} is larger than {limit} bytes, too large to transfer."
                    )
        return bytes(data)

    async def download_to(self, path: str, target: Path) -> None:
        """Write a file of any size to a host file."""
        async with contextlib.aclosing(self._pieces(path)) as pieces:
            with target.open("wb") as file:
                async for piece in pieces:
                    file.write(piece)

    async def _pieces(self, path: str) -> AsyncGenerator[bytes, None]:
        async with self._lease.kept():
            with translated("read a file"):
                stream = await self._sdk.files.read(path, format="stream", user=shell.ROOT)
                async with stream:
                    async for piece in stream:
                        yield piece

    async def snapshot(self, name: str) -> str:
        """Keep disk and memory under `name` and return the id of the template they became."""
        async with self._lease.kept():
            # Memory is part of it because only then the disk needs no flushing before.
            info = await retried(
                "take a snapshot", lambda: self._sdk.create_snapshot(name, mode="full")
            )
        return str(info.snapshot_id)

    async def destroy(self) -> None:
        """End it; one that has ended already is fine."""
        with contextlib.suppress(SandboxGone):
            await retried("shut down the sandbox", self._sdk.kill)
