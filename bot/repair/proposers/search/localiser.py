"""Only look: a proposer that finds the suspicious lines and changes nothing."""

from __future__ import annotations

from collections.abc import Callable

from bot.repair.model import Patch, Proposal, Usage
from bot.repair.progress import Listener
from bot.repair.proposers.base import Task, Workbench
from bot.repair.proposers.search.evidence import Evidence
from bot.repair.proposers.search.laboratory import Unanswered
from bot.repair.proposers.search.localise import Suspect, suspects
from bot.repair.proposers.search.looking import (
    look,
    open_laboratory,
    uncollected,
    unknown_runner,
)
from bot.repair.steps import Steps


class Localiser:
    """A `Proposer` for those who want to look for themselves.

    Attributes:
        evidence: What was seen; None when nothing could be.
        suspects: The suspicious lines, most suspicious first.
        problem: Why nothing could be seen, or "".
    """

    name = "search"

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
        except Unanswered as problem:
            self.problem = uncollected(str(problem))
            return Proposal(Patch(), self.problem)
        self.suspects = suspects(self.evidence, task.recent)
        return Proposal(Patch(), f"{len(self.suspects)} lines are suspicious.")
