"""Think of edits that could mend a suspicious place, and rank them."""

from __future__ import annotations

from bot.repair.proposers.search.edits.candidates import Candidate, candidates
from bot.repair.proposers.search.edits.units import TOGETHER

__all__ = ["TOGETHER", "Candidate", "candidates"]
