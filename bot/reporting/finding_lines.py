"""Findings of the guards at a terminal: one line each, and what they ask of a person."""

from __future__ import annotations

from collections.abc import Iterable

from bot.model import GuardFinding, Severity
from bot.reporting.example import example
from bot.reporting.figures import count

_WEIGHT = {
    Severity.REJECT: "Rejected",
    Severity.NEEDS_PERSON: "Please check",
    Severity.NOTE: "Note",
}


@example(1)
@example(2)
def before_use(points: int) -> str:
    """Say that a person has to look before the patch is used."""
    return (
        f"A person has to check {count(points, 'point')} before this patch is used, "
        "so the exit code is 3."
    )


def finding_lines(findings: Iterable[GuardFinding]) -> list[str]:
    """Return a line for each finding, the gravest first; what it quotes is not made printable."""
    order = list(Severity)
    return [
        _line(guard_finding)
        for guard_finding in sorted(findings, key=lambda finding: order.index(finding.severity))
    ]


def _line(finding: GuardFinding) -> str:
    place = ""
    if finding.file is not None:
        place = f" {finding.file}:{finding.line}" if finding.line else f" {finding.file}"
    return f"{_WEIGHT[finding.severity]} [{finding.rule}]{place}: {finding.message}"
