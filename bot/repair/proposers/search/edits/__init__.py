"""Think of edits that could mend a suspicious place, and rank them."""

from __future__ import annotations

from bot.repair.proposers.search.edits.candidates import TOGETHER, Candidate, candidates

__all__ = ["TOGETHER", "Candidate", "candidates"]
