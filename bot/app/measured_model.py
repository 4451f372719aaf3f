"""A model whose every call is counted and timed."""

from __future__ import annotations

import time

from bot.errors import ProviderError
from bot.llm.base import Ask, Conversation, Model, Turn
from bot.model.money.accounts import Amount
from bot.telemetry.metrics import Metrics


class MeasuredModel:
    """A model whose calls are counted."""

    def __init__(self, model: Model, metrics: Metrics) -> None:
        self._model = model
        self._metrics = metrics
        self.name = model.name

    async def respond(self, conversation: Conversation, ask: Ask) -> Turn:
        """Return the model's turn."""
        started = time.perf_counter()
        try:
            turn = await self._model.respond(conversation, ask)
        except ProviderError as error:
            self._metrics.not_called(self.name, error, time.perf_counter() - started)
            raise
        self._metrics.called(turn.model, turn.usage, time.perf_counter() - started)
        return turn

    def worst_case(self, conversation: Conversation, ask: Ask) -> Amount:
        """Return the most that one try can cost."""
        return self._model.worst_case(conversation, ask)

    async def warm(self) -> None:
        """Do ahead what would make the first answer slow."""
        await self._model.warm()

    async def close(self) -> None:
        """Release connections."""
        await self._model.close()
