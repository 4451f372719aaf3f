"""How long each phase of a run took, as one bar that is cut into pieces. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.model.events import EventType, KeptEvent
from bot.model.progress import Phase

WIDTH = 1000
_NARROWEST = 4.0
_MOST = 60


@dataclass(frozen=True, slots=True)
class Span:
    """One phase, or a time in which the run waited.

    Attributes:
        name: `attempt 2`, `queued`.
        kind: Decides its colour: `wait`, `attempt` or `work`.
        seconds: That it took so far.
        x: Of its left edge, of `WIDTH`.
        width: Of it.
    """

    name: str
    kind: str
    seconds: float
    x: float = 0.0
    width: float = 0.0


def phases(events: Iterable[KeptEvent], now: datetime) -> tuple[Span, ...]:
    """Return what a run did one after another, as far as its events tell.

    Args:
        events: In order; output may be left out.
        now: Ends the last phase of a run that is under way.
    """
    found: list[tuple[str, str, datetime]] = []
    end: datetime | None = None
    for event in events:
        told = _begun(event)
        if told == ("", ""):
            continue
        if told is None:
            end = event.at
            continue
        end = None
        if not found or found[-1][:2] != told:
            found.append((*told, event.at))
    if not found:
        return ()
    last = now if end is None else end
    ends = [*(at for _, _, at in found[1:]), last]
    spans = [
        Span(name, kind, max(0.0, (until - at).total_seconds()))
        for (name, kind, at), until in zip(found, ends, strict=True)
    ]
    return _placed(spans[:_MOST])


def _begun(event: KeptEvent) -> tuple[str, str] | None:
    """Return what begins with an event; None when all ends with it, empty when nothing does."""
    match event.type:
        case EventType.STATUS if event.data["status"] == "queued":
            return "queued", "wait"
        case EventType.STATUS if event.data["status"] == "waiting":
            return "waiting for a person", "wait"
        case EventType.STATUS if event.data["status"] == "done":
            return None
        case EventType.STATUS:
            return "starting", "work"
        case EventType.PHASE:
            name, number = event.data["phase"], event.data["attempt"]
            kind = "attempt" if name == Phase.ATTEMPT else "work"
            return (name if number is None else f"{name} {number}"), kind
        case _:
            return "", ""


def _placed(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return the pieces where they stand; each is wide enough to be seen."""
    whole = sum(span.seconds for span in spans)
    if not whole:
        return ()
    free = WIDTH - _NARROWEST * len(spans)
    x, placed = 0.0, []
    for span in spans:
        width = _NARROWEST + free * span.seconds / whole
        placed.append(Span(span.name, span.kind, span.seconds, round(x, 2), round(width, 2)))
        x += width
    return tuple(placed)
