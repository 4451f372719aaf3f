"""Decide how many attempts are made side by side, how they differ, and what each may spend. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from bot.model import Limits, Usage
from bot.model.route import Approach, ModelStrength, Route, Rung
from bot.repair.attempts.routing.model_choice import money_left
from bot.repair.run import Run

_APPROACHES = (Approach.OPEN, Approach.OPEN, Approach.CAUSE, Approach.CALLERS, Approach.EXAMPLES)
"""In order, and again from the third: the first two differ by their model where there are two."""

_TEMPERATURES = (None, None, 0.7, 0.7, 0.7, 1.0, 1.0, 1.0)
"""Of each; the first ones keep the provider's own."""


def side_by_side(
    route: Route,
    rungs: Sequence[Rung],
    wanted: int,
    *,
    attempts_left: int,
    left: Decimal | None,
    batch: int,
) -> tuple[Route, ...]:
    """Return how each of the attempts asks a model; fewer than two: there is only `route`.

    Args:
        route: Of the next attempt, were it made alone.
        rungs: The models to choose from, small to large.
        wanted: How many attempts the repo config asks for.
        attempts_left: Of the budget: each of these attempts is one.
        left: Dollars that the run may still spend; None where nothing limits them.
        batch: Their common number, from 1.
    """
    prices = {rung.strength: rung.first_call_usd for rung in rungs}
    count = min(wanted, attempts_left)
    while count > 1 and not _covers(left, count, prices.get(route.strength)):
        count -= 1
    if count < 2:  # noqa: PLR2004 - one attempt is no batch
        return (route,)
    other = _other(rungs, route.strength)
    if other is not None and not _covers(left, count, prices[other]):
        other = None
    warm = {rung.strength for rung in rungs if rung.takes_temperature}
    routes = []
    for n in range(count):
        strength = other if n % 2 and other is not None else route.strength
        routes.append(
            replace(
                route,
                reason="" if n else route.reason,
                strength=strength,
                approach=_approach(n, alone=other is None),
                temperature=_TEMPERATURES[n % len(_TEMPERATURES)] if strength in warm else None,
                batch=batch,
            )
        )
    return tuple(routes)


def routes_of(run: Run, route: Route | None) -> tuple[Route | None, ...]:
    """Return how the next attempts of this run ask a model: one, or several side by side."""
    if route is None:
        return (None,)
    made = run.known.attempts
    return side_by_side(
        route,
        run.rungs,
        run.job.candidates,
        attempts_left=run.job.limits.attempts + len(run.job.earlier) - len(made),
        left=money_left(run),
        batch=1
        + max((attempt.route.batch for attempt in made if attempt.route is not None), default=0),
    )


def share_of(limits: Limits, spent: Usage, count: int) -> Limits:
    """Return the run's limits with what one of `count` attempts may spend of what is left."""
    usd = limits.cost_usd
    if usd is not None and spent.cost_usd is not None:
        usd = spent.cost_usd + (usd - spent.cost_usd) / count
    tokens = limits.tokens
    if tokens is not None:
        tokens = spent.tokens + (tokens - spent.tokens) // count
    return replace(limits, cost_usd=usd, tokens=tokens)


def _covers(left: Decimal | None, count: int, first_call: Decimal | None) -> bool:
    return left is None or first_call is None or first_call <= left / count


def _other(rungs: Sequence[Rung], strength: ModelStrength) -> ModelStrength | None:
    """Return the next larger model, or the next smaller one, if there is another."""
    strengths = [rung.strength for rung in rungs]
    if strength not in strengths or len(strengths) == 1:
        return None
    place = strengths.index(strength)
    return strengths[place + 1] if place + 1 < len(strengths) else strengths[place - 1]


def _approach(n: int, *, alone: bool) -> Approach:
    """Return where the n-th begins; with a single model only the first is left to itself."""
    told = _APPROACHES[2:]
    first = 1 if alone else 2
    return Approach.OPEN if n < first else told[(n - first) % len(told)]
