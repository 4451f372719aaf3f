"""Only look: a proposer that finds the suspicious lines and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.model import Patch, Proposal, Usage
from bot.model.progress import Listener
from bot.model.proposers import PROPOSERS
from bot.model.steps import Steps
from bot.repair.proposers.base import Task, Workbench
from bot.repair.proposers.search.evidence import Evidence
from bot.repair.proposers.search.laboratory import NoAnswer
from bot.repair.proposers.search.localise import Suspect, suspects
from bot.repair.proposers.search.looking import (
    look,
    open_laboratory,
    uncollected,
    unknown_runner,
)

_NAMED = 3
"""Tests of which the name is said."""


class Localiser:
    """A `Proposer` for those who want to look for themselves.

    Attributes:
        evidence: What was seen; None when nothing could be.
        suspects: The suspicious lines, most suspicious first.
        problem: Why no line is suspicious, or "".
    """

    traits = PROPOSERS["search"]

    def __init__(self) -> None:
        self.evidence: Evidence | None = None
        self.suspects: tuple[Suspect, ...] = ()
        self.problem = ""

    async def warm(self) -> None:
        """Nothing takes long here."""

    async def propose(
        self,
        task: Task,
        workbench: Workbench,
        steps: Steps,
        listener: Listener,
        spend: Callable[[Usage], None],
    ) -> Proposal:
        """Look, and propose nothing."""
        del listener, spend
        laboratory = await open_laboratory(task, workbench, steps, key="localise")
        if laboratory is None:
            self.problem = unknown_runner(task)
            return Proposal(Patch(), self.problem)
        try:
            self.evidence, _ = await look(task, laboratory, task.search.seconds)
        except NoAnswer as problem:
            self.problem = uncollected(str(problem))
            return Proposal(Patch(), self.problem)
        self.suspects = suspects(self.evidence, task.recent)
        self.problem = "" if self.suspects else none_suspicious(self.evidence)
        return Proposal(Patch(), self.problem or f"{len(self.suspects)} lines are suspicious.")


def none_suspicious(evidence: Evidence) -> str:
    """Return that no line is suspicious, and what was seen instead."""
    broken, failing = sorted(evidence.broken), [test.id for test in evidence.failing]
    if broken:
        error = evidence.broken[broken[0]]
        last = f"{error.type}: {error.message}".strip(": \n").rpartition("\n")[2]
        seen = f"{_listed(broken)} can't be collected, and no source file of the project is part "
        seen += f"of the reason{f': {last.strip()}' if last else '.'}"
    elif failing:
        seen = f"no source file of the project is run by what fails, {_listed(failing)}."
    elif evidence.tests:
        seen = f"no test fails when they are run one by one ({len(evidence.tests)} collected). "
        seen += "The command fails for something else, such as what is done around its tests."
    else:
        seen = "no test was collected."
    return f"No line is suspicious: {seen}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(f"`{name}`" for name in names[:_NAMED]) + more
