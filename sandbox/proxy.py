"""A sandbox behind another one's face, for what is done around its calls: counting, watching."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import TypeVar

from sandbox.base import WORKSPACE, CommandResult, OutputListener, Sandbox

T = TypeVar("T")


class SandboxProxy:
    """A `Sandbox` that hands each call on. Override `around`, or one of the calls."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.name = sandbox.name
        self.resumed = sandbox.resumed

    async def around(self, _operation: str, call: Awaitable[T], _command: str = "", /) -> T:
        """Return what a call returns.

        Args:
            _operation: The method's name.
            call: Not begun yet; it raises what `Sandbox` says.
            _command: That is run.
        """
        return await call

    async def run(
        self,
        command: str,
        *,
        timeout: float,
        cwd: str = WORKSPACE,
        environment: Mapping[str, str] | None = None,
        on_output: OutputListener | None = None,
    ) -> CommandResult:
        """Run a command to its end."""
        running = self._sandbox.run(
            command, timeout=timeout, cwd=cwd, environment=environment, on_output=on_output
        )
        return await self.around("run", running, command)

    async def read_file(self, path: str) -> bytes:
        """Return a file's bytes."""
        return await self.around("read_file", self._sandbox.read_file(path))

    async def write_file(self, path: str, data: bytes) -> None:
        """Create or replace a file."""
        await self.around("write_file", self._sandbox.write_file(path, data))

    async def tree(self) -> Path:
        """Host directory with the workspace as it is now."""
        return await self.around("tree", self._sandbox.tree())

    async def snapshot(self, name: str) -> str:
        """Keep workspace and home under that name."""
        return await self.around("snapshot", self._sandbox.snapshot(name))

    async def close(self) -> None:
        """Destroy the sandbox."""
        await self._sandbox.close()
