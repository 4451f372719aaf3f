"""What a run says of flaky tests: of its own failure that comes and goes, or of all where that is asked."""

from __future__ import annotations

from bot.errors import BudgetExhausted, RunStopped, UsageError
from bot.model import Verdict
from bot.model.observation import names_test
from bot.repair.flaky.find_flaky import FEW, FlakyQuestion, find_flaky
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


async def flaky_tests_told(run: Run, context: RepairContext) -> str:
    """Look for flaky tests among all, keep what was found, and return it in a line.

    Args:
        run: Of a request that asks for nothing else.
        context: The prepared tree.

    Raises:
        BudgetExhausted: When the time is up.
        Concluded: When the tests can't be looked at.
        RunStopped: When somebody stops it.
        SandboxError: When none can be had.
    """
    try:
        run.known.flaky = found = await find_flaky(run, context, FlakyQuestion())
    except UsageError as error:
        raise Concluded(Verdict.INFRASTRUCTURE, str(error)) from error
    return opening(found)
