"""Derive from the evidence what a person should do next."""

from __future__ import annotations

from typing import assert_never

from bot.model import Failure, Report, RequestKind, Verdict
from bot.reporting.answering import APPROVE, RETRY, AnswerBy, about, ask
from bot.reporting.evidence import commit, named
from bot.reporting.markdown import code
from bot.reporting.proof import observation_of
from bot.reporting.prose import line

_RERUN = "Re-run the failed jobs on GitHub, unless that has begun: they may well pass."
_NAME_THE_COMMAND = '`/fix --test "COMMAND"`'


def next_step(  # noqa: C901, PLR0911 - one case per verdict
    report: Report, *, question: str = "", by: AnswerBy = AnswerBy.COMMENT
) -> str:
    """Return the next thing for a person, as Markdown of one or two sentences.

    Args:
        report: Of the run.
        question: Id of the one whose approval lets a run continue whose budget is used up, or "".
        by: How people answer it.
    """
    match report.verdict:
        case Verdict.FIXED:
            return "Review the patch."
        case Verdict.SUGGESTED:
            return _decide(report)
        case Verdict.IMPROVED:
            return f"The patch below is a partial fix. {_look(report)}"
        case Verdict.FLAKY:
            return f"Fix the flaky test first: passing once would prove nothing. {_look(report)}"
        case Verdict.RED_ON_BASE:
            return f"Fix the base branch first. {_look(report)}"
        case Verdict.NOT_REPRODUCED:
            return _how_to_reproduce(report, by)
        case Verdict.INFRASTRUCTURE:
            return _RERUN if report.rerun_may_help else _how_to_set_up(report, by)
        case Verdict.GAVE_UP:
            return _say_more() if report.kind is RequestKind.CHANGE else _look(report)
        case Verdict.BUDGET_SPENT:
            return f"{_look(report)} {_how_to_continue(by, question)}"
        case Verdict.STOPPED:
            return f"To start a new run, {ask(RETRY, by)}."
        case Verdict.REFUSED:
            return f"Fix the problem described above, then {ask(RETRY, by)}."
        case _:
            assert_never(report.verdict)


def _decide(report: Report) -> str:
    attempt = report.suggested_attempt
    assurance = attempt.proposal.assurance if attempt is not None else None
    deciding = line(assurance.deciding, limit=600) if assurance is not None else ""
    if attempt is not None and attempt.verification and attempt.verification.unconfirmed:
        deciding = "A test that runs the changed place would decide."
    return f"Check the suggested patch below before you use it. {deciding}".rstrip()


def _look(report: Report) -> str:
    failure, observation = _first_failure(report), observation_of(report)
    if failure is not None:
        why = f": {code(failure.message, limit=240)}" if failure.message.strip() else ""
        return f"Look at {named(failure)}{why}."
    if observation is not None:
        return f"Run {code(observation.command)} and check its output."
    return "Check the server's log for this run."


def _say_more() -> str:
    return "If something has to change, say what in a comment with `/fix <instructions>`."


def _first_failure(report: Report) -> Failure | None:
    """Return the first failure that names a place, else the first."""
    observation = observation_of(report)
    failing = observation.failing if observation is not None else ()
    return next((failure for failure in failing if failure.file), failing[0] if failing else None)


def _how_to_continue(by: AnswerBy, question: str) -> str:
    if question:
        return f"To extend the budget and continue, {ask(about(APPROVE, question), by)}."
    return (
        "To continue, raise the limit that was reached (`budget_usd`, `timeout` or `caps` in "
        f"`.github/fixpoint.yml`), then {ask(RETRY, by)}."
    )


def _how_to_reproduce(report: Report, by: AnswerBy) -> str:
    if by is AnswerBy.BUTTON:
        return f"Open an issue and comment {_NAME_THE_COMMAND} there with the failing command."
    if report.commands is None:
        return f"Comment {_NAME_THE_COMMAND} with the failing command."
    return (
        f"Comment {_NAME_THE_COMMAND} with the failing command, "
        f"or add a test that fails at {commit(report.head)}."
    )


def _how_to_set_up(report: Report, by: AnswerBy) -> str:
    reproduction = report.reproduction
    printed = reproduction.setup_output.split("\n") if reproduction is not None else []
    last = next((line for line in reversed(printed) if line.strip()), "")
    if not last:
        return f"Fix the problem described above, then {ask(RETRY, by)}."
    return (
        f"The setup output ended with {code(last, limit=240)}. "
        f"Correct `setup` in `.github/fixpoint.yml`, then {ask(RETRY, by)}."
    )
