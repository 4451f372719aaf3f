"""Repair without a model: find the fault, search for the fix, explain it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.repair.proposers.search.localiser import Localiser
from bot.repair.proposers.search.proposer import SearchProposer

if TYPE_CHECKING:
    from bot.llm.base import Model
    from bot.repair.workspace.redaction import Scrub

__all__ = ["Localiser", "SearchProposer", "build"]


def build(model: Model | None, scrub: Scrub) -> SearchProposer:
    """Return the proposer; it takes neither a model nor a scrub."""
    del model, scrub
    return SearchProposer()
