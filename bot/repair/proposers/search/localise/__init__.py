"""Say which lines are suspicious, and why."""

from __future__ import annotations

from bot.repair.proposers.search.localise.suspicion import Suspect, suspects

__all__ = ["Suspect", "suspects"]
