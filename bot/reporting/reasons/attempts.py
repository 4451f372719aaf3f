"""How attempts ended that left no patch."""

from __future__ import annotations

from bot.reporting.example import example


@example("mechanical", "No formatter or linter is configured.")
def no_patch(proposer: str, summary: str) -> str:
    """A proposer that needs no model found nothing to change."""
    return f"{proposer}: {summary}"
