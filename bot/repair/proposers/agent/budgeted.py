"""Put the budget between an attempt and its model: no call starts that it can't pay for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.errors import BudgetExhausted
from bot.llm.base import Ask, Conversation, Model, Strength, Turn
from bot.repair.budget import too_dear, used_up
from bot.repair.model import Usage
from bot.repair.proposers.base import Task

_ANSWER_TOKENS = (16_000, 8_000, 4_000)
"""Most tokens of an answer, tried in turn when the money left does not cover the larger one."""


@dataclass(frozen=True, slots=True)
class Answer:
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
        strength = Strength.STRONGER if task.stronger else Strength.DEFAULT
        self._ask = Ask(strength=strength, effort=task.effort, model=task.model)

    async def answer(self, conversation: Conversation, spent: Usage) -> Answer:
        """Return the next turn, if time and money allow it.

        Raises:
            BudgetExhausted: When they don't, or when the time is up before the answer is there.
            ProviderError: When no model answers.
        """
        limits, deadline, now = self._task.limits, self._task.deadline, self._clock()
        if reason := used_up(limits, spent, now=now, deadline=deadline):
            raise BudgetExhausted(reason)
        ask = self._affordable(conversation, spent)
        try:
            async with asyncio.timeout(deadline - now) as time_left:
                turn = await self._model.respond(conversation, ask)
        except TimeoutError as error:
            if not time_left.expired():
                raise
            raise BudgetExhausted(
                f"The time budget of {limits.seconds:g} s ended while the model was answering."
            ) from error
        return Answer(turn, now, ask.max_tokens)

    def _affordable(self, conversation: Conversation, spent: Usage) -> Ask:
        """Return how to ask, with a shorter answer where the money left covers no longer one."""
        reason: str | None = None
        for max_tokens in _ANSWER_TOKENS:
            ask = replace(self._ask, max_tokens=max_tokens)
            worst_case = self._model.worst_case(conversation, ask)
            reason = too_dear(self._task.limits, spent, worst_case)
            if reason is None:
                return ask
        raise BudgetExhausted(reason or "")
