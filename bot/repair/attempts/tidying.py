"""Run the tools of the other failed jobs on a patch: a fix for tests may still be unformatted."""

from __future__ import annotations

from dataclasses import replace

from bot.model import Patch, Proposal
from bot.model.progress import Noticed
from bot.repair.proposers.base import Proposer
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.reporting.reasons import failed_jobs


async def tidied(
    run: Run, context: RepairContext, n: int, key: str, proposal: Proposal
) -> Proposal:
    """Return the proposal with the changes that the project's own tools make to it in the other jobs.

    A lint job and a test job that both fail need two proposers, each in the environment of its
    own job: their work becomes one patch.
    """
    tidier = run.who(lambda item: item.tidies)
    if not context.beside or tidier is None:
        return proposal
    if not proposal.patch and run.known.tried[-1:] != [tidier.traits.name]:
        return proposal
    for number, other in enumerate(context.beside, start=2):
        found = await _in(run, tidier, other, n, f"{key}: tidy {number}", proposal.patch)
        if found is None or not found.patch or found.patch == proposal.patch:
            continue
        text = failed_jobs.tidied(other.commands.failing, found.summary)
        run.listener(Noticed(text.split("\n", 1)[0]))
        summary = f"{proposal.summary}\n\n{text}" if proposal.patch else text
        proposal = replace(proposal, patch=found.patch, summary=summary.strip())
    return proposal


async def _in(
    run: Run, tidier: Proposer, context: RepairContext, n: int, key: str, patch: Patch
) -> Proposal | None:
    """Return what the tools propose on top of the patch, or None when there is nothing to do."""
    name = "".join(char if char.isalnum() else "-" for char in key)
    workbench = context.workbench(run, name)
    steps = workbench.remembering(run.steps)
    async with workbench.attended(lasting=steps.lasting):
        misfit = await steps(f"{key}: apply", workbench.apply, patch)
        if misfit:
            return None  # the verifier says so
        seen = await steps(f"{key}: look", workbench.observe, context.commands.failing)
        if seen.ok:
            return None
        task = context.task(run, n)
        task = replace(task, reproduction=replace(task.reproduction, observation=seen), key=key)
        return await tidier.propose(task, workbench, steps, run.listener, run.known.spend)
