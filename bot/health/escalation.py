"""Decide when a person has to look at a service that fails, and when that is over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.health.events import Escalated, EscalationOver
from bot.health.service import ServiceKind, ServiceView


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
