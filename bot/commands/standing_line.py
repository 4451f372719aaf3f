"""The line at the bottom of `fixpoint watch`: where the run is, how long it takes, what it costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from bot.commands.remote import ToldEvent
from bot.reporting.figures import duration, money
from bot.reporting.plain import printable


@dataclass(slots=True)
class StandingLine:
    """What is known of a run from its events so far."""

    status: str = "queued"
    phase: str = ""
    attempt: int | None = None
    began: datetime | None = None
    _spent: dict[int, tuple[int, float | None]] = field(default_factory=dict)

    def take(self, event: ToldEvent) -> None:
        """Take note of what happened."""
        data = event.data
        match event.type:
            case "status":
                self.status = str(data["status"])
                if self.status == "running" and self.began is None:
                    self.began = datetime.fromisoformat(event.at)
            case "phase":
                self.phase, self.attempt = str(data["phase"]), data["attempt"]
            case "turn":
                self._spent[data["attempt"]] = (data["tokens"], data["cost_usd"])
            case "attempt":
                self._spent[data["n"]] = (data["tokens"], data["cost_usd"])
            case _:
                pass

    def text(self, now: datetime) -> str:
        """Return it as one printable line."""
        parts = [self.status]
        if self.phase and self.status == "running":
            number = "" if self.attempt is None else f" {self.attempt}"
            parts.append(f"{self.phase}{number}")
        if self.began is not None:
            parts.append(duration((now - self.began).total_seconds()))
        tokens = sum(item for item, _ in self._spent.values())
        if tokens:
            parts += [f"{tokens:,} tokens", money(self._cost())]
        return printable(" · ".join(parts))

    def _cost(self) -> Decimal | None:
        costs = [cost for _, cost in self._spent.values()]
        known = [Decimal(str(cost)) for cost in costs if cost is not None]
        return sum(known, Decimal(0)) if len(known) == len(costs) else None
