"""Mutations of suspicious lines, ranked."""

from __future__ import annotations

from bot.repair.proposers.search.mutations.candidates import Candidate, candidates
from bot.repair.proposers.search.mutations.places import TOGETHER

__all__ = ["TOGETHER", "Candidate", "candidates"]
