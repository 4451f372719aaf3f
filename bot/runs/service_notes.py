"""Tell a run, while it works, what happens to the services that it depends on."""

from __future__ import annotations

from bot.health.events import (
    ConcurrencyChanged,
    Escalated,
    EscalationOver,
    HealthEvent,
    ServiceChanged,
)
from bot.health.service import CircuitState, Service, ServiceKind, ServiceView
from bot.health.services import Services
from bot.model.progress import Listener, Noticed
from bot.reporting.reasons import service_health


class ServiceNotes:
    """Listens for one run: its progress shows what concerns it, and its report keeps that.

    Attributes:
        kept: What the report has to say, oldest first.
    """

    def __init__(self, listener: Listener, *, asks_models: bool) -> None:
        """Tell `listener`; providers matter only to a run that asks models."""
        self.kept: list[str] = []
        self._listener = listener
        self._asks_models = asks_models
        self._sandbox: str | None = None
        self._seen: dict[Service, ServiceView] = {}
        self._escalated: set[ServiceKind] = set()

    def works_in(self, kind: str) -> None:
        """Listen for that kind of sandbox from now on."""
        self._sandbox = kind

    def begin(self, services: Services) -> None:
        """Tell what fails already."""
        for view in services.views():
            if not view.works or view.slow:
                self(ServiceChanged(view, services.in_place(view.service.kind)))

    def __call__(self, event: HealthEvent, /) -> None:
        """Tell the run, if the event concerns it."""
        match event:
            case ServiceChanged(view, instead):
                if self._concerns(view.service):
                    self._tell_change(view, instead)
            case Escalated(kind=kind, all_out=True) if self._waits_for(kind):
                self._escalated.add(kind)
                self.say(service_health.escalated(event))
            case EscalationOver(kind=kind) if kind in self._escalated:
                self._escalated.remove(kind)
                self.say(service_health.escalation_over(event))
            case ConcurrencyChanged():
                self._listener(Noticed(service_health.concurrency(event)))
            case _:
                pass

    def say(self, text: str) -> None:
        """Tell the run something that belongs into its report."""
        self._listener(Noticed(text))
        if text not in self.kept:
            self.kept.append(text)

    def _waits_for(self, kind: ServiceKind) -> bool:
        return kind is ServiceKind.SANDBOX or self._asks_models

    def _concerns(self, service: Service) -> bool:
        if service.kind is ServiceKind.MODEL:
            return self._asks_models
        return service.name == self._sandbox

    def _tell_change(self, view: ServiceView, instead: str | None) -> None:
        """Tell how a service stands, if that is news to the run; a probe is none."""
        if view.state is CircuitState.HALF_OPEN:
            return
        before = self._seen.get(view.service)
        was = (True, False) if before is None else (before.works, before.slow)
        if (view.works, view.slow) == was:
            return
        self._seen[view.service] = view
        if was == (True, True) and view.works:
            self.say(service_health.fast_again(view.service))
        else:
            self.say(service_health.change(view, instead))
