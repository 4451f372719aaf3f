"""The pages of figures: how runs went by repository and day, and what they cost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

from aiohttp import web

from bot.model import Verdict
from bot.model.money.accounts import Account, AccountScope
from bot.model.money.caps import Caps
from bot.reporting.figures import count, duration, money
from bot.storage.ledger import Ledger
from bot.storage.run_figures import DayFigures, RunFigures
from bot.web.caller import CALLER, Caller, Scope
from bot.web.pages.frame import Frame

# Templates draw them as SVG, with a table of the same figures for who would rather read.

WIDTH_OF_DAY = 10
HEIGHT = 60
_GAP = 2


@dataclass(frozen=True, slots=True)
class Bar:
    """One day.

    Attributes:
        day: UTC.
        label: Its figure, as people read it.
        x: Of its left edge.
        width: Of it.
        height: Of the whole bar.
        part: Height of the part at its foot that is shown in another colour.
    """

    day: date
    label: str
    x: int
    width: int
    height: float
    part: float


@dataclass(frozen=True, slots=True)
class Chart:
    """All days.

    Attributes:
        title: What the bars are.
        summary: The whole month in a few words.
        highest: Label of the highest bar; "" when there is none.
        bars: The oldest first.
        figure: Heading of the column of the table.
    """

    title: str
    summary: str
    highest: str
    bars: tuple[Bar, ...]
    figure: str

    @property
    def width(self) -> int:
        """Of all bars."""
        return WIDTH_OF_DAY * len(self.bars)


def runs_chart(days: Sequence[DayFigures]) -> Chart:
    """Return how many runs ended, and how many of them were fixed."""
    fixed = [day.verdicts.get(Verdict.FIXED, 0) for day in days]
    runs, good = sum(day.runs for day in days), sum(fixed)
    rate = f", {100 * good // runs} % fixed" if runs else ""
    labels = [
        f"{count(day.runs, 'run')}, {some} fixed" for day, some in zip(days, fixed, strict=True)
    ]
    return _chart(
        "Runs, and those that were fixed",
        f"{count(runs, 'run')}{rate}",
        "Runs",
        days,
        labels,
        [day.runs for day in days],
        fixed,
    )


def attempts_chart(days: Sequence[DayFigures]) -> Chart:
    """Return how many attempts a run took."""
    means = [day.mean_attempts or 0.0 for day in days]
    known = [(day.runs, day.mean_attempts) for day in days if day.mean_attempts is not None]
    runs = sum(number for number, _ in known)
    mean = sum(number * item for number, item in known) / runs if runs else 0.0
    labels = [f"{entry:.1f} attempts per run" if entry else "no attempt" for entry in means]
    summary = f"{mean:.1f} per run" if runs else ""
    return _chart("Attempts per run", summary, "Attempts per run", days, labels, means)


def cost_chart(days: Sequence[DayFigures]) -> Chart:
    """Return what model calls cost."""
    total = sum((day.cost_usd for day in days), start=Decimal(0))
    return _chart(
        "Cost of model calls",
        f"{_dollars(total)} in all",
        "Cost",
        days,
        [_dollars(day.cost_usd) for day in days],
        [float(day.cost_usd) for day in days],
    )


def tokens_chart(days: Sequence[DayFigures]) -> Chart:
    """Return how many tokens models read and wrote."""
    return _chart(
        "Tokens",
        f"{count(sum(day.tokens for day in days), 'token')} in all",
        "Tokens",
        days,
        [count(day.tokens, "token") for day in days],
        [day.tokens for day in days],
    )


def time_chart(days: Sequence[DayFigures]) -> Chart:
    """Return how long a run took."""
    seconds = [day.median_seconds or 0.0 for day in days]
    known = sorted(second for second in seconds if second)
    return _chart(
        "Median time of a run",
        f"{duration(known[len(known) // 2])} on a usual day" if known else "",
        "Median time",
        days,
        [duration(second) if second else "no run" for second in seconds],
        seconds,
    )


def _dollars(amount: Decimal) -> str:
    return f"${amount:,.2f}" if amount >= 1 else money(amount)


def _chart(
    title: str,
    summary: str,
    figure: str,
    days: Sequence[DayFigures],
    labels: Sequence[str],
    values: Sequence[float],
    parts: Sequence[float] | None = None,
) -> Chart:
    most = max(values, default=0)
    scale = HEIGHT / most if most else 0.0
    lower = values if parts is None else parts
    bars = tuple(
        Bar(
            day.day,
            label,
            WIDTH_OF_DAY * place + _GAP // 2,
            WIDTH_OF_DAY - _GAP,
            round(value * scale, 2),
            round(part * scale, 2),
        )
        for place, (day, label, value, part) in enumerate(
            zip(days, labels, values, lower, strict=True)
        )
    )
    highest = labels[list(values).index(most)] if most else ""
    return Chart(title, summary if most else "nothing yet", highest, bars, figure)


class FigurePages:
    """Answers with figures of the repositories that the caller sees."""

    def __init__(self, frame: Frame, figures: RunFigures, ledger: Ledger, caps: Caps) -> None:
        self._frame = frame
        self._figures = figures
        self._ledger = ledger
        self._caps = caps

    async def repositories(self, request: web.Request) -> web.Response:
        """Show how runs went, by repository and by day."""
        caller = request[CALLER]
        caller.demand(Scope.READ)
        found, days = await asyncio.gather(
            self._figures.repositories(caller.sees), self._figures.days(caller.sees)
        )
        context = {"repositories": found, "charts": charts(days)}
        return self._frame.page(request, "repositories.html", "Repositories", context)

    async def money(self, request: web.Request) -> web.Response:
        """Show what was spent; the accounts that all share only to administrators."""
        caller = request[CALLER]
        caller.demand(Scope.READ)
        today = datetime.now(UTC).date()
        days, models, balances = await asyncio.gather(
            self._figures.days(caller.sees),
            self._figures.models(caller.sees),
            self._ledger.listed(self._caps, name=None, day=today.isoformat()),
        )
        shown = [balance for balance in balances if _may_see(caller, balance.account)]
        shown_charts = [cost_chart(days), tokens_chart(days)]
        context = {"charts": shown_charts, "models": models, "balances": shown}
        return self._frame.page(request, "money.html", "Money", context)


def charts(figures: tuple[DayFigures, ...]) -> list[Chart]:
    """Return success, attempts, cost and latency over time."""
    return [
        runs_chart(figures),
        attempts_chart(figures),
        cost_chart(figures),
        time_chart(figures),
    ]


def _may_see(caller: Caller, account: Account) -> bool:
    """Whether an account of a day is of a repository that the caller sees, or theirs to watch."""
    if account.scope is AccountScope.REPOSITORY:
        return caller.may_see(account.identity)
    return caller.may(Scope.ADMIN)
