"""Which kind of sandbox a run works in: chosen when it begins, and kept when it is taken up again.

It is chosen once more when the kind dies before the run has reproduced anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from bot.model.deadline import StopSign, unless_stopped
from bot.model.steps import Steps
from bot.repair.tools import Tools
from bot.reporting.reasons import service_health
from bot.runs.service_notes import ServiceNotes
from sandbox.base import SandboxProvider


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

    async def stand_in(self, lost: Sequence[str]) -> ChosenSandbox | None:
        """Return the first kind that works and is none of those which a run tried, oldest first.

        None when the last of these works after all, or no other does.
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


class SandboxOfRun:
    """The kind of sandbox that one run works in; its choices are steps."""

    def __init__(
        self, choice: SandboxChoice, told: ServiceNotes, steps: Steps, stopped: StopSign
    ) -> None:
        """Choose among those of the server, and tell the run what was chosen, and why."""
        self._choice = choice
        self._told = told
        self._steps = steps
        self._stopped = stopped
        self._tried: tuple[str, ...] = ()

    async def begin(self) -> Tools:
        """Return what the run works with.

        Raises:
            RunStopped: When a person asked for it while the run waited for a sandbox.
            SandboxError: When none works for long.
        """

        async def choose() -> ChosenSandbox:
            return await unless_stopped(lambda: self._choice.choose(self._told.say), self._stopped)

        chosen = await self._steps("choose a sandbox", choose)
        if chosen.instead_of:
            self._told.say(service_health.stands_in(chosen.kind, chosen.instead_of))
        return replace(self._tools_in(chosen), stand_in=self._stand_in)

    async def _stand_in(self) -> SandboxProvider | None:
        """Return another kind for a run whose own died before it reproduced anything."""
        chosen = await self._steps("choose another sandbox", self._choice.stand_in, self._tried)
        if chosen is None:
            return None
        self._told.say(service_health.starts_over(chosen.kind, self._tried[-1]))
        return self._tools_in(chosen).sandboxes

    def _tools_in(self, chosen: ChosenSandbox) -> Tools:
        self._tried = (*self._tried, chosen.kind)
        self._told.works_in(chosen.kind)
        return self._choice.tools_for(chosen.kind)
