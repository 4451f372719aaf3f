"""A request that tests of the stores begin with."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.model.request import FixRequest

REQUEST = FixRequest(
    repository="Octo/Widgets",
    installation_id=7,
    number=12,
    is_pull_request=False,
    actor="ada",
    comment_id=501,
    asked_at=datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
)
