"""Who reads a problem and says which failures it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bot.model import Observation, Problem, Usage
from bot.model.money.reservations import Money


@dataclass(frozen=True, slots=True)
class FailureJudgement:
    """What a reader said.

    Attributes:
        tests: Ids of the failures that the problem is about, perhaps none; None for no clear answer.
        usage: What asking cost.
    """

    tests: frozenset[str] | None
    usage: Usage


class FailureJudge(Protocol):
    """Says which failures a problem is about, where it does not name them."""

    async def choose(
        self, problem: Problem, observation: Observation, money: Money
    ) -> FailureJudgement:
        """Return the choice.

        Raises:
            BudgetExhausted: When the money does not cover it.
            ProviderError: When no model answers.
        """
        ...
