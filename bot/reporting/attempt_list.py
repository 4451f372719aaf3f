"""Tell the attempts of a run: what each did and used, and what the run took note of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from bot.model import Attempt, Report
from bot.model.route import Approach, Route
from bot.reporting.evidence import attempts_table
from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.markdown import Section, bullets, code, details, escape, table
from bot.reporting.outcome import outcome
from bot.reporting.plan import folded
from bot.reporting.proof import observation_of
from bot.reporting.prose import line
from bot.reporting.reasons import agent
from bot.reporting.reasons import attempts as reasons

_MOST_NOTES = 20
_LONGEST = 600
"""Characters of a sentence that lists what an attempt used."""
_HEADER = (
    "#",
    "Model",
    "Temperature",
    "Began with",
    "Like most where patches differ",
    "Others' tests passed",
    "Result",
)


def attempts_section(report: Report) -> Section:
    """Return the attempts of a run, of which there is at least one, below a heading."""
    return Section(
        (
            f"### Attempts\n\n{_attempts(report)}",
            f"### Attempts\n\n{count(len(report.attempts), 'attempt')}.",
        ),
        rank=6,
    )


def notes_of(report: Report) -> list[str]:
    """Return the run's notes as lines of Markdown."""
    return [line(note) for note in report.notes[:_MOST_NOTES]]


def course(report: Report) -> str:
    """Return attempts and notes folded up, for comments that are not the report; or ""."""
    notes = notes_of(report)
    text = _attempts(report, notes) if report.attempts else bullets(notes)
    return details("Attempts and notes", text) if text else ""


def _attempts(report: Report, notes: Sequence[str] = ()) -> str:
    observation = observation_of(report)
    command = observation.command if observation is not None else ""
    told = (
        attempts_table(report.attempts, command),
        bullets([*models_shown(report.attempts), *notes]),
        batch_table(report.attempts),
        *(folded(attempt.n, attempt.proposal.plan) for attempt in report.attempts),
    )
    return "\n\n".join(filter(None, told))


def _model_choices(attempts: Sequence[Attempt]) -> tuple[str, ...]:
    """Return a sentence for each attempt for which a model was chosen."""
    return tuple(
        reasons.asked(attempt.n, attempt.proposal.model or "", attempt.route.reason)
        for attempt in attempts
        if attempt.route is not None and attempt.route.reason
    )


def models_shown(attempts: Sequence[Attempt]) -> list[str]:
    """Return what models did as lines of Markdown."""
    return [line(said, limit=_LONGEST) for said in what_models_did(attempts)]


def what_models_did(attempts: Sequence[Attempt]) -> tuple[str, ...]:
    """Return why attempts asked their models, and what each of them used."""
    used = [
        agent.attempt_used(attempt.n, attempt.proposal.used)
        for attempt in attempts
        if attempt.proposal.used
    ]
    return (*_model_choices(attempts), *used)


def batch_table(attempts: Sequence[Attempt]) -> str:
    """Return a table of the attempts that were made side by side; "" where there are none."""
    rows = [
        _row(attempt, attempt.route)
        for attempt in attempts
        if attempt.route is not None and attempt.route.batch
    ]
    return f"Made side by side:\n\n{table(_HEADER, rows)}" if rows else ""


@example(Approach.OPEN)
@example(Approach.CAUSE)
@example(Approach.CALLERS)
@example(Approach.EXAMPLES)
def began_with(approach: Approach) -> str:
    """Where a model was told to begin."""
    match approach:
        case Approach.OPEN:
            return "its own choice"
        case Approach.CAUSE:
            return "the first wrong value"
        case Approach.CALLERS:
            return "the callers"
        case Approach.EXAMPLES:
            return "similar code that works"
        case _:
            assert_never(approach)


def _row(attempt: Attempt, route: Route) -> tuple[str, ...]:
    standing, model = attempt.standing, attempt.proposal.model
    agreed = (
        f"{standing.agreed} of {standing.inputs} inputs" if standing and standing.inputs else ""
    )
    crossed = f"{standing.passed} of {standing.tests}" if standing and standing.tests else ""
    return (
        str(attempt.n),
        code(model) if model else "",
        "" if route.temperature is None else f"{route.temperature:g}",
        began_with(route.approach),
        agreed,
        crossed,
        escape(_result(attempt)),
    )


def _result(attempt: Attempt) -> str:
    if attempt.accepted:
        why = attempt.standing.why if attempt.standing is not None else ""
        return f"taken: {why}" if why else "taken"
    return outcome(attempt)
