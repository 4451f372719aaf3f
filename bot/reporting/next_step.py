"""Derive from the evidence what a person should do next."""

from __future__ import annotations

from typing import assert_never

from bot.model import Failure, Report, Verdict
from bot.reporting.evidence import commit, named
from bot.reporting.markdown import code
from bot.reporting.proof import observation_of

_NAME_THE_COMMAND = '`/fix --test "COMMAND"`'


def next_step(report: Report, *, offers_more: bool = False) -> str:  # noqa: C901, PLR0911 - one case per verdict
    """Return the next thing for a person, as Markdown of one or two sentences.

    Args:
        report: Of the run.
        offers_more: Whether an approval lets a run go on whose budget is spent.
    """
    match report.verdict:
        case Verdict.FIXED:
            return "Review the patch."
        case Verdict.IMPROVED:
            return f"The patch below repairs a part. {_look(report)}"
        case Verdict.FLAKY:
            return f"Make the test stable first: a passing run proves nothing here. {_look(report)}"
        case Verdict.RED_ON_BASE:
            return f"Repair the base branch first, this change is not the cause. {_look(report)}"
        case Verdict.NOT_REPRODUCED:
            return _how_to_reproduce(report)
        case Verdict.INFRASTRUCTURE:
            return _how_to_set_up(report)
        case Verdict.GAVE_UP:
            return _look(report)
        case Verdict.BUDGET_SPENT:
            how = "`/fix approve`" if offers_more else "`/fix retry` with a larger budget"
            return f"{_look(report)} To go on, comment {how}."
        case Verdict.STOPPED:
            return "Comment `/fix retry` to start again."
        case Verdict.REFUSED:
            return "Change what is named above, then comment `/fix retry`."
        case _:
            assert_never(report.verdict)


def _look(report: Report) -> str:
    failure, observation = _first_failure(report), observation_of(report)
    if failure is not None:
        why = f": {code(failure.message, limit=240)}" if failure.message.strip() else ""
        return f"Look at {named(failure)}{why}."
    if observation is not None:
        return f"Run {code(observation.command)} and read its output."
    return "Read the server's log of this run."


def _first_failure(report: Report) -> Failure | None:
    """Return the first failure that names a place, else the first."""
    observation = observation_of(report)
    failing = observation.failing if observation is not None else ()
    return next((failure for failure in failing if failure.file), failing[0] if failing else None)


def _how_to_reproduce(report: Report) -> str:
    if report.commands is None:
        return f"Name the command that fails with {_NAME_THE_COMMAND}."
    return (
        f"Name the command that fails with {_NAME_THE_COMMAND}, "
        f"or add a test that shows the problem at {commit(report.head)}."
    )


def _how_to_set_up(report: Report) -> str:
    reproduction = report.reproduction
    printed = reproduction.setup_output.split("\n") if reproduction is not None else []
    last = next((line for line in reversed(printed) if line.strip()), "")
    if not last:
        return "Remove the cause that is named above, then comment `/fix retry`."
    return (
        f"The setup ended with {code(last, limit=240)}. "
        "Correct `setup` in `.github/fixpoint.yml`, then comment `/fix retry`."
    )
