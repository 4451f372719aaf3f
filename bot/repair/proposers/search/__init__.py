"""The proposer that needs no key: it finds the fault, searches the fix, and explains it."""

from __future__ import annotations

from bot.repair.proposers.search.localiser import Localiser
from bot.repair.proposers.search.proposer import SearchProposer

__all__ = ["Localiser", "SearchProposer"]
