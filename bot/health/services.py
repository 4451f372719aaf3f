"""All services of a process: their circuits, who is told of changes and when a person has to look."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from bot.health.circuit import Circuit, CircuitRules
from bot.health.events import Escalated, EscalationOver, HealthEvent, ServiceChanged
from bot.health.service import Service, ServiceKind, ServiceView


class Escalation:
    """Tells once when it begins, and once when it is over.

    It begins when every service of a kind is out, or when one of them has been out for long.
    """

    def __init__(self, after_seconds: float) -> None:
        """Let a service be out for so many seconds, while another one stands in for it."""
        self._after = after_seconds
        self._told: dict[ServiceKind, Escalated] = {}

    @property
    def told(self) -> tuple[Escalated, ...]:
        """What a person was told to look at, and is not over."""
        return tuple(self._told.values())

    def look(self, views: Sequence[ServiceView]) -> tuple[Escalated | EscalationOver, ...]:
        """Return what a person has to be told now, given how all services stand."""
        return tuple(news for kind in ServiceKind for news in self._of_kind(kind, views))

    def _of_kind(
        self, kind: ServiceKind, views: Sequence[ServiceView]
    ) -> Iterator[Escalated | EscalationOver]:
        those = [view for view in views if view.service.kind is kind]
        out = [view for view in those if view.out_for is not None]
        told = self._told.get(kind)
        all_out = bool(out) and len(out) == len(those)
        for_long = [view for view in out if (view.out_for or 0.0) >= self._after]
        if told is None:
            if wanted := (out if all_out else for_long):
                yield self._tell(kind, wanted, all_out=all_out)
        elif not out or (told.all_out and not all_out and not for_long):
            del self._told[kind]
            still_out = {view.service.name for view in out}
            yield EscalationOver(
                kind, tuple(service for service in told.services if service not in still_out)
            )
        elif all_out and not told.all_out:  # now nobody stands in any more
            yield self._tell(kind, out, all_out=True)

    def _tell(self, kind: ServiceKind, those: Sequence[ServiceView], *, all_out: bool) -> Escalated:
        worst = max(those, key=lambda view: view.out_for or 0.0)
        news = Escalated(
            kind,
            tuple(view.service.name for view in those),
            all_out,
            worst.out_for or 0.0,
            worst.failure.reason if worst.failure is not None else "",
        )
        self._told[kind] = news
        return news


HealthListener = Callable[[HealthEvent], None]
"""Is told what changes. Must return at once and never raise."""

ESCALATE_SECONDS = 900.0


class Services:
    """The circuits of one process, in the order in which their services are preferred."""

    def __init__(
        self,
        rules: CircuitRules = CircuitRules(),  # noqa: B008 - frozen
        *,
        escalate_seconds: float = ESCALATE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Know of no service yet.

        Args:
            rules: When circuits open.
            escalate_seconds: After which a person is told of one that stays open.
            clock: Seconds from any start.
        """
        self._rules = rules
        self._clock = clock
        self._circuits: dict[Service, Circuit] = {}
        self._escalation = Escalation(escalate_seconds)
        self._listeners: list[HealthListener] = []

    def circuit(self, kind: ServiceKind, name: str) -> Circuit:
        """Return the circuit of a service; the first of a kind is preferred to the later ones."""
        service = Service(kind, name)
        if service not in self._circuits:
            self._circuits[service] = Circuit(service, self._rules, self._clock, self._changed)
        return self._circuits[service]

    def views(self, kind: ServiceKind | None = None) -> tuple[ServiceView, ...]:
        """Return how the services stand, of one kind or of all."""
        return tuple(
            circuit.view()
            for service, circuit in self._circuits.items()
            if kind in {None, service.kind}
        )

    @property
    def escalated(self) -> tuple[Escalated, ...]:
        """What a person was told to look at, and is not over."""
        return self._escalation.told

    def in_place(self, kind: ServiceKind) -> str | None:
        """Return the first service of a kind that works; one that is not slow goes first."""
        working = [view for view in self.views(kind) if view.works]
        return next((view.service.name for view in sorted(working, key=_slow)), None)

    def admits(self, kind: ServiceKind) -> bool:
        """Whether any service of a kind would be called at this moment."""
        those = [circuit for service, circuit in self._circuits.items() if service.kind is kind]
        return any(not circuit.refuses for circuit in those)

    def probe_in(self, kind: ServiceKind) -> float | None:
        """Return seconds until the next probe of a kind is due; None while none is waited for."""
        due = (
            circuit.probe_in()
            for service, circuit in self._circuits.items()
            if service.kind is kind
        )
        return min((seconds for seconds in due if seconds is not None), default=None)

    @contextmanager
    def heard(self, listener: HealthListener) -> Iterator[None]:
        """Tell a listener what changes while the block lasts."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def tell(self, event: HealthEvent) -> None:
        """Tell everybody who listens."""
        for listener in tuple(self._listeners):
            listener(event)

    def look(self) -> None:
        """See what has changed because time passed; to be called now and then."""
        for circuit in tuple(self._circuits.values()):
            circuit.look()
        self._escalate()

    def _changed(self, view: ServiceView) -> None:
        self.tell(ServiceChanged(view, self.in_place(view.service.kind)))
        self._escalate()

    def _escalate(self) -> None:
        for news in self._escalation.look(self.views()):
            self.tell(news)


def _slow(view: ServiceView) -> bool:
    return view.slow
