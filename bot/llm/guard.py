"""Keep count of a provider's calls, and ask it only while its circuit admits that."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from decimal import Decimal

from bot.errors import CredentialsRefused, ProviderFailing, ProviderOverloaded, ProviderUnreachable
from bot.health.circuit import CallPermit, Circuit
from bot.health.service import CircuitState, ServiceFailure
from bot.llm.failures import FailedCall
from bot.llm.patience import ProviderRetries
from bot.llm.reply import ModelReply
from bot.llm.tokens import TokenCounts
from bot.model import Usage

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
