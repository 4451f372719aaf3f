"""Run the agent's commands, and say how they ended."""

from __future__ import annotations

from bot.model.steps import Steps
from bot.model.untrusted import clip, reveal_hidden
from bot.repair.proposers.agent.absent_programs import (
    SECONDS,
    absent_programs,
    places_in_words,
    search_command,
)
from bot.repair.proposers.agent.reader import OUTPUT_CHARACTERS
from bot.repair.workspace.base import Workbench
from sandbox.base import CommandResult


class Shell:
    """Each command, and each look for a program that it did not find, is a step."""

    def __init__(self, workbench: Workbench, steps: Steps, seconds: float) -> None:
        """Say where, and how many seconds a command may take."""
        self._workbench = workbench
        self._steps = steps
        self._seconds = seconds

    async def answer(self, command: str, step: str) -> str:
        """Return what a model is told of a command; `step` names it, uniquely in its run."""
        result = await self._steps(f"{step}: bash", self._workbench.run, command, self._seconds)
        return await self._places(result, step) + _described(result)

    async def _places(self, result: CommandResult, step: str) -> str:
        """Return where programs are that the command did not find, as a note, or ""."""
        names = absent_programs(result)
        if not names:
            return ""
        look, name = search_command(names), f"{step}: look for programs"
        found = await self._steps(name, self._workbench.run, look, SECONDS)
        return places_in_words(found.output)


def _described(result: CommandResult) -> str:
    """Return head and tail of what a command printed, then the exit code."""
    output = clip(reveal_hidden(result.output).strip("\n"), OUTPUT_CHARACTERS)
    if result.timed_out:
        ending = f"(stopped after {result.seconds:.0f} s: it took too long)"
    else:
        ending = f"(exit code {result.exit_code})"
    return f"{output or '(no output)'}\n{ending}"
