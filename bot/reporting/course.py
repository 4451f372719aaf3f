"""Tell the attempts of a run: what each did and used, and what the run took note of."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model import Report
from bot.reporting.batch_table import batch_table
from bot.reporting.evidence import attempts_table
from bot.reporting.figures import count
from bot.reporting.markdown import Section, bullets, details
from bot.reporting.model_choices import models_shown
from bot.reporting.plan import folded
from bot.reporting.proof import observation_of
from bot.reporting.prose import line

_MOST_NOTES = 20


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
        *(folded(one.n, one.proposal.plan) for one in report.attempts),
    )
    return "\n\n".join(filter(None, told))
