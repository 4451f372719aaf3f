"""The spans of a run that is over, read from its events: they outlive every process that worked on it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.model.events import EventType, KeptEvent
from bot.model.progress import Phase
from bot.telemetry import span
from bot.telemetry.place import ROOT, phase_key, tool_key
from bot.telemetry.span import AttributeValue, SpanData

_AGENT = "agent"
_WAITS = {"queued": "waiting in the queue", "waiting": "waiting for a person"}


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known of a run besides its events.

    Attributes:
        run_id: Of the run.
        began: When it was asked for.
        ended: When it was over.
        attributes: Of its first span.
        error: Why it ended without a result, or "".
    """

    run_id: str
    began: datetime
    ended: datetime
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    error: str = ""


def run_spans(
    facts: RunFacts, events: Iterable[KeptEvent], *, with_content: bool = False
) -> tuple[SpanData, ...]:
    """Return the run's first span, and those of its phases, attempts, tools and waits.

    Args:
        facts: Of the run.
        events: All of them but output, in order.
        with_content: Whether they say what tools were asked and what phases work on.
    """
    story = _Story(facts, with_content=with_content)
    for event in events:
        story.take(event)
    return story.told()


@dataclass
class _Open:
    """A span that has not ended."""

    key: str
    name: str
    parent: str
    began: float
    attributes: dict[str, AttributeValue]
    attempt: int | None = None
    error: str = ""


class _Story:
    """Reads events one after the other."""

    def __init__(self, facts: RunFacts, *, with_content: bool) -> None:
        self._facts = facts
        self._with_content = with_content
        self._spans: list[SpanData] = []
        self._attempt: _Open | None = None
        self._phase: _Open | None = None
        self._waits: _Open | None = None
        self._numbers: Counter[tuple[str, int | None]] = Counter()
        self._turn = (0, 0)

    def take(self, event: KeptEvent) -> None:
        """Go on with the next event."""
        at, data = event.at.timestamp(), event.data
        match event.type:
            case EventType.STATUS:
                self._take_status(data, at)
            case EventType.PHASE:
                self._take_phase(data, at)
            case EventType.TOOL:
                self._take_tool(data, at)
            case EventType.ATTEMPT:
                self._end_attempt(at, data)
            case EventType.FINISHED:
                self._end_attempt(at)
            case _:
                pass

    def told(self) -> tuple[SpanData, ...]:
        """Return all spans; what is open ends with the run."""
        facts, end = self._facts, self._facts.ended.timestamp()
        self._end_attempt(end)
        self._end(self._waits, end)
        root = SpanData(
            facts.run_id,
            "invoke_workflow fix",
            "",
            facts.began.timestamp(),
            end,
            ROOT,
            {span.OPERATION: "invoke_workflow", span.WORKFLOW: "fix", **facts.attributes},
            error=facts.error,
        )
        return (*self._spans, root)

    def _take_status(self, data: Mapping[str, Any], at: float) -> None:
        self._end(self._waits, at)
        self._waits = None
        status = str(data["status"])
        if status in _WAITS:
            self._numbers[status, None] += 1
            key = phase_key(status, None, self._numbers[status, None])
            self._waits = _Open(key, _WAITS[status], ROOT, at, {})

    def _take_phase(self, data: Mapping[str, Any], at: float) -> None:
        phase, attempt = str(data["phase"]), data["attempt"]
        self._numbers[phase, attempt] += 1
        key = phase_key(phase, attempt, self._numbers[phase, attempt])
        self._end(self._phase, at)
        self._phase = None
        inside = self._attempt is not None and attempt == self._attempt.attempt
        if phase == Phase.ATTEMPT or not inside:
            self._end_attempt(at)
        attributes: dict[str, AttributeValue] = {"fixpoint.phase": phase}
        if attempt is not None:
            attributes["fixpoint.attempt"] = attempt
        if phase == Phase.ATTEMPT:
            name, more = _attempt(str(data["detail"]))
            self._attempt = _Open(key, name, ROOT, at, {**attributes, **more}, attempt)
            return
        if data["detail"] and self._with_content:
            attributes["fixpoint.detail"] = str(data["detail"])
        above = ROOT if self._attempt is None else self._attempt.key
        self._phase = _Open(key, phase, above, at, attributes, attempt)

    def _take_tool(self, data: Mapping[str, Any], at: float) -> None:
        turn, used = int(data["turn"]), self._turn[1] if self._turn[0] == data["turn"] else 0
        self._turn = turn, used + 1
        inside = self._phase or self._attempt
        parent = ROOT if inside is None else inside.key
        attributes: dict[str, AttributeValue] = {
            span.OPERATION: "execute_tool",
            span.TOOL: str(data["tool"]),
            span.TOOL_TYPE: "function",
            "fixpoint.turn": turn,
        }
        if self._with_content:
            attributes[span.TOOL_ARGUMENTS] = json.dumps(data["asked"], ensure_ascii=False)
            attributes[span.TOOL_RESULT] = str(data["answer"])
        failed = "The model was told that it failed." if data["failed"] else ""
        if failed:
            attributes[span.ERROR_TYPE] = "tool_error"
        self._spans.append(
            SpanData(
                self._facts.run_id,
                f"execute_tool {data['tool']}",
                parent,
                at - float(data.get("seconds", 0.0)),
                at,
                tool_key(parent, turn, used + 1),
                attributes,
                error=failed,
            )
        )

    def _end_attempt(self, at: float, data: Mapping[str, Any] | None = None) -> None:
        self._end(self._phase, at)
        if self._attempt is not None and data is not None:
            self._attempt.attributes |= {
                "fixpoint.accepted": str(data["accepted"]).lower(),
                "fixpoint.outcome": str(data["outcome"]),
            }
        self._end(self._attempt, at)
        self._phase = self._attempt = None

    def _end(self, opened: _Open | None, at: float) -> None:
        if opened is not None:
            self._spans.append(
                SpanData(
                    self._facts.run_id,
                    opened.name,
                    opened.parent,
                    opened.began,
                    max(at, opened.began),
                    opened.key,
                    opened.attributes,
                )
            )


def _attempt(proposer: str) -> tuple[str, dict[str, AttributeValue]]:
    """Return the name and attributes of an attempt's span."""
    more: dict[str, AttributeValue] = {"fixpoint.proposer": proposer}
    if proposer != _AGENT:
        return f"attempt {proposer}", more
    return "invoke_agent fixpoint", {**more, span.OPERATION: "invoke_agent", span.AGENT: "fixpoint"}
