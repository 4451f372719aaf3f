"""What all providers have in common: choose the model, insist, price the answer."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from bot.errors import RequestTooLong
from bot.health.circuit import Circuit
from bot.llm.base import Ask, Conversation, Turn
from bot.llm.failures import FailedCall
from bot.llm.guard import CircuitGuard
from bot.llm.patience import ProviderRetries, insist
from bot.llm.prices import PriceList
from bot.llm.reply import ModelReply
from bot.llm.room import Rooms
from bot.llm.tokens import estimate
from bot.model import Usage
from bot.model.money.accounts import Amount
from bot.model.route import ModelStrength


class StreamingModel(ABC):
    """A provider whose answers stream. Subclasses know its wire and its SDK."""

    def __init__(
        self,
        name: str,
        *,
        models: Mapping[ModelStrength, str],
        prices: PriceList,
        patience: ProviderRetries,
        circuit: Circuit | None = None,
    ) -> None:
        self.name = name
        self._models = models
        self._prices = prices
        self._patience = patience
        self._guard = None if circuit is None else CircuitGuard(circuit)
        self._connecting = asyncio.Lock()
        self._rooms = Rooms()

    async def respond(self, conversation: Conversation, ask: Ask) -> Turn:
        """Return the model's turn; see `bot.llm.base.Model`."""
        model, guard = self._model(ask), self._guard
        account = partial(self._prices.usage, model)

        await self.warm()

        async def call() -> ModelReply:
            if ask.may_call is not None:
                await ask.may_call()
            return await self._fitted(conversation, ask, model)

        async def attempt() -> ModelReply:
            return await (call() if guard is None else guard.ask(call, account))

        def allowed(lost: Usage) -> bool:
            return ask.allows(lost, self.worst_case(conversation, ask))

        patience = self._patience if guard is None else guard.retries(self._patience)
        outcome = await insist(attempt, patience, account, allowed)
        reply = outcome.reply
        return Turn(
            blocks=reply.blocks,
            stop=reply.stop,
            model=reply.model or model,
            provider=self.name,
            usage=outcome.lost + self._prices.usage(model, reply.tokens),
            notes=outcome.notes,
            cleared=reply.cleared,
        )

    async def _fitted(self, conversation: Conversation, ask: Ask, model: str) -> ModelReply:
        """Make one call, with as long an answer as the model has room for."""
        rooms = self._rooms
        while True:
            size = len(self._encode(conversation, ask, model))
            ask = replace(ask, max_tokens=rooms.most(model, ask.max_tokens, size))
            try:
                reply = await self._attempt(conversation, ask, model)
            except FailedCall as failure:
                if failure.room is None:
                    raise
                if isinstance(failure.error, RequestTooLong):
                    failure.error.fits = rooms.share_that_fits(model, failure.room, size)
                if not rooms.learn(model, failure.room, ask.max_tokens, size):
                    raise
            else:
                rooms.count(model, reply.tokens.prompt, size)
                return reply

    @property
    def resting(self) -> str:
        """Why it would not be asked at this moment, as a sentence; "" when it would."""
        return "" if self._guard is None else self._guard.resting

    @property
    def slow(self) -> bool:
        """Whether it answers, and much slower than usual."""
        return self._guard is not None and self._guard.slow

    def worst_case(self, conversation: Conversation, ask: Ask) -> Amount:
        """Return the most that one try can cost: no cache, the longest answer."""
        model = self._model(ask)
        prompt = estimate(len(self._encode(conversation, ask, model)))
        usd = self._prices.worst_case(model, prompt_tokens=prompt, max_tokens=ask.max_tokens)
        return Amount(usd, prompt + ask.max_tokens)

    async def warm(self) -> None:
        """Import the SDK and build its client, once.

        That is up to a second of work, so it is done in a thread: the loop goes on meanwhile, and
        whoever calls this early, say while a sandbox gets ready, has the first answer sooner.
        """
        async with self._connecting:
            if not self._connected:
                await asyncio.to_thread(self._connect)

    @abstractmethod
    def offers(self, model: str) -> bool:
        """Return whether a model of this name can be had here."""

    @abstractmethod
    async def close(self) -> None:
        """Release connections."""

    @property
    @abstractmethod
    def _connected(self) -> bool:
        """Whether the SDK's client is there."""

    @abstractmethod
    def _connect(self) -> None:
        """Import the SDK and build its client."""

    @abstractmethod
    def _encode(self, conversation: Conversation, ask: Ask, model: str) -> bytes:
        """Return the request's body."""

    @abstractmethod
    async def _attempt(self, conversation: Conversation, ask: Ask, model: str) -> ModelReply:
        """Make one call. Raises `bot.llm.failures.Failure`."""

    def _model(self, ask: Ask) -> str:
        return ask.model or self._models.get(ask.strength) or self._models[ModelStrength.DEFAULT]
