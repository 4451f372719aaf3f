"""A sandbox in which every command begins in the surroundings of a job's step."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sandbox.base import WORKSPACE, CommandResult, OutputListener, Sandbox

# What is asked of pytest for our own sake, and what the job asks of it, go together.
_KEEP = 'ci_ours=$PYTEST_ADDOPTS\n{enter}\n[ "$ci_ours" = "$PYTEST_ADDOPTS" ] || export PYTEST_ADDOPTS="$PYTEST_ADDOPTS $ci_ours"\nunset ci_ours'


class Entered:
    """A `Sandbox` whose commands see the variables and the `PATH` of a step."""

    def __init__(self, sandbox: Sandbox, enter: str) -> None:
        self._sandbox = sandbox
        self._before = _KEEP.format(enter=enter)
        self.name = sandbox.name
        self.resumed = sandbox.resumed

    async def run(
        self,
        command: str,
        *,
        timeout: float,
        cwd: str = WORKSPACE,
        environment: Mapping[str, str] | None = None,
        on_output: OutputListener | None = None,
    ) -> CommandResult:
        """Run a command behind the text that enters the surroundings."""
        return await self._sandbox.run(
            f"{self._before}\n{command}",
            timeout=timeout,
            cwd=cwd,
            environment=environment,
            on_output=on_output,
        )

    async def read_file(self, path: str) -> bytes:
        """Return a file's bytes."""
        return await self._sandbox.read_file(path)

    async def write_file(self, path: str, data: bytes) -> None:
        """Create or replace a file."""
        await self._sandbox.write_file(path, data)

    async def tree(self) -> Path:
        """Host directory with the workspace as it is now."""
        return await self._sandbox.tree()

    async def snapshot(self, name: str) -> str:
        """Keep workspace and home."""
        return await self._sandbox.snapshot(name)

    async def close(self) -> None:
        """Destroy the sandbox."""
        await self._sandbox.close()


def entered(sandbox: Sandbox, enter: str) -> Sandbox:
    """Return the sandbox with its commands in these surroundings; as it is where there are none."""
    return Entered(sandbox, enter) if enter else sandbox
