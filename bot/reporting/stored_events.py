"""What the engine reports, as events that outlive it: JSON values with the keys of docs/api.md."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, assert_never

from bot.model import Report, Usage, Verification
from bot.model.events import EventType, RunEvent
from bot.model.progress import (
    AttemptFinished,
    CommandOutput,
    CommandsFound,
    Explained,
    Noticed,
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
    UnderWay,
    Verified,
)
from bot.model.untrusted import clip
from bot.redaction import Redactor
from bot.reporting import what_changed
from bot.reporting.json_evidence import specification_part
from bot.reporting.json_report import (
    accepted_value,
    attempt_part,
    commands_part,
    cost_value,
    finding_part,
    name_value,
    plan_part,
    reproduction_part,
)

_LONGEST = 60_000
"""Characters of one text of an event."""

_MOST_ITEMS = 500
"""Of one list of an event."""

_LONGEST_ITEM = 2_000
"""Characters of one text in a list: hundreds of names of tests are no longer than one output."""


def told(event: Progress, redactor: Redactor) -> RunEvent | None:
    """Return an event of the engine as it is kept: redacted, and no longer than it may be.

    What was spent is not kept as an event: the run's own figures have it.
    """
    found = _told(redactor.frozen(event), redactor)
    if found is None:
        return None
    kind, data = found
    return RunEvent(kind, {name: _bounded(value) for name, value in data.items()})


def _told(event: Progress, redactor: Redactor) -> tuple[EventType, dict[str, Any]] | None:  # noqa: C901, PLR0911, PLR0912 - one case per event
    match event:
        case PhaseStarted(phase, attempt, detail):
            return EventType.PHASE, {"phase": phase.value, "attempt": attempt, "detail": detail}
        case CommandsFound(commands):
            return EventType.COMMANDS, commands_part(commands) or {}
        case CommandOutput(text):
            return EventType.OUTPUT, {"text": text}
        case Reproduced(reproduction):
            told_of = reproduction_part(reproduction, redactor) or {}
            observation = reproduction.observation
            output = observation.output if observation is not None else ""
            more = {"reason": reproduction.reason, "output": output}
            return EventType.REPRODUCED, {**told_of, **more}
        case Explained(found):
            return EventType.EXPLAINED, what_changed.json_value(found)
        case Specified(specification):
            return EventType.SPECIFICATION, specification_part(specification) or {}
        case TurnFinished():
            return EventType.TURN, {**_fields(event, "usage", "calls"), **_usage(event.usage)}
        case ToolUsed():
            return EventType.TOOL, {**_fields(event), "asked": dict(event.asked)}
        case Planned(attempt, steps):
            return EventType.PLAN, {"attempt": attempt, "steps": plan_part(steps)}
        case SideBySide(attempts):
            return EventType.SIDE_BY_SIDE, {
                "attempts": [_under_way(attempt) for attempt in attempts]
            }
        case Spent():
            return None
        case Noticed(text):
            return EventType.NOTE, {"text": text}
        case Verified(attempt, verification):
            return EventType.VERIFIED, {"attempt": attempt, **_verification(verification)}
        case AttemptFinished(attempt):
            output = ""
            if attempt.verification is not None and attempt.verification.target is not None:
                output = attempt.verification.target.output
            return EventType.ATTEMPT, {**attempt_part(attempt, redactor), "output": output}
        case RunFinished(report):
            return EventType.FINISHED, _report(report)
        case _:
            assert_never(event)


def _fields(event: TurnFinished | ToolUsed | UnderWay, *but: str) -> dict[str, Any]:
    """Return an event's fields, which are called as docs/api.md calls them."""
    data = {
        field.name: getattr(event, field.name) for field in fields(event) if field.name not in but
    }
    if "seconds" in data:
        data["seconds"] = round(data["seconds"], 3)
    return data


def _under_way(attempt: UnderWay) -> dict[str, Any]:
    shown = {"phase": attempt.phase.value, "plan": plan_part(attempt.plan)}
    return {**_fields(attempt, "usage"), **shown, **_usage(attempt.usage)}


def _verification(verification: Verification) -> dict[str, Any]:
    target = verification.target
    return {
        "accepted": accepted_value(verification.acceptance),
        "exit_code": target.exit_code if target is not None else None,
        "failing": [failure.test for failure in target.failing] if target is not None else None,
        "new_failures": [failure.test for failure in verification.new_failures],
        "guard_findings": [finding_part(finding) for finding in verification.findings],
        "problem": verification.problem,
    }


def _report(report: Report) -> dict[str, Any]:
    return {
        "verdict": name_value(report.verdict),
        "reason": report.reason,
        "seconds": round(report.seconds, 3),
        **_usage(report.usage),
    }


def _usage(usage: Usage) -> dict[str, Any]:
    return {"tokens": usage.tokens, "cost_usd": cost_value(usage.cost_usd)}


def _bounded(value: Any, longest: int = _LONGEST) -> Any:
    """Return a value without the middle of what is too long."""
    match value:
        case str():
            return clip(value, longest)
        case dict():
            return {name: _bounded(key, longest) for name, key in value.items()}
        case list() | tuple():
            return [_bounded(item, _LONGEST_ITEM) for item in value[:_MOST_ITEMS]]
        case _:
            return value
