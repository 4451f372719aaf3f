"""What is said of the commit or the release since which tests fail, and of what it is not."""

from __future__ import annotations

from bot.reporting.example import example


@example("The time for the explanation is up.")
def ended_early(why: str) -> str:
    return f"The search ended early: {why}"
