"""Decide what the checks of a commit that we published mean: wait, done, or continue."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from bot.model.request import FailedCheck


class Result(StrEnum):
    """How the project's own checks end on what a run published."""

    GREEN = "green"
    RED = "red"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ChainSpending:
    """What a run and those that it follows have used.

    Attributes:
        attempts: Patches that were verified.
        cost_usd: Of model calls; None when a price is unknown.
    """

    attempts: int = 0
    cost_usd: Decimal | None = Decimal(0)


@dataclass(frozen=True, slots=True)
class Budget:
    """What the repo config allows one repair, however many runs it takes."""

    attempts: int
    cost_usd: Decimal


@dataclass(frozen=True, slots=True)
class Continuation:
    """Start a run on the published commit, with what is left."""

    checks: tuple[FailedCheck, ...]
    attempts: int
    cost_usd: Decimal | None


@dataclass(frozen=True, slots=True)
class Leave:
    """Only say how the checks ended; `limit` says whether more was wanted and is not allowed."""

    result: Result
    checks: tuple[FailedCheck, ...] = ()
    limit: bool = False


def blamed(
    failed: tuple[FailedCheck, ...], before: frozenset[str], claimed: frozenset[str]
) -> tuple[FailedCheck, ...]:
    """Return the failed checks that the published commit has to answer for.

    Args:
        failed: That fail on it.
        before: Names of those that failed on its parent.
        claimed: Names of those that it was made to repair.
    """
    return tuple(check for check in failed if check.name in claimed or check.name not in before)


def after_publication(
    failed: tuple[FailedCheck, ...], *, wanted: bool, spent: ChainSpending, budget: Budget
) -> Continuation | Leave:
    """Return what follows from the checks of a published commit, all of which are over.

    Args:
        failed: Those that it has to answer for.
        wanted: Whether failed checks start runs there.
        spent: By the run that published it and those before.
        budget: What they may use together.
    """
    if not failed:
        return Leave(Result.GREEN)
    if not wanted:
        return Leave(Result.RED, failed)
    attempts = budget.attempts - spent.attempts
    money = None if spent.cost_usd is None else budget.cost_usd - spent.cost_usd
    if attempts <= 0 or (money is not None and money <= 0):
        return Leave(Result.RED, failed, limit=True)
    return Continuation(failed, attempts, money)
