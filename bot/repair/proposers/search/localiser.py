"""Only look: a proposer that finds the suspicious lines and changes nothing."""

from __future__ import annotations

from collections.abc import Callable

from bot.model import Patch, Proposal, Usage
from bot.model.progress import Listener
from bot.model.proposers import PROPOSERS
from bot.model.steps import Steps
from bot.repair.harness.client import NoAnswer
from bot.repair.proposers.base import Task
from bot.repair.proposers.search.evidence import SearchEvidence
from bot.repair.proposers.search.localise import Suspect, suspects
from bot.repair.proposers.search.test_laboratory import look, open_laboratory
from bot.repair.workspace.base import Workbench
from bot.reporting.reasons import search


class Localiser:
    """A `Proposer` for those who want to look for themselves.

    Attributes:
        evidence: What was seen; None when nothing could be.
        suspects: The suspicious lines, most suspicious first.
        problem: Why no line is suspicious, or "".
    """

    traits = PROPOSERS["search"]

    def __init__(self) -> None:
        self.evidence: SearchEvidence | None = None
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
            self.problem = search.unknown_runner(task.commands.failing)
            return Proposal(Patch(), self.problem)
        try:
            self.evidence, _ = await look(task, laboratory, task.search.seconds)
        except NoAnswer as problem:
            self.problem = search.uncollected(str(problem))
            return Proposal(Patch(), self.problem)
        self.suspects = suspects(self.evidence, task.recent, task.deciding)
        self.problem = "" if self.suspects else none_suspicious(self.evidence)
        return Proposal(Patch(), self.problem or search.examined(len(self.suspects)))


def none_suspicious(evidence: SearchEvidence) -> str:
    """Return that no line is suspicious, and what was seen instead."""
    broken, failing = sorted(evidence.broken), [test.id for test in evidence.failing]
    if broken:
        error = evidence.broken[broken[0]]
        last = f"{error.type}: {error.message}".strip(": \n").rpartition("\n")[2]
        return search.uncollectable(broken, last.strip())
    if failing:
        return search.no_source_run(failing)
    tests = len(evidence.tests)
    return search.none_fails(tests) if tests else search.NONE_COLLECTED
