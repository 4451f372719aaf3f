"""A model that is asked only while this process may spend money."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from bot.llm.base import Ask, Conversation, Model, Turn
from bot.model.money.accounts import Amount


class FencedModel:
    """A model whose every try, also one after a failure, waits for a permission."""

    def __init__(self, model: Model, may_call: Callable[[], Awaitable[None]]) -> None:
        self._model = model
        self._may_call = may_call
        self.name = model.name

    async def respond(self, conversation: Conversation, ask: Ask) -> Turn:
        """Return the model's turn."""
        return await self._model.respond(conversation, replace(ask, may_call=self._may_call))

    def worst_case(self, conversation: Conversation, ask: Ask) -> Amount:
        """Return the most that one try can cost."""
        return self._model.worst_case(conversation, ask)

    async def warm(self) -> None:
        """Do ahead what would make the first answer slow."""
        await self._model.warm()

    async def close(self) -> None:
        """Release connections."""
        await self._model.close()
