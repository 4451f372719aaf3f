"""Explain a failure: ask what changed, the cheapest question first, until nothing is left to explain."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto

from bot.errors import BudgetExhausted, UsageError
from bot.model import Cause, Reproduction, RequestKind
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
from bot.repair.culprit.culprit_lines import lead_of
from bot.repair.culprit.explained_failure import (
    NOTHING_KNOWN,
    ExplainedFailure,
    Look,
    LookCutShort,
    Looking,
    LookTime,
    added,
)
from bot.repair.culprit.merge_groups import look_at_group
from bot.repair.culprit.releases import look_at_releases
from bot.repair.job import Commits, Job
from bot.repair.repair_context import RepairContext
from bot.repair.run import Concluded, Explanation, Run
from bot.reporting.reasons import culprit as reasons
from sandbox.base import SandboxError
from sandbox.git import GitError

NOTHING_ASKED = Explanation()

LOOKS: tuple[Look, ...] = (look_at_releases, look_at_commits)
"""In their order: two setups tell whether the packages of the commit's own day make a difference; where
they do, every older commit fails with today's packages, too. Where there is no time for these, the
history is walked first: what it proves holds with any packages."""

_MOMENTS = 10.0
"""Seconds that the question may take in any case."""

_SHARE = 0.5
"""Of what the run took so far: for the question, where a repair may be had without its answer."""

_A_MINUTE = 60.0
"""Seconds that it may take where a model, which costs more, waits for the answer, or nobody does."""


class Worth(Enum):
    """How long the answer is worth to be waited for."""

    NOTHING = auto()
    """No time: only what is known already."""

    A_SHARE = auto()
    """A part of what the run took so far: a repair waits for it, or somebody who may do without."""

    AS_LONG = auto()
    """As long as the run took so far: a model is paid next, or the repair is published."""

    ALL = auto()
    """All of the time that there is for it: nothing else is left to do."""


async def explain(
    run: Run,
    context: RepairContext,
    commits: Commits,
    question: ExplainedFailure,
    before: Explanation = NOTHING_ASKED,
    ways: tuple[Look, ...] = LOOKS,
) -> tuple[WhatChanged, Explanation]:
    """Return what changed between the newest state that passes and the one that fails, as far as it is known.

    What ends the looking early, time or a sandbox, is told among what was found until then. The time
    that it takes is added to the run's: a repair has no less of it.

    Args:
        run: Of it.
        context: Where the failure was seen, with the command that shows it.
        commits: Where other commits come from.
        question: What is to be explained.
        before: How far the question had come.
        ways: Of looking.

    Returns:
        What was found, and how far the question has come.

    Raises:
        RunStopped: When somebody stops it.
    """
    limits = run.run_limits
    started, deadline = await run.steps("explain: start", now), limits.deadline
    until = limits.deadline = started + question.seconds
    quiet = replace(run, listener=_only_looks(run.listener))
    looked = LookTime(until, started + max(question.seconds, question.at_most))
    looking = Looking(quiet, context, commits, question, looked, before.known)
    cut_short, looks = NOTHING_KNOWN, before.looks
    for n, look in enumerate(ways):
        if looking.is_done or n in looks:
            continue
        try:
            await looking.check()
            found = await look(looking)
        except LookCutShort as end:  # another way may cost less
            cut_short = added(cut_short, end.found)
            continue
        except BudgetExhausted as end:
            said = () if cut_short.ruled_out else (reasons.ended_early(str(end)),)
            cut_short = added(cut_short, WhatChanged(ruled_out=said))
            continue
        except (Concluded, GitError, SandboxError, UsageError) as error:
            found = WhatChanged(ruled_out=(reasons.ended_early(str(error)),))
            run.known.note(found.ruled_out[0])
        looking, looks = replace(looking, known=added(looking.known, found)), (*looks, n)
    ended = await run.steps("explain: end", now)
    limits.deadline = deadline + ended - started
    seconds = before.seconds + ended - started
    is_over = looking.is_done or len(looks) == len(ways)
    shown = looking.known if is_over else added(looking.known, cut_short)
    explanation = Explanation(looking.known, question.job, looks, seconds, is_over)
    return replace(shown, seconds=seconds), explanation


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


async def explained(run: Run, context: RepairContext, worth: Worth = Worth.ALL) -> WhatChanged:
    """Return what changed since a run's failing tests passed, as far as that is worth to be waited for.

    Whoever asks again goes on where the time was up, and asks in vain once nothing is left to ask.

    Args:
        run: Of it; it has reproduced the failure.
        context: Where the failure was seen.
        worth: How long it may take, all in all.

    Raises:
        RunStopped: When somebody stops it.
    """
    known, job, seen = run.known, run.job, run.known.reproduction
    if known.what_changed is None:
        known.what_changed = NOTHING_KNOWN
        is_new = known.kind is not RequestKind.BUG
        mends_flaky = known.flaky_goal is not None  # it fails wherever there is what decides
        asked = run.commits is not None and not (is_new or mends_flaky) and is_asked(job, seen)
        known.explanation = Explanation(is_over=not asked)
    explanation = known.explanation
    if explanation.is_over or run.commits is None or seen is None or seen.observation is None:
        return known.what_changed
    jobs, found = (context, *context.beside), known.what_changed
    while not explanation.is_over:
        most = await _most(run, worth) - explanation.seconds
        if most <= 0:
            return found
        place = jobs[explanation.job]
        red = place.red or seen.observation
        ways = LOOKS if job.group is None else (look_at_group,)
        question = ExplainedFailure(
            red,
            tuple(sorted(red.failing_ids - {other.test for other in seen.others})),
            await _good(job.good, place),
            most,
            job.explain_seconds - explanation.seconds,
            explanation.job,
        )
        found, explanation = await explain(run, place, run.commits, question, explanation, ways)
        explanation = _further(explanation, len(jobs), job.explain_seconds)
        known.what_changed, known.explanation = found, explanation
        if found.is_answer:
            known.lead = await lead_of(context.source, found)
            run.listener(Explained(found))
        if not explanation.is_over and explanation.job == question.job:
            break  # its time is up
    return found


def _further(explanation: Explanation, jobs: int, seconds: float) -> Explanation:
    """Return how far a question has come that is over for one of several jobs, or all of whose time is up."""
    if explanation.seconds >= seconds:
        return replace(explanation, is_over=True)
    if explanation.is_over and explanation.job + 1 < jobs:
        return replace(explanation, is_over=False, looks=(), job=explanation.job + 1)
    return explanation


def is_asked(job: Job, seen: Reproduction | None) -> bool:
    """Whether there is a failure that was not there before, and somebody wants to know since when.

    One that comes and goes is explained to those who ask for that alone.
    """
    if seen is None or seen.observation is None or seen.test_patch is not None:
        return False
    is_flaky = seen.cause is Cause.FLAKY and job.only_explains
    is_real = is_flaky or seen.cause is Cause.REAL
    return job.explain_seconds > 0 and is_real and not seen.observation.ok


async def _most(run: Run, worth: Worth) -> float:
    """Return the seconds that the question may take, all in all; see `Worth`."""
    limits, most = run.job.limits, run.job.explain_seconds
    if worth is Worth.NOTHING:
        return 0.0
    if worth is Worth.ALL:
        return most
    began = (
        run.run_limits.deadline - limits.seconds
    )  # what explaining took is added to the deadline
    taken = await run.steps("explain: time taken", now) - began
    at_least = _MOMENTS if worth is Worth.A_SHARE else _A_MINUTE
    share = _SHARE if worth is Worth.A_SHARE else 1.0
    return min(most, max(at_least, taken * share))


async def _good(said: str, context: RepairContext) -> str:
    """Return the commit that is said to be green: of a change, where it and its base parted."""
    source = context.source
    green = said or (source.trusted if source.trusted != source.head else "")
    try:
        return green and await source.store.parted(source.head, green)
    except GitError:  # where the history is cut
        return ""
