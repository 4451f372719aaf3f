"""How amounts are written everywhere: money, durations, tokens, counts."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from math import ceil

from bot.model.observation import names_test
from bot.reporting.example import example
from bot.reporting.series import series

_SMALLEST_SHOWN = Decimal("0.0001")
_MINUTE = 60
_HOUR = 3600
_DAY = 86_400


@example(None)
@example(Decimal(0))
@example(Decimal("0.00001"))
@example(Decimal("1.5"))
def money(amount: Decimal | None) -> str:
    """Return US dollars with four decimals (`$0.0123`); `unknown cost` when there is no price."""
    if amount is None:
        return "unknown cost"
    if amount == 0:
        return "$0"
    if 0 < amount < _SMALLEST_SHOWN:
        return "less than $0.0001"
    return f"${amount:,.4f}"


@example(Decimal(2))
def cap(amount: Decimal) -> str:
    """Return a budget in US dollars with as many decimals as it needs, at least two (`$2.00`)."""
    whole, _, decimals = f"{amount:,f}".partition(".")
    return f"${whole}.{decimals.rstrip('0'):0<2}"


@example(0.4)
@example(12)
@example(184)
@example(3720)
def duration(seconds: float) -> str:
    """Return wall time as `0.4 s`, `12 s`, `3 min 04 s` or `1 h 02 min`."""
    if 0 < seconds < 1:
        return f"{max(seconds, 0.1):.1f} s"
    total = max(0, round(seconds))
    if total < _MINUTE:
        return f"{total} s"
    if total < _HOUR:
        return f"{total // _MINUTE} min {total % _MINUTE:02} s"
    return f"{total // _HOUR} h {total % _HOUR // _MINUTE:02} min"


@example(18.5)
@example(658)
@example(90_000)
def ago(seconds: float) -> str:
    """Return how long ago something was, in its largest unit: `11 min ago`."""
    total = max(0, round(seconds))
    if total < _MINUTE:
        return f"{total} s ago"
    if total < _HOUR:
        return f"{total // _MINUTE} min ago"
    if total < _DAY:
        return f"{total // _HOUR} h ago"
    return f"{count(total // _DAY, 'day')} ago"


@example(20.0)
@example(700.0)
@example(9000.0)
def about(seconds: float) -> str:
    """Return a time as people estimate it, in minutes or hours: `12 minutes`."""
    minutes = ceil(seconds / _MINUTE)
    if minutes <= _MINUTE:
        return count(max(1, minutes), "minute")
    return count(ceil(minutes / _MINUTE), "hour")


@example(1, "test")
@example(1204, "test")
def count(number: int, noun: str, plural: str = "") -> str:
    """Return the number with its noun: `1 test`, `1,204 tests`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


@example(["tests/test_a.py::test_b"])
@example(["src/a.py:3: E501", "src/a.py:9: F401"])
@example(["tests/test_a.py::test_b", "src/a.py:3: E501"])
def failures(ids: Iterable[str]) -> str:
    """Return how many tests fail, and how many problems linters and compilers report."""
    named = [names_test(each) for each in ids]
    tests, problems = named.count(True), named.count(False)
    said = [count(tests, "failing test")] if tests or not problems else []
    return series([*said, *([count(problems, "problem")] if problems else [])])
