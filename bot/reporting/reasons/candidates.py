"""Attempts side by side: how they began, and why one patch was taken."""

from __future__ import annotations

from decimal import Decimal

from bot.reporting.example import example
from bot.reporting.figures import cap


@example(2, 4, Decimal("0.50"))
@example(1, 3, None)
def begun(first: int, last: int, share: Decimal | None) -> str:
    """Attempts begin side by side, each with its share of what is left."""
    told = f"Attempts {first} to {last} are made side by side"
    return f"{told}." if share is None else f"{told}, each with {cap(share)} of the budget."


@example(2)
def stopped(accepted: int) -> str:
    """An attempt was under way when the patch of another one was believed."""
    return f"Stopped, because attempt {accepted} was accepted first."


@example(3, "smallest patch")
def preferred(chosen: int, why: str) -> str:
    """The patch passes, and another one was taken."""
    return f"attempt {chosen} was preferred: {why}"


@example()
def only_one() -> str:
    """No other patch passes."""
    return "no other patch passes"


@example()
def passes_tests() -> str:
    """It fails fewer of the other attempts' new tests."""
    return "it passes more of the other attempts' tests"


@example()
def agrees() -> str:
    """It behaves as most of the others where they differ."""
    return "it behaves like most of the others where they differ"


@example()
def leaves_less() -> str:
    """It has fewer findings that a person has to look at."""
    return "it leaves less for a person to check"


@example()
def notices_more() -> str:
    """The tests notice more of the small faults in its lines."""
    return "the tests cover its lines better"


@example()
def smallest() -> str:
    """It changes fewer lines."""
    return "smallest patch"


@example()
def first() -> str:
    """Nothing else tells the patches apart."""
    return "first of equals"
