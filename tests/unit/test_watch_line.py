"""The line at the bottom of `fixpoint watch`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bot.commands.watch import StandingLine, ToldEvent

NOW = datetime(2026, 3, 1, 12, 1, tzinfo=UTC)


def told(kind: str, **data: Any) -> ToldEvent:
    return ToldEvent(1, kind, "2026-03-01T12:00:30Z", data)


def test_it_says_where_the_run_is() -> None:
    """Its phase, how long it takes, and what all attempts cost together."""
    line = StandingLine()
    assert line.text(NOW) == "queued"
    line.take(told("status", status="running"))
    line.take(told("phase", phase="attempt", attempt=2, detail=""))
    assert line.text(NOW) == "running · attempt 2 · 30 s"
    line.take(told("attempt", n=1, tokens=1000, cost_usd=0.5))
    line.take(told("turn", attempt=2, tokens=10, cost_usd=0.01))
    line.take(told("turn", attempt=2, tokens=200, cost_usd=0.1))
    line.take(told("output", text="\x1b[31m"))
    assert line.text(NOW) == "running · attempt 2 · 30 s · 1,200 tokens · $0.6000"
    line.take(told("turn", attempt=2, tokens=300, cost_usd=None))
    line.take(told("status", status="waiting"))
    assert line.text(NOW) == "waiting · 30 s · 1,300 tokens · unknown cost"
