"""From a job to a report: prepare, reproduce, attempt until a patch is accepted, conclude."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import assert_never

from bot.ci.failure_identity import SubjectKind, identity_of
from bot.errors import BudgetExhausted, ProviderError, RunStopped
from bot.model import Attempt, Report, Reproduction, Verdict, Verification, suggestion_of
from bot.model.deadline import RunLimits, StopSign
from bot.model.money.reservations import OwnReservations, Reservations
from bot.model.observation import names_test
from bot.model.progress import Listener, Noticed, RunFinished, Spent
from bot.model.steps import Steps, now
from bot.repair.attempts.attempt import make_attempt
from bot.repair.attempts.candidates.batch import make_batch
from bot.repair.attempts.candidates.plan import routes_of
from bot.repair.attempts.routing.model_choice import choose_route
from bot.repair.conclude import End, report_of
from bot.repair.culprit.explain import Worth, explained
from bot.repair.flaky.flaky_verdict import (
    note_flaky_causes,
    tell_flaky_tests,
    with_flaky_goal,
)
from bot.repair.flaky.tried_marks import note_quarantine
from bot.repair.goal.excluded_failures import told_of
from bot.repair.job import Checkout, Job
from bot.repair.loop import (
    Accept,
    Conclude,
    Move,
    State,
    Try,
    already_asked,
    next_move,
    why_suggested,
)
from bot.repair.memory.recall import recall
from bot.repair.preparation.prepare import prepare
from bot.repair.repair_context import RepairContext
from bot.repair.reproduction.reproduce import reproduce
from bot.repair.run import Concluded, Run, RunState
from bot.repair.sandbox_faults import StepsBeyondFaults
from bot.repair.test_first.stronger_tests import with_strong_tests
from bot.repair.tools import Tools
from bot.repair.workspace.sandbox_cleanup import clean_up, places_of
from bot.reporting import merge_group
from bot.reporting.reasons import flaky as reasons
from bot.reporting.reasons import outside_causes, run_life, sandbox_setup
from bot.reporting.what_changed import opening
from sandbox.base import SandboxError
from sandbox.git import GitError


async def repair(
    job: Job,
    tools: Tools,
    checkout: Checkout,
    steps: Steps,
    listener: Listener,
    stopped: StopSign,
    reservations: Reservations | None = None,
    publish: Publish | None = None,
) -> Report:
    """Run a job to its end and report; every expected failure has its verdict.

    Without `reservations`, only the run's own budget limits it. `publish` is called with the report
    of a repair that is accepted before it is known what changed: then nobody waits for that.

    Raises:
        UsageError: When there is nothing to repair; the text says what to do.
    """
    steps = StepsBeyondFaults(steps)
    started = await steps("start", now)
    reservations = reservations or OwnReservations()
    run_limits = RunLimits(
        started + job.limits.seconds,
        stopped,
        sandbox_seconds=job.limits.sandbox_seconds,
        earlier=reservations.sandbox_seconds,
        on_held=reservations.use_sandbox,
    )
    state = _state_of(job, listener)
    run = Run(job, tools, steps, listener, run_limits, state, reservations, checkout)
    async with _warming(run):
        end = await _carried(run, checkout)
        while end.sandboxes_failed and (elsewhere := await _elsewhere(run)) is not None:
            run = elsewhere
            end = await _carried(run, checkout)
        end = await _explained_at_last(run, end, started, publish)
    report = await report_of(run, end, started)
    if job.failed:
        await clean_up(run.tools.sandboxes, job.run_id, places_of(len(job.failed)))
    elif end.context is not None:
        await clean_up(run.tools.sandboxes, job.run_id, run.known.places)
    listener(RunFinished(report))
    return report


Publish = Callable[[Report], Awaitable[str]]
"""Publishes an accepted repair; returns what to say of it, or "" where it has to wait."""


async def _explained_at_last(run: Run, end: End, started: float, publish: Publish | None) -> End:
    """Return the end of a run; one with a repair is published before what changed is looked for."""
    if end.verdict is not Verdict.FIXED or end.context is None:
        return end
    said = ""
    await explained(run, end.context, Worth.NOTHING)
    if publish is not None and not run.known.explanation.is_over:
        said = await publish(await report_of(run, end, started))
    if said:
        run.listener(Noticed(said))
    try:
        await explained(run, end.context, Worth.AS_LONG if said else Worth.A_SHARE)
    except RunStopped as stop:
        return end if said else replace(end, verdict=Verdict.STOPPED, reason=str(stop))
    return end


async def _reproduced(run: Run, context: RepairContext) -> RepairContext:
    """Return where the failure was seen; what comes and goes is one, too, where nobody repairs it."""
    try:
        return await reproduce(run, context)
    except Concluded as end:
        if end.verdict is not Verdict.FLAKY or not run.job.only_explains:
            raise
    return replace(context, commands=run.known.commands or context.commands)


_NOTHING = 1.0
"""Seconds in which no setup has begun."""


async def _carried(run: Run, checkout: Checkout) -> End:
    """Carry a run through its phases; every expected failure has its verdict."""
    context: RepairContext | None = None
    sandboxes_failed = False
    try:
        if run.job.failed:
            from bot.repair.reproduction.checks.failed_checks import (
                see_checks_fail,  # at a terminal never
            )

            context = await see_checks_fail(run, checkout)
        else:
            context = await prepare(run, checkout)
            if run.job.of_flaky is not None:
                await tell_flaky_tests(run, context, run.job.of_flaky)
            context = await _reproduced(run, context)
        if run.job.only_explains:
            told = opening(await explained(run, context))
            group, found = run.job.group, run.known.group
            named = "" if group is None or found is None else merge_group.opening(group, found)
            verdict, reason = Verdict.EXPLAINED, named or told
        else:
            await recall(run, context)
            verdict, reason = await _attempt_until_accepted(run, context)
        if verdict is Verdict.FIXED:
            context = await with_strong_tests(run, context)
    except Concluded as end:
        verdict, reason = end.verdict, end.reason
        context = end.context or context
        await note_flaky_causes(run, verdict, context)
        ended = await _flaky_mended(run, End(verdict, reason, context))
        await note_quarantine(run, ended)
        return ended
    except RunStopped as end:
        verdict, reason = Verdict.STOPPED, str(end)
    except BudgetExhausted as end:
        verdict, reason = Verdict.BUDGET_SPENT, _where_spent(run, str(end))
    except ProviderError as error:
        suggested = suggestion_of(run.known.attempts)
        verdict = Verdict.SUGGESTED if suggested else Verdict.INFRASTRUCTURE
        reason = f"{why_suggested(suggested)} {error}" if suggested else str(error)
    except (SandboxError, GitError) as error:
        verdict, reason = Verdict.INFRASTRUCTURE, str(error)
        sandboxes_failed = isinstance(error, SandboxError) and run.known.untouched is None
    return End(verdict, reason, context, sandboxes_failed)


async def _flaky_mended(run: Run, told: End) -> End:
    """Return the end of a run with a repair of a flaky test; without one, the end that it had anyway."""
    known, seen, reason = run.known, run.known.reproduction, ""
    try:
        goal = await with_flaky_goal(run, told.context) if told.context is not None else None
        if goal is None:
            return told
        verdict, reason = await _attempt_until_accepted(run, goal)
        if verdict is Verdict.FIXED:
            return End(verdict, reason, goal)
    except RunStopped as stop:
        return replace(told, verdict=Verdict.STOPPED, reason=str(stop))
    except (BudgetExhausted, ProviderError, SandboxError, GitError) as error:
        reason = str(error)
    known.reproduction, known.flaky_goal = seen, None
    known.note(reasons.not_mended(reason))
    return told


def _where_spent(run: Run, reason: str) -> str:
    """Return why a budget was spent, with the part of a setup that had not ended, or took most of it."""
    setup = run.known.setup_seconds
    if run.known.in_setup:
        return f"{reason} {sandbox_setup.budget_ended(setup)}" if setup > _NOTHING else reason
    took_most = setup > max(_NOTHING, run.run_limits.held / 2)
    return f"{reason} {sandbox_setup.took_most(setup)}" if took_most else reason


async def _elsewhere(run: Run) -> Run | None:
    """Return the run from its beginning in another kind of sandbox, if its own died."""
    if run.tools.stand_in is None or (sandboxes := await run.tools.stand_in()) is None:
        return None
    return replace(
        run, tools=replace(run.tools, sandboxes=sandboxes), known=_state_of(run.job, run.listener)
    )


def _state_of(job: Job, listener: Listener) -> RunState:
    return RunState(
        attempts=list(job.earlier),
        tried=list(already_asked(job.earlier)),
        usage=job.spent,
        notes=list(job.agreed_by),
        on_spent=lambda usage: listener(Spent(usage)),
    )


@asynccontextmanager
async def _warming(run: Run) -> AsyncIterator[None]:
    """Let the proposers warm up while the body runs."""
    warm = [run.tools.proposers[traits.name].warm() for traits in run.ladder]
    task = asyncio.gather(*warm, return_exceptions=True)  # the first attempt tries again and tells
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _attempt_until_accepted(run: Run, context: RepairContext) -> tuple[Verdict, str]:
    """Make attempts one after another, as the loop decides."""
    while True:
        move = next_move(_state(run))
        if await _learned_more(run, context, move):
            continue  # somebody else may be next who answers what was found
        match move:
            case Accept(attempt):
                mended = _mended_besides(run, attempt)
                return Verdict.FIXED, _why_accepted(run, attempt, mended)
            case Conclude(verdict, reason):
                if verdict is Verdict.SUGGESTED:
                    _mended_besides(run, suggestion_of(run.known.attempts))
                return verdict, reason
            case Try():
                route = await choose_route(run, context, move.proposer)
                routes = routes_of(run, route)
                made = await (
                    make_attempt(run, context, move, route)
                    if len(routes) == 1
                    else make_batch(run, context, move, routes)
                )
                if made.broke_off:
                    raise BudgetExhausted(made.broke_off)


async def _learned_more(run: Run, context: RepairContext, move: Move) -> bool:
    """Ask what changed for as long as what comes next is worth it; return whether that is over now."""
    match move:
        case Try(proposer) if not proposer.reads_changes:
            return False
        case Accept():
            return False
        case Try(proposer):
            worth = Worth.AS_LONG if proposer.needs_model else Worth.A_SHARE
        case Conclude():
            worth = Worth.ALL
        case _:
            assert_never(move)
    was_over = run.known.explanation.is_over
    await explained(run, context, worth)
    return run.known.explanation.is_over and not was_over


def _mended_besides(run: Run, attempt: Attempt | None) -> int:
    """Return how much passes with an attempt's patch of what was set aside, and say so.

    What was noted of it when it was set aside is not so any more.
    """
    reproduction, notes = run.known.reproduction, run.known.notes
    verification = attempt.verification if attempt is not None else None
    if reproduction is None or verification is None:
        return 0
    mended = tuple(
        failure for failure in reproduction.others if failure.test in verification.besides
    )
    if not mended:
        return 0
    left = tuple(failure for failure in reproduction.others if failure not in mended)
    before = told_of(reproduction.others)
    at = next((n for n, note in enumerate(notes) if note in before), len(notes))
    said = [
        *told_of(left),
        outside_causes.passes_now([other_failure.test for other_failure in mended]),
    ]
    run.known.notes = [*notes[:at], *said, *(item for item in notes[at:] if item not in before)]
    run.known.reproduction = replace(reproduction, others=left)
    return len(mended)


def _why_accepted(run: Run, attempt: Attempt, mended: int) -> str:
    verification, reproduction = attempt.verification, run.known.reproduction
    if verification is None or reproduction is None:
        return run_life.fixed()
    tests = [names_test(failure.test) for failure in reproduction.others]
    return run_life.fixed(
        verification.uncompared,
        tests.count(True),
        mended,
        problems=tests.count(False),
        tested=_tested(verification, reproduction),
    )


def _tested(verification: Verification, reproduction: Reproduction) -> bool:
    """Whether more than a linter or a compiler judged a patch: tests, or a command of the project."""
    runs = (verification.target, verification.suite)
    red = reproduction.observation
    if red is None or any(run is not None and (run.counts or run.passed) for run in runs):
        return True
    kinds = {identity_of(failure).kind for failure in red.named}
    return kinds != {SubjectKind.PLACE}


def _state(run: Run) -> State:
    return State(
        ladder=run.ladder,
        tried=tuple(run.known.tried),
        not_looked=frozenset(run.known.not_looked),
        attempts=tuple(run.known.attempts),
        most_attempts=run.job.limits.attempts + len(run.job.earlier),
        failing_before=run.known.failing_before,
    )
