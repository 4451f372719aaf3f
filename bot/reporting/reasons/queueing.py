"""Where a run is in the queue, and how long it will wait."""

from __future__ import annotations

from bot.model.waiting_time import QueuePosition
from bot.reporting.example import example
from bot.reporting.figures import about, count


@example(QueuePosition(4, 700.0))
@example(QueuePosition(1, 20.0))
@example(QueuePosition(30, 9000.0))
@example(QueuePosition(2, None))
def standing(at: QueuePosition) -> str:
    """All places are taken."""
    ahead = at.place - 1
    first = (
        "This run is next" if ahead == 0 else f"{count(ahead, 'run')} will start before this one"
    )
    if at.seconds is None:
        return f"Queued. {first}."
    return f"Queued, about {about(at.seconds)}. {first}."


@example()
def checks_put_off() -> str:
    """So many runs wait that failed checks start no more for now."""
    return "The queue is full. A run will start by itself once it is shorter."
