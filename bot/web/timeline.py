"""The events of a run as people read them: what came first, each attempt with all that belongs to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.model.events import EventType, KeptEvent
from bot.model.progress import Phase

_OPENS = frozenset({Phase.ATTEMPT.value, Phase.WRITE_TEST.value})


@dataclass(slots=True)
class TimelineEntry:
    """One line of the timeline, or an attempt with its own lines.

    Attributes:
        number: Of its event.
        kind: The event's type, or `group` for what has lines of its own.
        at: UTC.
        data: Of the event; of a group, of its end, or empty while it lasts.
        title: Of a group: `attempt 1`.
        detail: Of a group: who proposes.
        entries: Of a group: its lines, in order.
        ended: Of a group: when it ended, or None.
        command: Of a group: the failing command that it has to make pass, or "".
        plan: Of a group: the steps of its model's plan as they stand.
        beside: Of a group: the attempts that are made at the same time, as they stand.
        seconds: Since what came before it in the run; of a model's turn, about what it took.
    """

    number: int
    kind: str
    at: datetime
    data: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    detail: str = ""
    entries: list[TimelineEntry] = field(default_factory=list)
    ended: datetime | None = None
    command: str = ""
    plan: Sequence[Mapping[str, Any]] = ()
    beside: Sequence[Mapping[str, Any]] = ()
    seconds: float = 0.0

    @property
    def cost(self) -> tuple[int, float | None]:
        """Tokens and dollars of a group so far."""
        if self.beside:
            return _sum(self.beside)
        turns = [entry.data for entry in self.entries if entry.kind == EventType.TURN]
        told = self.data or (turns[-1] if turns else {"tokens": 0, "cost_usd": 0.0})
        return told["tokens"], told["cost_usd"]

    @property
    def last_words(self) -> str:
        """What the model said last in a group."""
        turns = [entry.data for entry in self.entries if entry.kind == EventType.TURN]
        return str(turns[-1]["said"]) if turns else ""

    @property
    def tests(self) -> list[tuple[str, str]]:
        """What became of each test that failed before an attempt or with its patch.

        Pairs of a test and `repaired`, `still fails` or `newly fails`; empty where it was not run.
        """
        after = self.data.get("failing_after")
        if after is None:
            return []
        before = self.data["failing_before"]
        kept = [(item, "still fails" if item in set(after) else "repaired") for item in before]
        return kept + [(item, "newly fails") for item in after if item not in set(before)]


def timeline(events: Iterable[KeptEvent]) -> list[TimelineEntry]:
    """Return the entries of a run, in order. Pure; output is left out."""
    found: list[TimelineEntry] = []
    group: TimelineEntry | None = None
    command, reason, before = "", "", None
    for event in events:
        entry = TimelineEntry(event.number, event.type.value, event.at, event.data)
        entry.seconds = 0.0 if before is None else (event.at - before).total_seconds()
        before = event.at
        if event.type is EventType.COMMANDS:
            command = str(event.data["failing"])
        if event.type is EventType.FINISHED:
            reason = event.data["reason"]
        elif event.type is EventType.STATUS and event.data["reason"] == reason:
            entry.data = {**event.data, "reason": ""}  # it has just been said
        match event.type:
            case EventType.OUTPUT | EventType.PLAN | EventType.SIDE_BY_SIDE:
                _show(group, event)
                continue
            case EventType.PHASE if event.data["phase"] in _OPENS:
                _leave(group, event)
                group = _opened(event, command)
                found.append(group)
                continue
            case EventType.ATTEMPT if group is not None:
                group.data, group.ended = event.data, event.at
                group = None
                continue
            case EventType.STATUS | EventType.FINISHED | EventType.COMMANDS | EventType.REPRODUCED:
                _leave(group, event)
                group = None
            case _:
                pass
        (found if group is None else group.entries).append(entry)
    return found


def _show(group: TimelineEntry | None, event: KeptEvent) -> None:
    """Have an attempt, or several at the same time, show how far they are: of these, the newest counts."""
    if group is None:
        return
    if event.type is EventType.PLAN:
        group.plan = event.data["steps"]
    elif event.type is EventType.SIDE_BY_SIDE:
        group.beside = event.data["attempts"]


def _sum(attempts: Sequence[Mapping[str, Any]]) -> tuple[int, float | None]:
    """Return tokens and dollars of attempts; no dollars where a price is not known."""
    costs = [attempt["cost_usd"] for attempt in attempts]
    known = [cost for cost in costs if cost is not None]
    total = sum(known) if len(known) == len(costs) else None
    return sum(attempt["tokens"] for attempt in attempts), total


def _leave(group: TimelineEntry | None, event: KeptEvent) -> None:
    """Close an attempt that came to nothing, or that a stop cut short."""
    if group is not None:
        group.ended = event.at
        group.beside = ()


def _opened(event: KeptEvent, command: str) -> TimelineEntry:
    phase, number = event.data["phase"], event.data["attempt"]
    title = phase if number is None else f"{phase} {number}"
    return TimelineEntry(
        event.number,
        "group",
        event.at,
        title=title,
        detail=str(event.data["detail"] or ""),
        command=command,
    )
