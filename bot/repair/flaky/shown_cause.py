"""Show a cause: its command has to fail every time in a clean sandbox, and pass without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.model import Observation, Patch
from bot.model.culprit import RunCounts
from bot.model.flaky import FlakyCause
from bot.repair.harness.driver.protocol import dotted
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run

CONTRAST = 5
"""Runs without what decides, all of which have to pass."""


@dataclass(slots=True)
class CauseShowing:
    """Runs commands of one run.

    Attributes:
        run: Of it.
        context: The prepared tree.
        most: How often a command has to fail.
        runs: How many there were.
        executions: How many tests were run in them, at most.
    """

    run: Run
    context: RepairContext
    most: int
    runs: int = 0
    executions: int = 0

    async def shown(
        self, cause: FlakyCause, test: str, commands: Sequence[str], contrast: str
    ) -> FlakyCause:
        """Return a cause with the first command that fails every time, else with how often the last did.

        Args:
            cause: Without commands.
            test: Id of the test that has to be the one that fails.
            commands: That may show it, the plainest first.
            contrast: With which it has to pass.
        """
        red, shows, began = RunCounts(), "", self.runs
        for shows in commands:
            red = await self._counted(shows, test, self.most, failing=True)
            if red.failed and not red.passed:
                break
        green = RunCounts()
        if red.failed and not red.passed:
            green = await self._counted(contrast, test, CONTRAST, failing=False)
        self.executions += (self.runs - began) * (1 + len(cause.others))
        if red.passed or not red.failed:
            return replace(cause, command=shows, red=red)
        return replace(cause, command=shows, red=red, contrast=contrast, green=green)

    async def _counted(self, command: str, test: str, most: int, *, failing: bool) -> RunCounts:
        """Return how often a test failed and passed, until it once does not do what is expected."""
        failed = passed = 0
        room = self.context.clean_room(self.run)
        for _ in range(most):
            self.runs += 1
            seen = await self.run.steps(
                f"flaky: shown {self.runs}",
                room.observe,
                f"{self.run.job.run_id}-flaky-{self.runs}", command, Patch(),
            )  # fmt: skip
            failed, passed = failed + _fails(seen, test), passed + _passes(seen, test)
            if not (_fails if failing else _passes)(seen, test):
                break
        return RunCounts(failed, passed)


def _fails(seen: Observation, test: str) -> bool:
    return dotted(test) in {dotted(each) for each in seen.failing_ids}


def _passes(seen: Observation, test: str) -> bool:
    passed = {dotted(each) for each in seen.passed}
    return not _fails(seen, test) and (dotted(test) in passed or (seen.ok and not passed))
