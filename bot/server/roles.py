"""What a process of the server does: take requests, do the work, or both."""

from __future__ import annotations

from enum import StrEnum


class ServerRole(StrEnum):
    """The part of a process."""

    SERVE = "serve"
    WEB = "web"
    WORKER = "worker"

    @property
    def works(self) -> bool:
        """Whether it carries runs, works through deliveries, and takes over from the dead."""
        return self is not ServerRole.WEB

    @property
    def answers(self) -> bool:
        """Whether it takes webhooks and shows pages."""
        return self is not ServerRole.WORKER
