"""Retry a model call while that makes sense, and account for every try."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from decimal import Decimal

from bot.errors import ProviderError
from bot.llm.failures import FailedCall
from bot.llm.reply import ModelReply
from bot.llm.tokens import TokenCounts
from bot.model import Usage


@dataclass(frozen=True, slots=True)
class ProviderRetries:
    """How long to insist on one provider.

    Attributes:
        tries: Calls in all.
        first_wait: Seconds before the second; doubled before each further one.
        longest_wait: Cap of every wait in seconds, whatever the provider asks for.
    """

    tries: int = 3
    first_wait: float = 1.0
    longest_wait: float = 30.0

    def wait(self, tried: int, asked: float | None) -> float:
        """Return the seconds to wait after `tried` calls; `asked` is the provider's wish."""
        wanted = self.first_wait * 2 ** (tried - 1) if asked is None else max(asked, 0.0)
        return min(wanted, self.longest_wait)

    def single(self) -> ProviderRetries:
        """Return no insisting at all: whoever probes a provider that failed asks once."""
        return replace(self, tries=1)


@dataclass(frozen=True, slots=True)
class CallResult:
    """An answer, what the failed tries before it cost, and a note about them."""

    reply: ModelReply
    lost: Usage
    notes: tuple[str, ...]


async def insist(
    attempt: Callable[[], Awaitable[ModelReply]],
    patience: ProviderRetries,
    account: Callable[[TokenCounts], Usage],
    allowed: Callable[[Usage], bool],
) -> CallResult:
    """Return the first answer.

    Args:
        attempt: Makes one call; raises `FailedCall`.
        patience: How often and how patiently.
        account: The usage of these tokens.
        allowed: Whether there may be another try after tries that cost so much.

    Raises:
        ProviderError: The last try's, with `spent` set to what all of them cost.
    """
    lost = Usage(cost_usd=Decimal(0))
    notes: tuple[str, ...] = ()
    tried = 0
    while True:
        tried += 1
        try:
            return CallResult(await attempt(), lost, notes)
        except FailedCall as failure:
            if failure.tokens is not None:
                lost += account(failure.tokens)
            if not failure.again or tried >= patience.tries or not allowed(lost):
                raise _final(failure.error, tried, lost) from failure.__cause__
            notes = (f"{failure.error} It answered on try {tried + 1}.",)
            await asyncio.sleep(patience.wait(tried, failure.retry_after))


def _final(error: ProviderError, tried: int, lost: Usage) -> ProviderError:
    final = type(error)(f"{error} Gave up after {tried} tries.") if tried > 1 else error
    final.spent = lost
    return final
