"""The revert proposer: takes back the part of a commit since which the tests fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bot.model import Patch, Proposal, Usage
from bot.model.progress import Listener
from bot.model.proposers import PROPOSERS
from bot.model.steps import Steps
from bot.repair.proposers.base import Task
from bot.repair.workspace.base import Workbench

if TYPE_CHECKING:
    from bot.llm.base import Model
    from bot.repair.workspace.redaction import Scrub


class RevertProposer:
    """Proposes what was found to make the failing tests pass, the smallest first."""

    traits = PROPOSERS["revert"]

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
        """Return the first one whose change no earlier attempt made."""
        del workbench, steps, listener, spend  # it ran where every patch is verified
        made = [attempt.proposal.patch.changed_lines for attempt in task.earlier]
        left = (found for found in task.reverts if found.patch.changed_lines not in made)
        return next(left, Proposal(Patch(), ""))


def build(model: Model | None, scrub: Scrub) -> RevertProposer:
    """Return the proposer; it takes neither a model nor a scrub."""
    del model, scrub
    return RevertProposer()
