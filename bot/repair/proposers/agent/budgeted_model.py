"""Put the budget between a run and its model: no call starts that it can't pay for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from bot.errors import BudgetExhausted, ProviderError
from bot.llm.base import Ask, Conversation, Model, Turn
from bot.model import Usage
from bot.model.deadline import unless_stopped
from bot.model.money.accounts import Amount
from bot.model.money.budget import check_budget, own_balance
from bot.model.money.reservations import Money, Reservations
from bot.model.route import ModelStrength
from bot.repair.proposers.base import Task

_ANSWER_TOKENS = (16_000, 8_000, 4_000)
"""Most tokens of an answer, tried in turn when the money left does not cover the larger one."""


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """A model's turn, when it was asked for, and how long it was allowed to be."""

    turn: Turn
    asked_at: float
    max_tokens: int


class BudgetedModel:
    """The model behind the budget's gate. Clock and gate belong to the act: replays skip both."""

    def __init__(self, model: Model, clock: Callable[[], float], task: Task) -> None:
        self._model = model
        self._clock = clock
        self._task = task
        route = task.route
        self._ask = Ask(
            strength=route.strength,
            effort=task.effort,
            model=route.model or task.model,
            temperature=route.temperature,
        )

    @property
    def strength(self) -> ModelStrength:
        """Which of the configured models is asked."""
        return self._ask.strength

    def ask_for(self, strength: ModelStrength) -> None:
        """Ask another of the configured models from now on."""
        self._ask = replace(self._ask, strength=strength)

    async def answer(self, call: str, conversation: Conversation, spent: Usage) -> ModelTurn:
        """Return the next turn, if time and money allow it.

        Args:
            call: Names it, uniquely in its run.
            conversation: To go on with.
            spent: By the run so far.

        Raises:
            BudgetExhausted: When they don't, or when the time is up before the answer is there.
            ProviderError: When no model answers.
            RunStopped: When the run was stopped.
        """
        limits, deadline, now = self._task.limits, self._task.deadline, self._clock()
        check_budget(limits, spent, now=now, deadline=deadline)
        asks = [replace(self._ask, max_tokens=most) for most in _ANSWER_TOKENS]
        try:
            async with asyncio.timeout(deadline - now) as time_left:
                own, stopped = own_balance(limits, spent), self._task.stopped
                money = Money(self._task.reservations, call, own, stopped)
                turn, ask = await paid(self._model, money, conversation, asks)
        except TimeoutError as error:
            if not time_left.expired():
                raise
            raise BudgetExhausted(
                f"The time budget of {limits.seconds:g} s ran out while the model was answering."
            ) from error
        return ModelTurn(turn, now, ask.max_tokens)


async def paid(
    model: Model, money: Money, conversation: Conversation, asks: Sequence[Ask]
) -> tuple[Turn, Ask]:
    """Return the model's turn, and the question that was affordable.

    Args:
        model: To ask.
        money: What the call is paid from.
        conversation: To go on with.
        asks: Ways to ask, the preferred one first.

    Raises:
        BudgetExhausted: When the reservations covers none of them.
        ProviderError: When no model answers.
        RunStopped: When the run was stopped; a call under way is cut off.
    """
    ask = await _affordable(model, money, conversation, asks)
    with _settled(money.reservations, money.call) as costs:
        turn = await unless_stopped(lambda: model.respond(conversation, ask), money.stopped)
        costs.append(turn.usage)
    return turn, ask


async def _affordable(
    model: Model, money: Money, conversation: Conversation, asks: Sequence[Ask]
) -> Ask:
    """Reserve for the first question that is covered, and return it with its allowance."""
    for ask in asks:
        once = model.worst_case(conversation, ask)
        # Where there is plenty, a try that fails after it cost something is followed by another.
        offers = [_twice(once), once]
        try:
            chosen = await money.reservations.reserve(money.call, offers, money.own)
        except BudgetExhausted:
            if ask is asks[-1]:
                raise
        else:
            return replace(ask, allowance=offers[chosen])
    raise ValueError("asks must not be empty")


@contextmanager
def _settled(reservations: Reservations, call: str) -> Iterator[list[Usage]]:
    """Settle with the one cost that the body names, or with what its failure says.

    What a call cost that was cut off nobody tells: the most that it could is taken for spent.
    A cancelled call stays reserved: if the run goes on elsewhere, the same call reserves again,
    and what this one reserved is taken for spent.
    """
    costs: list[Usage] = []
    try:
        yield costs
    except ProviderError as error:
        reservations.settle(call, error.spent or Usage())
        raise
    except Exception:
        reservations.settle(call, None)
        raise
    reservations.settle(call, costs[0])


def _twice(amount: Amount) -> Amount:
    return Amount(None if amount.usd is None else 2 * amount.usd, 2 * amount.tokens)
