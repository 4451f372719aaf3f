"""Make one attempt: let a proposer work, then verify its patch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bot.errors import BudgetExhausted
from bot.model import (
    Attempt,
    Patch,
    Proposal,
    RequestKind,
    Usage,
)
from bot.model.progress import AttemptFinished, Noticed, Phase, PhaseStarted, Verified
from bot.model.route import Route
from bot.model.steps import Steps, now
from bot.repair.attempts.attempt_verification import verify_proposal
from bot.repair.attempts.repository_map import map_repository
from bot.repair.culprit.reverts import find_reverts
from bot.repair.loop import Try
from bot.repair.memory.recall import recalled_notes
from bot.repair.proposers.base import AttemptCutShort, Proposer
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.verification.verify import VerifiedProposal
from bot.repair.workspace.workbench import SandboxWorkbench
from bot.reporting.reasons import attempts, failed_jobs


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


@dataclass(frozen=True, slots=True)
class Made:
    """The result of asking a proposer.

    Attributes:
        attempt: None when it does not count: a proposer that found nothing to change.
        broke_off: Why the whole run must end, as a sentence, or "".
    """

    attempt: Attempt | None
    broke_off: str = ""


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a proposer left, before it is verified.

    Attributes:
        n: Of the attempt, from 1.
        key: Front of its steps' names.
        started: `time.time()` at its beginning.
        proposal: What came out.
        broke_off: Why the budget ended it, as a sentence, or "".
    """

    n: int
    key: str
    started: float
    proposal: Proposal
    broke_off: str = ""


async def make_attempt(
    run: Run, context: RepairContext, move: Try, route: Route | None = None
) -> Made:
    """Ask the proposer of `move`, and a model by `route` if it asks one; verify its patch."""
    name = move.proposer.name
    proposed = await propose(run, context, move, len(run.known.attempts) + 1, route)
    proposal, broke_off = proposed.proposal, proposed.broke_off
    run.known.clues = proposal.clues or run.known.clues
    if not proposal.looked:
        run.known.not_looked.append(name)
    if not proposal.patch and not move.proposer.empty_counts:
        if proposal.summary:
            said = attempts.nothing_found(name, proposal.summary)
            run.known.note(said)
            run.listener(Noticed(said))
        return Made(None, broke_off)
    run.known.note(*proposal.notes, *recalled_notes(run, move))
    attempt, out_of_time = await verified_attempt(run, context, move, proposed, route)
    run.known.attempts.append(attempt)
    run.listener(AttemptFinished(attempt))
    return Made(attempt, "" if attempt.accepted else broke_off or out_of_time)


async def propose(
    run: Run, context: RepairContext, move: Try, n: int, route: Route | None
) -> Proposed:
    """Ask the proposer of `move` for a patch, as attempt `n`."""
    name = move.proposer.name
    key = f"{name} {len(run.known.tried)}"
    run.known.tried.append(name)
    run.listener(PhaseStarted(Phase.ATTEMPT, attempt=n, detail=name))
    started = await run.steps(f"{key}: start", now)
    workbench = context.workbench(run, key.replace(" ", "-"))
    steps = workbench.remembering(run.steps)
    spent_here = Usage()

    def spend(usage: Usage) -> None:
        nonlocal spent_here
        spent_here += usage
        run.known.spend(usage)

    async with workbench.attended(lasting=steps.lasting):
        try:
            await map_repository(run, context, move.proposer)
            if move.proposer.undoes:
                await find_reverts(run, context)
            task = context.task(run, n, route=route)
            proposer = run.tools.proposers[move.proposer.name]
            proposal = await proposer.propose(task, workbench, steps, run.listener, spend)
            proposal = await tidied(run, context, n, key, proposal)
            return Proposed(n, key, started, _as_a_revert(run, proposal))
        except AttemptCutShort as end:
            return Proposed(n, key, started, end.proposal, str(end))
        except BudgetExhausted as end:
            patch = await _what_there_is(steps, workbench, key)
            proposal = Proposal(patch, summary="", usage=spent_here, ended=str(end))
            return Proposed(n, key, started, proposal, str(end))


def _as_a_revert(run: Run, proposal: Proposal) -> Proposal:
    """Return a proposal; one that only takes back what broke it says so, whoever made it."""
    lines = proposal.patch.changed_lines
    same = (known for known in run.known.reverts or () if known.patch.changed_lines == lines)
    return replace(proposal, reverts=next((known.reverts for known in same), ()))


async def _what_there_is(steps: Steps, workbench: SandboxWorkbench, key: str) -> Patch:
    return await steps(f"{key}: patch at the end of the budget", workbench.patch)


async def verified_attempt(
    run: Run, context: RepairContext, move: Try, proposed: Proposed, route: Route | None
) -> tuple[Attempt, str]:
    """Return the attempt, and why its patch could not be verified in time, if so."""
    n, key, proposal = proposed.n, proposed.key, proposed.proposal
    verified, out_of_time = VerifiedProposal(proposal, None), ""
    run.listener(PhaseStarted(Phase.VERIFY, attempt=n))
    try:
        verified = await verify_proposal(run, context, move, key, proposal)
    except BudgetExhausted as end:
        out_of_time = str(end)
    if verified.verification is not None:
        run.listener(Verified(n, verified.verification))
    finished = await run.steps(f"{key}: finish", now)
    attempt = Attempt(
        n=n,
        proposer=move.proposer.name,
        proposal=verified.proposal,
        verification=verified.verification,
        failing_before=run.known.named_before,
        seconds=finished - proposed.started,
        started=datetime.fromtimestamp(proposed.started, UTC),
        route=route,
        passed_before=run.known.kind is RequestKind.CHANGE,
    )
    return attempt, out_of_time
