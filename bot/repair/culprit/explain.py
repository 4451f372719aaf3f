"""Explain a failure: ask what changed, the cheapest question first, until nothing is left to explain."""

from __future__ import annotations

from dataclasses import replace

from bot.errors import BudgetExhausted
from bot.model import Cause, RequestKind
from bot.model.culprit import WhatChanged
from bot.model.steps import now
from bot.repair.culprit.commits import look_at_commits
from bot.repair.culprit.looking import (
    NOTHING_KNOWN,
    SECONDS,
    ExplainedFailure,
    Look,
    Looking,
    added,
)
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


async def explain(
    run: Run, context: RepairContext, commits: Commits, question: ExplainedFailure
) -> WhatChanged:
    """Return what changed between the newest state that passes and the one that fails.

    What ends the looking early, time or a sandbox, is told among what was found until then.

    Args:
        run: Of it.
        context: Where the failure was seen, with the command that shows it.
        commits: Where other commits come from.
        question: What is to be explained.

    Raises:
        RunStopped: When somebody stops it.
    """
    started = await run.steps("explain: start", now)
    looking = Looking(run, context, commits, question, until=started + question.seconds)
    for look in LOOKS:
        if looking.is_done:
            break
        try:
            found = await look(looking)
        except (BudgetExhausted, Concluded, GitError, SandboxError) as error:
            found = WhatChanged(ruled_out=(reasons.ended_early(str(error)),))
        looking = replace(looking, known=added(looking.known, found))
    ended = await run.steps("explain: end", now)
    return replace(looking.known, seconds=ended - started)


_SHARE = 0.5
"""Of the time that a run has left: what is found is of use only while there is some."""


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
        known.what_changed = await _asked(run, context)
    return known.what_changed


async def _asked(run: Run, context: RepairContext) -> WhatChanged:
    seen, commits = run.known.reproduction, run.commits
    if commits is None or seen is None or seen.observation is None:
        return NOTHING_KNOWN
    is_new = seen.test_patch is not None or run.known.kind is not RequestKind.BUG
    if is_new or seen.cause is not Cause.REAL:
        return NOTHING_KNOWN
    left = run.run_limits.deadline - await run.steps("explain: time left", now)
    tests = tuple(sorted(seen.observation.failing_ids))
    seconds = min(SECONDS, left * _SHARE)
    question = ExplainedFailure(seen.observation, tests, seconds=seconds)
    return await explain(run, context, commits, question)
