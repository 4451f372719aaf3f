"""What all providers have in common: choose the model, insist, price the answer."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial

from bot.errors import (
    CredentialsRefused,
    ProviderFailing,
    ProviderOverloaded,
    ProviderUnreachable,
    RequestTooLong,
)
from bot.health.circuit import CallPermit, Circuit
from bot.health.service import CircuitState, ServiceFailure
from bot.llm.base import Ask, Conversation, Turn
from bot.llm.failures import FailedCall
from bot.llm.output_limit import Rooms
from bot.llm.prices import PriceList
from bot.llm.reply import ModelReply
from bot.llm.retries import ProviderRetries, insist
from bot.llm.tokens import TokenCounts, estimate
from bot.model import Usage
from bot.model.money.accounts import Amount
from bot.model.route import ModelStrength

Account = Callable[[TokenCounts], Usage]


def failure_of(call: FailedCall) -> ServiceFailure | None:
    """Return what a failed call says of its provider; None where the request was to blame."""
    match call.error:
        case CredentialsRefused():
            return ServiceFailure(str(call.error), certain=True, passing=call.error.passing)
        case ProviderOverloaded() | ProviderUnreachable():
            return ServiceFailure(str(call.error))
        case _:
            return None


class CircuitGuard:
    """Between a provider and those who ask it."""

    def __init__(self, circuit: Circuit) -> None:
        self._circuit = circuit

    @property
    def resting(self) -> str:
        """Why it would not be asked at this moment, as a sentence; "" when it would."""
        return _sentence(self._circuit) if self._circuit.refuses else ""

    @property
    def slow(self) -> bool:
        """Whether it answers, and much slower than usual."""
        return self._circuit.slow

    def retries(self, usual: ProviderRetries) -> ProviderRetries:
        """Return how long to insist: a probe is one call, and the next one comes much later."""
        return usual if self._circuit.works else usual.single()

    async def ask(
        self, attempt: Callable[[], Awaitable[ModelReply]], account: Account
    ) -> ModelReply:
        """Make one call, if the circuit admits it.

        Raises:
            FailedCall: When the call fails, or is not made: then it is no use to insist.
        """
        admission = self._circuit.admit()
        if admission is None:
            raise FailedCall(_failing(self._circuit), again=False)
        started = time.perf_counter()
        try:
            reply = await attempt()
        except FailedCall as call:
            self._note(call, admission, time.perf_counter() - started, account)
            raise
        except BaseException:  # cancelled by whoever asked, or a mistake of ours
            self._circuit.released(admission)
            raise
        usd = account(reply.tokens).cost_usd
        self._circuit.succeeded(time.perf_counter() - started, usd, admission=admission)
        return reply

    def _note(
        self, call: FailedCall, admission: CallPermit, seconds: float, account: Account
    ) -> None:
        failure = failure_of(call)
        usd = Decimal(0) if call.tokens is None else account(call.tokens).cost_usd
        if failure is None:
            self._circuit.released(admission)
            return
        self._circuit.failed(failure, seconds, usd, admission=admission)
        if not self._circuit.works:
            call.again = False


def _failing(circuit: Circuit) -> ProviderFailing:
    failure = circuit.view().failure
    return ProviderFailing(_sentence(circuit), passing=failure is None or failure.passing)


def _sentence(circuit: Circuit) -> str:
    view = circuit.view()
    name, figures, failure = view.service.name, view.figures, view.failure
    if failure is not None and failure.certain:
        return f"{failure.reason} It isn't asked until it recovers."
    failed = f"{figures.failed} of its last {figures.calls} calls failed"
    if view.state is CircuitState.HALF_OPEN:
        return f"{name} is failing: {failed}, and a probe is under way."
    return f"{name} is failing: {failed}. It isn't asked until it recovers."


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
