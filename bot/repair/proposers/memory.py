"""The memory proposer: what repaired the very same failure before, merged into today's tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bot.model import Patch, Proposal, Usage
from bot.model.memory import MergedRepair
from bot.model.progress import Listener, Noticed
from bot.model.proposers import PROPOSERS
from bot.model.steps import Steps
from bot.repair.proposers.base import Task
from bot.repair.workspace.base import Workbench
from bot.reporting.reasons import memory
from sandbox.base import SCRATCH

if TYPE_CHECKING:
    from bot.llm.base import Model
    from bot.repair.workspace.redaction import Scrub

_SECONDS = 120.0


class MemoryProposer:
    """Applies merged repairs of before, one after the other, until the failing command passes."""

    traits = PROPOSERS["memory"]

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
        """Return the first earlier patch with which the failing command passes."""
        del spend  # nothing here costs money
        said = []
        for n, repair in enumerate(task.again, start=1):
            listener(Noticed(memory.trying(repair.source)))
            why_not = await _tried(task, repair, workbench, steps, n)
            if not why_not:
                return Proposal(repair.patch, memory.applied(repair))
            said.append(why_not)
        return Proposal(Patch(), " ".join(said))


async def _tried(
    task: Task, repair: MergedRepair, workbench: Workbench, steps: Steps, n: int
) -> str:
    """Return why an earlier patch does not help, and undo it; "" when it does."""
    key = f"attempt {task.n}: memory {n}"
    file = f"{SCRATCH}/fixpoint/{repair.source.id}-{n}.patch"
    apply = f"git apply --whitespace=nowarn {file}"
    await steps(f"{key}: write", workbench.write_file, file, repair.patch.data)
    applied = await steps(f"{key}: apply", workbench.run, apply, _SECONDS)
    if not applied.ok:
        return memory.conflicts(repair.source)
    seen = await steps(f"{key}: look", workbench.observe, task.commands.failing)
    if seen.ok:
        return ""
    await steps(f"{key}: undo", workbench.run, f"{apply} --reverse", _SECONDS)
    return memory.fails_still(repair.source)


def build(model: Model | None, scrub: Scrub) -> MemoryProposer:
    """Return the proposer; it takes neither a model nor a scrub."""
    del model, scrub
    return MemoryProposer()
