"""Let a run wait while no provider answers, rather than end for a reason that will be over soon."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace

from bot.errors import ProviderError
from bot.health.events import HealthEvent
from bot.health.service import ServiceKind
from bot.health.services import Services
from bot.llm.base import Ask, Conversation, Model, Turn
from bot.llm.retries import ProviderRetries
from bot.model import Usage
from bot.model.money.accounts import Amount

_LONGEST_SLEEP = 1.0
"""Seconds between two looks at circuits while a probe is under way."""

_PAUSES = ProviderRetries()
"""Between tries while a circuit is closed."""


class WaitingModel:
    """A model whose calls wait, for a time, while no provider answers.

    Circuits that are open say when to try again. While one is closed still, because its provider
    answered many calls a moment ago, the waits are those between retries.
    """

    def __init__(self, model: Model, services: Services, *, most_seconds: float) -> None:
        """Wait for `model`, no longer than `most_seconds` for one answer."""
        self._model = model
        self._services = services
        self._most = most_seconds
        self.name = model.name

    async def respond(self, conversation: Conversation, ask: Ask) -> Turn:
        """Return the model's turn, its cost with that of the calls that failed before.

        Raises:
            ProviderError: When nobody answers for so long, or when waiting does not help.
        """
        lost, waited_since, pauses = Usage(), None, 0
        loop = asyncio.get_running_loop()
        while True:
            try:
                turn = await self._model.respond(conversation, ask)
            except ProviderError as error:
                lost += error.spent or Usage()
                error.spent = lost
                waited_since = loop.time() if waited_since is None else waited_since
                left = self._most - (loop.time() - waited_since)
                more = self._model.worst_case(conversation, ask)
                if left <= 0 or not error.passing or not ask.allows(lost, more):
                    raise
                if self._services.admits(ServiceKind.MODEL):
                    pauses += 1
                    await asyncio.sleep(min(left, _PAUSES.wait(pauses, None)))
                else:
                    await until_admitted(self._services, ServiceKind.MODEL, left)
            else:
                return replace(turn, usage=lost + turn.usage)

    def worst_case(self, conversation: Conversation, ask: Ask) -> Amount:
        """Return the most that one try can cost."""
        return self._model.worst_case(conversation, ask)

    async def warm(self) -> None:
        """Do ahead what would make the first answer slow."""
        await self._model.warm()

    async def close(self) -> None:
        """Release connections."""
        await self._model.close()


async def until_admitted(services: Services, kind: ServiceKind, seconds: float) -> None:
    """Return once a service of a kind would be called, or after so many seconds."""
    changed = asyncio.Event()

    def hear(_: HealthEvent) -> None:
        changed.set()

    loop = asyncio.get_running_loop()
    ends = loop.time() + seconds
    with services.heard(hear):
        while (left := ends - loop.time()) > 0 and not services.admits(kind):
            due = services.probe_in(kind)
            changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(left, _LONGEST_SLEEP if due is None else due)):
                    await changed.wait()
