"""One virtual machine at E2B: its files, its snapshots, its end."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sandbox.base import SandboxError, SandboxGone
from sandbox.e2b import shell
from sandbox.e2b.commands import RemoteProcesses
from sandbox.e2b.errors import retried, translated
from sandbox.e2b.lease import MachineLease

if TYPE_CHECKING:
    from e2b import AsyncSandbox


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
