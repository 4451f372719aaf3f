"""The run as plain lines, one per event worth one, for pipes and logs of a build."""

from __future__ import annotations

from typing import assert_never

from bot.model import Attempt, Limits, Report
from bot.model.progress import (
    AttemptFinished,
    CommandOutput,
    CommandsFound,
    Noticed,
    Phase,
    PhaseStarted,
    Planned,
    Progress,
    Reproduced,
    RunFinished,
    SideBySide,
    Specified,
    Spent,
    ToolUsed,
    TurnFinished,
    Verified,
)
from bot.reporting.figures import count, duration, money
from bot.reporting.outcome import verification_outcome
from bot.reporting.plain import printable
from bot.reporting.specification import plain_lines

_BELOW = " " * 14
"""Where the text of a line begins, behind its time."""


def progress_line(event: Progress, limits: Limits) -> str | None:  # noqa: PLR0911 - one case per event
    """Return the event as a printable line, or None when it is not worth one; a specification has several.

    Args:
        event: What happened.
        limits: The run's budget.
    """
    match event:
        case PhaseStarted(phase, attempt, detail):
            number = f" {attempt}" if attempt is not None else ""
            named = printable(f"{phase}{number}{f': {detail}' if detail else ''}")
            return f"{named}{longest(phase, limits)}"
        case CommandsFound(commands):
            found_out = " ".join(commands.explanation)
            return printable(f"failing command: {commands.failing}. {found_out}", limit=1_000)
        case Reproduced(reproduction):
            return printable(f"reproduction: {reproduction.cause}. {reproduction.reason}")
        case Specified(specification):
            return "\n".join(plain_lines(specification)).replace("\n", f"\n{_BELOW}")
        case Noticed(text):
            return printable(text)
        case Verified(attempt, verification):
            return f"attempt {attempt} verified: {verification_outcome(verification)}"
        case AttemptFinished(attempt):
            return _attempt(attempt)
        case RunFinished(report):
            return _report(report)
        case CommandOutput() | TurnFinished() | ToolUsed() | Planned() | SideBySide() | Spent():
            return None
        case _:
            assert_never(event)


def longest(phase: Phase, limits: Limits) -> str:
    """Return how long a phase's command may run, in brackets; "" where nobody has to wait so long.

    A command that hangs prints nothing: this says when it will be ended.
    """
    if phase is not Phase.REPRODUCE:
        return ""
    return f" (up to {duration(limits.observation_seconds)} per run)"


def _attempt(attempt: Attempt) -> str:
    usage = attempt.proposal.usage
    spent = f"{count(usage.tokens, 'token')}, {money(usage.cost_usd)}"
    return f"attempt {attempt.n} finished: {duration(attempt.seconds)}, {spent}"


def _report(report: Report) -> str:
    spent = f"{count(report.usage.tokens, 'token')}, {money(report.usage.cost_usd)}"
    return printable(f"{report.verdict}: {report.reason} ({duration(report.seconds)}, {spent})")
