"""Explain a failure: ask what changed, the cheapest question first, until nothing is left to explain."""

from __future__ import annotations

from dataclasses import replace

from bot.errors import BudgetExhausted, UsageError
from bot.model import Cause, RequestKind
from bot.model.culprit import WhatChanged
from bot.model.progress import (
    CommandOutput,
    Explained,
    Listener,
    Noticed,
    Phase,
    PhaseStarted,
    Progress,
)
from bot.model.steps import now
from bot.repair.culprit.commits import look_at_commits
from bot.repair.culprit.explained_failure import (
    NOTHING_KNOWN,
    ExplainedFailure,
    Look,
    Looking,
    added,
)
from bot.repair.culprit.leads import lead_of
from bot.repair.culprit.releases import look_at_releases
from bot.repair.job import Commits
from bot.repair.repair_context import RepairContext
from bot.repair.run import Concluded, Run
from bot.reporting.reasons import culprit as reasons
from sandbox.base import SandboxError
from sandbox.git import GitError

LOOKS: tuple[Look, ...] = (look_at_releases, look_at_commits)
"""In their order: two setups tell whether the packages of the commit's own day make a difference; where
they do, every older commit fails with today's packages, too."""

_AT_LEAST = 60.0
"""Seconds for which a repair that is accepted already waits for its explanation; else as long as the run
took until then."""


async def explain(
    run: Run, context: RepairContext, commits: Commits, question: ExplainedFailure
) -> WhatChanged:
    """Return what changed between the newest state that passes and the one that fails.

    What ends the looking early, time or a sandbox, is told among what was found until then. The time
    that it takes is added to the run's: a repair has no less of it.

    Args:
        run: Of it.
        context: Where the failure was seen, with the command that shows it.
        commits: Where other commits come from.
        question: What is to be explained.

    Raises:
        RunStopped: When somebody stops it.
    """
    limits = run.run_limits
    started, deadline = await run.steps("explain: start", now), limits.deadline
    until = limits.deadline = started + question.seconds
    quiet = replace(run, listener=_only_looks(run.listener))
    looking = Looking(quiet, context, commits, question, until=until)
    for look in LOOKS:
        if looking.is_done:
            break
        try:
            found = await look(looking)
        except (BudgetExhausted, Concluded, GitError, SandboxError, UsageError) as error:
            found = WhatChanged(ruled_out=(reasons.ended_early(str(error)),))
        looking = replace(looking, known=added(looking.known, found))
    ended = await run.steps("explain: end", now)
    limits.deadline = deadline + ended - started
    return replace(looking.known, seconds=ended - started)


def _only_looks(listener: Listener) -> Listener:
    """Return a listener that hears each look as a detail of one phase, and nothing of its setups."""
    begun = False

    def tell(event: Progress, /) -> None:
        nonlocal begun
        match event:
            case Noticed(text):
                begun = True
                listener(PhaseStarted(Phase.EXPLAIN, detail=text))
            case PhaseStarted() if not begun:
                begun = True
                listener(PhaseStarted(Phase.EXPLAIN))
            case CommandOutput():
                listener(event)
            case _:
                pass

    return tell


async def explained(run: Run, context: RepairContext) -> WhatChanged:
    """Return what changed since a run's failing tests passed; the run asks once and knows it then.

    Args:
        run: Of it; it has reproduced the failure.
        context: Where the failure was seen.

    Raises:
        RunStopped: When somebody stops it.
    """
    known = run.known
    if known.what_changed is None:
        known.what_changed = found = await _asked(run, context)
        if found.is_answer:
            known.lead = await lead_of(context.source, found)
            run.listener(Explained(found))
    return known.what_changed


async def _asked(run: Run, context: RepairContext) -> WhatChanged:
    job, known, commits = run.job, run.known, run.commits
    seen = known.reproduction
    if commits is None or seen is None or seen.observation is None or not job.explain_seconds:
        return NOTHING_KNOWN
    is_new = seen.test_patch is not None or known.kind is not RequestKind.BUG
    if is_new or seen.cause is not Cause.REAL or seen.observation.ok:
        return NOTHING_KNOWN
    seconds = job.explain_seconds
    if any(attempt.accepted for attempt in known.attempts):
        began = run.run_limits.deadline - job.limits.seconds
        taken = await run.steps("explain: time taken", now) - began
        seconds = min(seconds, max(_AT_LEAST, taken))
    red = context.red or seen.observation
    aside = {other.test for other in seen.others}
    tests = tuple(sorted(red.failing_ids - aside))
    question = ExplainedFailure(red, tests, await _good(job.good, context), seconds)
    return await explain(run, context, commits, question)


async def _good(said: str, context: RepairContext) -> str:
    """Return the commit that is said to be green: of a change, where it and its base parted."""
    source = context.source
    green = said or (source.trusted if source.trusted != source.head else "")
    try:
        return green and await source.store.parted(source.head, green)
    except GitError:  # where the history is cut
        return ""
