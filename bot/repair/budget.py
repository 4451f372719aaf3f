"""Decide whether a run may spend more."""

from __future__ import annotations

from decimal import Decimal

from bot.repair.model import Limits, Usage


def used_up(limits: Limits, spent: Usage, *, now: float, deadline: float) -> str | None:
    """Return which cap of the budget is reached, as a sentence, or None.

    Args:
        limits: Of the run.
        spent: By the whole run so far.
        now: `time.time()`.
        deadline: When the run's wall time is over, on the same clock.
    """
    if now >= deadline:
        return f"The time budget of {limits.seconds:g} s is used up."
    if limits.tokens is not None and spent.tokens >= limits.tokens:
        return f"The token budget of {limits.tokens:,} is used up ({spent.tokens:,} spent)."
    if limits.cost_usd is not None and (spent.cost_usd or Decimal(0)) >= limits.cost_usd:
        return f"The budget of ${limits.cost_usd} is used up (${spent.cost_usd:.4f} spent)."
    return None


def too_dear(limits: Limits, spent: Usage, worst_case: Decimal | None) -> str | None:
    """Return why the next call could exceed the budget, as a sentence, or None.

    Args:
        limits: Of the run.
        spent: By the whole run so far.
        worst_case: The most that the call can cost in USD; None when its price is unknown.
    """
    if limits.cost_usd is None or worst_case is None or spent.cost_usd is None:
        return None
    if spent.cost_usd + worst_case <= limits.cost_usd:
        return None
    return (
        f"The next model call could cost ${worst_case:.4f}, "
        f"which the budget of ${limits.cost_usd} no longer covers (${spent.cost_usd:.4f} spent)."
    )
