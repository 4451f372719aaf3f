"""Decide by the calls of a service whether it is called: a circuit breaker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from bot.health.service import CircuitState, Service, ServiceFailure, ServiceView
from bot.health.window import Call, Figures, RollingWindow


@dataclass(frozen=True, slots=True)
class CircuitRules:
    """When a circuit opens, and when it is tried again.

    Attributes:
        window_seconds: Calls that are older don't count.
        most_calls: No more than the last so many count.
        least_calls: So many have to be there before the error rate says anything.
        error_rate: From 0 to 1; from there on the circuit opens.
        probe_seconds: Before the first probe; doubles with each probe that fails.
        longest_probe_seconds: Between two probes.
        slow_times: A service is slow when it takes so many times its usual.
        slow_seconds: And so many seconds more.
    """

    window_seconds: float = 300.0
    most_calls: int = 20
    least_calls: int = 3
    error_rate: float = 0.5
    probe_seconds: float = 30.0
    longest_probe_seconds: float = 600.0
    slow_times: float = 3.0
    slow_seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class CallPermit:
    """Leave to make one call; `is_probe` when its result alone decides about the circuit."""

    is_probe: bool


class Circuit:
    """The circuit breaker of one service.

    Closed, it opens when too many of the last calls failed. Open, it admits nobody; after a
    cool-down it is half-open and admits one probe, which closes it or opens it for twice as long.
    """

    def __init__(
        self,
        service: Service,
        rules: CircuitRules,
        clock: Callable[[], float],
        changed: Callable[[ServiceView], None],
    ) -> None:
        """Watch a service.

        Args:
            service: Which one.
            rules: When its circuit opens.
            clock: Seconds from any start.
            changed: Is told how it stands, whenever that changes.
        """
        self.service = service
        self._rules = rules
        self._clock = clock
        self._changed = changed
        self._window = RollingWindow(rules.window_seconds, rules.most_calls)
        self._state = CircuitState.CLOSED
        self._slow = False
        self._since = clock()
        self._opened: float | None = None
        self._opened_by = Figures()
        self._failure: ServiceFailure | None = None
        self._cool_down = rules.probe_seconds
        self._probe_at = 0.0
        self._good_at: float | None = None

    def admit(self) -> CallPermit | None:
        """Return leave to make a call, or None while the service is not called.

        Whoever gets it says with it how the call went: `succeeded`, `failed` or `released`.
        """
        if self._state is CircuitState.CLOSED:
            return CallPermit(is_probe=False)
        if self._state is CircuitState.OPEN and self.probe_in() == 0:
            self._become(CircuitState.HALF_OPEN)
            return CallPermit(is_probe=True)
        return None

    def probe_in(self) -> float | None:
        """Return seconds until a probe is due; None while there is nothing to wait for."""
        if self._state is not CircuitState.OPEN:
            return None
        return max(0.0, self._probe_at - self._clock())

    @property
    def refuses(self) -> bool:
        """Whether nobody would be admitted at this moment."""
        return self._state is CircuitState.HALF_OPEN or (self.probe_in() or 0) > 0

    @property
    def works(self) -> bool:
        """Whether it is closed."""
        return self._state is CircuitState.CLOSED

    @property
    def slow(self) -> bool:
        """Whether the service answers, and much slower than usual."""
        return self._slow

    def known_good(self, seconds: float) -> bool:
        """Whether the last call went well, and is no older than that."""
        return self._good_at is not None and self._clock() - self._good_at <= seconds

    def succeeded(
        self, seconds: float, usd: Decimal | None = None, *, admission: CallPermit | None = None
    ) -> None:
        """Take note of a call that was answered, and of what it cost."""
        self._good_at = self._clock()
        self._window.add(Call(self._good_at, seconds, usd=usd))
        if admission is not None and admission.is_probe:
            self._close()
        self.look()

    def failed(
        self,
        failure: ServiceFailure,
        seconds: float = 0.0,
        usd: Decimal | None = None,
        *,
        admission: CallPermit | None = None,
    ) -> None:
        """Take note of a call that the service failed at."""
        now = self._clock()
        self._good_at = None
        self._window.add(Call(now, seconds, failed=True, usd=usd))
        if admission is not None and admission.is_probe:
            self._cool_down = min(2 * self._cool_down, self._rules.longest_probe_seconds)
            self._open(failure)
        elif self._state is CircuitState.CLOSED:
            figures = self._window.figures(now)
            enough = figures.calls >= self._rules.least_calls
            if failure.certain or (enough and figures.error_rate >= self._rules.error_rate):
                self._opened_by = figures
                self._cool_down = self._rules.probe_seconds
                self._open(failure)

    def released(self, admission: CallPermit) -> None:
        """Take note of a call that tells nothing of the service: the next one is the probe."""
        if admission.is_probe and self._state is CircuitState.HALF_OPEN:
            self._probe_at = self._clock()
            self._become(CircuitState.OPEN)

    def look(self) -> None:
        """See whether the service has become slow, or is no longer."""
        figures, rules = self._window.figures(self._clock()), self._rules
        slow = False
        if self._state is CircuitState.CLOSED and figures.latency and figures.usual:
            times = rules.slow_times / 2 if self._slow else rules.slow_times
            enough = figures.calls - figures.failed >= rules.least_calls
            slow = enough and figures.latency > max(
                times * figures.usual, figures.usual + rules.slow_seconds
            )
        if slow is not self._slow:
            self._slow = slow
            self._since = self._clock()
            self._changed(self.view())

    def view(self) -> ServiceView:
        """Return how the service stands."""
        now = self._clock()
        closed = self._state is CircuitState.CLOSED
        figures = self._window.figures(now)
        return ServiceView(
            self.service,
            self._state,
            self._slow,
            figures if closed else _with_cost_of(self._opened_by, figures),
            now - self._since,
            None if self._opened is None else now - self._opened,
            None if closed else self._failure,
        )

    def _open(self, failure: ServiceFailure) -> None:
        now = self._clock()
        self._failure = failure
        self._slow = False
        self._probe_at = now + self._cool_down
        if self._opened is None:
            self._opened = now
        self._become(CircuitState.OPEN)

    def _close(self) -> None:
        self._opened = None
        self._window.judge_from(self._clock())
        self._become(CircuitState.CLOSED)

    def _become(self, state: CircuitState) -> None:
        if state is not self._state:
            self._state = state
            self._since = self._clock()
            self._changed(self.view())


def _with_cost_of(opened_by: Figures, now: Figures) -> Figures:
    return Figures(
        opened_by.calls,
        opened_by.failed,
        opened_by.seconds,
        opened_by.latency,
        opened_by.usual,
        now.usd,
    )
