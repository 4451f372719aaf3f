"""The proposer that keeps out the release since which tests fail, once nobody adapts the code to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bot.model import Patch, Proposal, Usage
from bot.model.culprit import Culprit, EventKind
from bot.model.progress import Listener
from bot.model.proposers import PROPOSERS
from bot.model.steps import Steps
from bot.repair.proposers.base import Task
from bot.repair.workspace.base import Workbench
from bot.reporting.reasons import release_repairs as reasons
from sandbox.base import SCRATCH

if TYPE_CHECKING:
    from bot.llm.base import Model
    from bot.repair.workspace.redaction import Scrub

_SECONDS = 120.0


class BoundProposer:
    """Declares the smallest bound that keeps the release out."""

    traits = PROPOSERS["bound"]

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
        """Return the bounds of all releases that explain the failing tests."""
        del listener, spend
        wanted = [each for each in releases_of(task) if each.bound and each.bound.keeps_out]
        return await with_requirements(task, wanted, workbench, steps)


def releases_of(task: Task) -> tuple[Culprit, ...]:
    """Return the releases that explain the failing tests."""
    culprits = task.lead.found.culprits if task.lead is not None else ()
    return tuple(each for each in culprits if each.event.kind is EventKind.RELEASE)


async def with_requirements(
    task: Task, culprits: list[Culprit], workbench: Workbench, steps: Steps
) -> Proposal:
    """Return what declares the requirements of some releases, to be verified with these installed."""
    said: list[str] = []
    for culprit in culprits:
        if culprit.bound is None:
            continue
        key = f"attempt {task.n}: {culprit.bound.requirement}"
        file = f"{SCRATCH}/fixpoint/requirement-{len(said)}.patch"
        data = culprit.bound.patch.encode()
        await steps(f"{key}: write", workbench.write_file, file, data)
        apply = f"git apply --whitespace=nowarn {file}"
        if (await steps(f"{key}: apply", workbench.run, apply, _SECONDS)).ok:
            said.append(reasons.required(culprit))
    if not said:
        return Proposal(Patch(), "")
    patch = await steps(f"attempt {task.n}: requirements: patch", workbench.patch)
    return Proposal(patch, "\n\n".join(said), renews=True)


def build(model: Model | None, scrub: Scrub) -> BoundProposer:
    """Return the proposer; it takes neither a model nor a scrub."""
    del model, scrub
    return BoundProposer()
