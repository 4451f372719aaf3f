"""What a proposer may do in its own sandbox."""

from __future__ import annotations

from typing import Protocol

from bot.model import Observation, Patch
from sandbox.base import CommandResult


class Workbench(Protocol):
    """The attempt's own sandbox: untouched tree at first, no network, no secret.

    Methods are acts for `Steps`: they pickle, they can run again after a crash (the sandbox keeps
    its state under its name; if it is gone, finished acts are replayed in a new one). All raise
    `RunStopped` and `BudgetExhausted` (time) as soon as that is so, `SandboxError` otherwise.
    """

    async def run(self, command: str, timeout: float) -> CommandResult:
        """Run a shell command in the work tree; output goes to the listener as it comes."""
        ...

    async def observe(self, command: str) -> Observation:
        """Run a test or lint command and read its failures."""
        ...

    async def watch(self, command: str) -> Observation:
        """Do the same, and tell which programs it started."""
        ...

    async def untouched(self, paths: tuple[str, ...]) -> dict[str, bytes]:
        """Return the files of the untouched tree that are there; this needs no sandbox."""
        ...

    async def read_file(self, path: str) -> bytes:
        """Return a file of the sandbox. Raises `FileNotFoundError`, `IsADirectoryError`."""
        ...

    async def write_file(self, path: str, data: bytes) -> None:
        """Create or replace a file of the sandbox."""
        ...

    async def patch(self) -> Patch:
        """Return the difference between the work tree and the untouched one."""
        ...
