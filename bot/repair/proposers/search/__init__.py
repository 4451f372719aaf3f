"""Repair without a model: find the fault, search for the fix, explain it."""

from __future__ import annotations

from bot.repair.proposers.search.localiser import Localiser
from bot.repair.proposers.search.proposer import SearchProposer

__all__ = ["Localiser", "SearchProposer"]
