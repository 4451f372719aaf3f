"""The run as plain lines, one per event worth one, for pipes and logs of a build."""

from __future__ import annotations

from typing import assert_never

from bot.repair.model import Attempt, Report
from bot.repair.progress import (
    AttemptFinished,
    CommandOutput,
    CommandsFound,
    Noticed,
    PhaseStarted,
    Progress,
    Reproduced,
    RunFinished,
    TurnFinished,
    Verified,
)
from bot.reporting.figures import count, duration, money
from bot.reporting.outcome import judgement
from bot.reporting.plain import printable


def progress_line(event: Progress) -> str | None:  # noqa: PLR0911 - one case per event
    """Return the event as one printable line, or None when it is not worth one."""
    match event:
        case PhaseStarted(phase, attempt, detail):
            number = f" {attempt}" if attempt is not None else ""
            return printable(f"{phase}{number}{f': {detail}' if detail else ''}")
        case CommandsFound(commands):
            found_out = " ".join(commands.explanation)
            return printable(f"failing command: {commands.failing}. {found_out}", limit=1_000)
        case Reproduced(reproduction):
            return printable(f"reproduction: {reproduction.cause}. {reproduction.reason}")
        case Noticed(text):
            return printable(text)
        case Verified(attempt, verification):
            return f"attempt {attempt} verified: {judgement(verification)}"
        case AttemptFinished(attempt):
            return _attempt(attempt)
        case RunFinished(report):
            return _report(report)
        case CommandOutput() | TurnFinished():
            return None
        case _:
            assert_never(event)


def _attempt(attempt: Attempt) -> str:
    usage = attempt.proposal.usage
    spent = f"{count(usage.tokens, 'token')}, {money(usage.cost_usd)}"
    return f"attempt {attempt.n} finished: {duration(attempt.seconds)}, {spent}"


def _report(report: Report) -> str:
    spent = f"{count(report.usage.tokens, 'token')}, {money(report.usage.cost_usd)}"
    return printable(f"{report.verdict}: {report.reason} ({duration(report.seconds)}, {spent})")
