"""What a run says of flaky tests: of its own failure that comes and goes, or of all where that is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from bot.errors import BudgetExhausted, RunStopped, UsageError
from bot.model import Cause, Patch, Reproduction, Verdict
from bot.model.flaky import FlakyFindings, FlakyGoal, FlakyQuestion
from bot.model.observation import names_test
from bot.repair.flaky.find_flaky import FEW, find_flaky
from bot.repair.repair_context import RepairContext
from bot.repair.run import Concluded, Run
from bot.reporting.flaky import opening
from bot.reporting.reasons import flaky as reasons
from sandbox.base import SandboxError

_SECONDS = 300.0
"""For finding what decides."""


async def note_flaky_causes(run: Run, verdict: Verdict, context: RepairContext | None) -> None:
    """Keep what decides how a flaky run's failing tests end; why nothing could be looked at, as a note.

    Args:
        run: Of it.
        verdict: With which it ends.
        context: The prepared tree where its failure was seen; None where none was.
    """
    if verdict is not Verdict.FLAKY or context is None:
        return
    seen = run.known.reproduction.observation if run.known.reproduction is not None else None
    failing = sorted(seen.failing_ids) if seen is not None else []
    tests = tuple(test for test in failing if names_test(test))[:FEW]
    if not tests:
        return
    try:
        run.known.flaky = await find_flaky(run, context, FlakyQuestion(tests, seconds=_SECONDS))
    except (BudgetExhausted, RunStopped, SandboxError, UsageError) as error:
        run.known.note(reasons.not_looked(str(error)))


async def tell_flaky_tests(run: Run, context: RepairContext, question: FlakyQuestion) -> NoReturn:
    """Look for flaky tests, keep what was found, and conclude with it.

    Args:
        run: Of a request that asks for nothing else.
        context: The prepared tree.
        question: Which tests are asked about.

    Raises:
        BudgetExhausted: When the time is up.
        Concluded: Always: with what was found, or why the tests can't be looked at.
        RunStopped: When somebody stops it.
        SandboxError: When none can be had.
    """
    try:
        run.known.flaky = found = await find_flaky(run, context, question)
    except UsageError as error:
        raise Concluded(Verdict.INFRASTRUCTURE, str(error)) from error
    raise Concluded(Verdict.EXPLAINED, opening(found), context)


async def with_flaky_goal(run: Run, context: RepairContext) -> RepairContext | None:
    """Return the tree with a failing command that always fails: what shows a flaky test's cause.

    None where nobody is to repair flaky tests, or nothing was shown to decide.

    Args:
        run: Of it; what its attempts have to mend is kept there.
        context: The prepared tree.
    """
    goal = goal_of(run.known.flaky) if run.job.mends_flaky else None
    if goal is None:
        return None
    suite = context.commands.failing if run.job.failing else context.commands.test
    run.known.flaky_goal, command = replace(goal, suite=suite), goal.cause.command
    if not run.ladder:
        run.known.flaky_goal = None
        return None
    room = context.clean_room(run)
    seen = await run.steps(
        "flaky: red", room.observe, f"{run.job.run_id}-flaky-red", command, Patch()
    )
    reason = reasons.fails_every_time(command)
    run.known.reproduction = Reproduction(Cause.REAL, seen, reason=reason, runs=(seen.exit_code,))
    return replace(context, commands=replace(context.commands, failing=command))


def goal_of(found: FlakyFindings | None) -> FlakyGoal | None:
    """Return the first test with a shown cause: the cause first of which it is known what stays behind."""
    tests = found.tests if found is not None else ()
    shown = next((test for test in tests if test.causes), None)
    if shown is None:
        return None
    first, *more = sorted(shown.causes, key=lambda cause: not cause.state)
    return FlakyGoal(shown.test, first, more=tuple(more))
