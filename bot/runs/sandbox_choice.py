"""Which kind of sandbox a run works in: chosen when it begins, and kept when it is taken up again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bot.repair.run import Tools


@dataclass(frozen=True, slots=True)
class ChosenSandbox:
    """The kind of sandbox of one run.

    Attributes:
        kind: Its name.
        instead_of: The kinds that are preferred to it and failed when it was chosen.
    """

    kind: str
    instead_of: tuple[str, ...] = ()


class SandboxChoice(Protocol):
    """The kinds of sandbox that this server may use."""

    async def choose(self, waiting: Callable[[str], None]) -> ChosenSandbox:
        """Return the first kind that works; tell `waiting` why the run waits, if it does.

        Raises:
            SandboxError: When none works for long.
        """
        ...

    def tools_for(self, kind: str) -> Tools:
        """Return what a run works with in that kind of sandbox.

        Raises:
            RunOutdated: When the settings no longer allow that kind.
        """
        ...

    async def remove(self, name: str) -> None:
        """Destroy the sandbox or snapshot of that name, wherever there is one."""
        ...
