"""Ask a model one question in a conversation of its own, short enough for its window."""

from __future__ import annotations

from dataclasses import replace

from bot.errors import RequestTooLong
from bot.llm.base import Ask, Conversation, Message, Model, Text, Turn
from bot.model.money.reservations import Money
from bot.repair.proposers.agent.budgeted_model import paid
from bot.repair.proposers.agent.context_compaction import with_shorter_data
from bot.reporting.reasons import agent

_TAKEN = 0.9
"""Of what fits: tokens are not characters."""
_UNKNOWN = 0.5
"""What is tried next where a refusal says nothing of what fits."""


async def answered(model: Model, money: Money, system: str, asked: str, ask: Ask) -> Turn:
    """Return the model's answer; what the question quotes is cut until it fits.

    Args:
        model: To ask.
        money: What the call is paid from.
        system: The rules.
        asked: The question, with data in it as `quoted` marks it.
        ask: How to ask.

    Raises:
        BudgetExhausted: When the call can't be paid.
        ProviderError: When no model answers, or the question doesn't fit, however short its data.
        RunStopped: When the run was stopped.
    """
    call = money.call
    while True:
        conversation = Conversation(system, (Message("user", (Text(asked),)),))
        try:
            turn, _ = await paid(model, replace(money, call=call), conversation, [ask])
        except RequestTooLong as error:
            share = _UNKNOWN if error.fits is None else min(1.0, error.fits)
            excess = len(system) + len(asked) - int((len(system) + len(asked)) * share * _TAKEN)
            [shorter] = with_shorter_data([asked], excess)
            if len(shorter) >= len(asked):
                raise too_long(error) from error
            asked, call = shorter, f"{call}, shortened"
        else:
            return turn


def too_long(error: RequestTooLong) -> RequestTooLong:
    """Return the error that says what helps where nothing can be left out any more."""
    told = RequestTooLong(agent.task_too_long(str(error)))
    told.fits, told.spent, told.passing = error.fits, error.spent, error.passing
    return told
