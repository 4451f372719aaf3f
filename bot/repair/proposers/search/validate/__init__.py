"""Try candidates in the sandbox until enough of them are plausible, or the time is up."""

from __future__ import annotations

from bot.repair.proposers.search.validate.trials import Trials, Tried

__all__ = ["Trials", "Tried"]
