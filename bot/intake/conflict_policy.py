"""Decide what becomes of a pull request of ours that conflicts with its base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType

from bot.intake.followup_policy import Budget, ChainSpending
from bot.reporting.reasons import publication


@dataclass(frozen=True, slots=True)
class ConflictFacts:
    """What is known of such a pull request, in a repository that wants its repair made again.

    Attributes:
        switch: What `/fix auto` said on it; None when nobody said it.
        ours: Whether all of its commits are ours.
        others: Logins of others who wrote some, as far as they are known.
        tried: Whether a run was started for its head on this commit of the base.
        elsewhere: How many automatic runs are under way in the repository.
        at_once: How many may be.
        spent: On the repair so far: all money, and attempts that led nowhere.
        budget: What it may cost.
    """

    switch: bool | None = None
    ours: bool = True
    others: tuple[str, ...] = ()
    tried: bool = False
    elsewhere: int = 0
    at_once: int = 1
    spent: ChainSpending = field(default_factory=ChainSpending)
    budget: Budget = field(default_factory=lambda: Budget(1, Decimal(0)))


class WhyLeft(StrEnum):
    """Why a conflict is left alone."""

    SWITCHED_OFF = "switched off"
    OTHERS = "others"
    TRIED = "tried"
    LIMITS = "limits"

    @property
    def is_told(self) -> bool:
        """Whether people are told in the pull request: where they may wait for more."""
        return self in {WhyLeft.OTHERS, WhyLeft.LIMITS}


@dataclass(frozen=True, slots=True)
class Redo:
    """Make the repair again, with what is left of its budget."""

    attempts: int
    cost_usd: Decimal | None


@dataclass(frozen=True, slots=True)
class PutOff:
    """Look again later; `reason` is for the log."""

    reason: str


@dataclass(frozen=True, slots=True)
class LeaveConflict:
    """Change nothing; `reason` says why."""

    why: WhyLeft
    reason: str


ConflictDecision = Redo | PutOff | LeaveConflict

_SENTENCES: Mapping[WhyLeft, str] = MappingProxyType(
    {
        WhyLeft.SWITCHED_OFF: publication.SWITCHED_OFF,
        WhyLeft.TRIED: publication.HAD_ITS_RUN,
        WhyLeft.LIMITS: publication.LIMITS_USED_UP,
    }
)


def decide_conflict(facts: ConflictFacts) -> ConflictDecision:
    """Return what becomes of a pull request of ours that conflicts with its base.

    What people did or said counts first. Money that is used up keeps a model out, and not the patch
    that is there already; attempts that are used up end it.
    """
    attempts = facts.budget.attempts - facts.spent.attempts
    hindrances = {
        WhyLeft.SWITCHED_OFF: facts.switch is False,
        WhyLeft.OTHERS: not facts.ours,
        WhyLeft.TRIED: facts.tried,
        WhyLeft.LIMITS: attempts <= 0,
    }
    why = next((why for why, hinders in hindrances.items() if hinders), None)
    if why is WhyLeft.OTHERS:
        return LeaveConflict(why, publication.others(facts.others))
    if why is not None:
        return LeaveConflict(why, _SENTENCES[why])
    if facts.elsewhere >= facts.at_once:
        return PutOff(publication.OTHER_RUNS)
    spent = facts.spent.cost_usd
    left = None if spent is None else max(facts.budget.cost_usd - spent, Decimal(0))
    return Redo(attempts, left)
