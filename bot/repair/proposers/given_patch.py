"""A patch that somebody else wrote, as the proposal to verify."""

from __future__ import annotations

from collections.abc import Callable

from bot.model import Patch, Proposal, Usage
from bot.model.progress import Listener
from bot.model.proposers import ProposerTraits
from bot.model.steps import Steps
from bot.repair.proposers.base import Task
from bot.repair.workspace.base import Workbench

GIVEN = ProposerTraits("given", is_given=True)


class GivenPatch:
    """Proposes one patch, whatever the task."""

    traits = GIVEN

    def __init__(self, patch: Patch) -> None:
        self.patch = patch

    async def warm(self) -> None:
        """Do nothing: there is nothing to get ready."""

    async def propose(
        self,
        task: Task,
        workbench: Workbench,
        steps: Steps,
        listener: Listener,
        spend: Callable[[Usage], None],
    ) -> Proposal:
        """Return the patch."""
        del task, workbench, steps, listener, spend
        return Proposal(self.patch, summary="")
