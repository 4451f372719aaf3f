"""The memory proposer: what repaired the very same failure before, merged into today's tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.repair.proposers.memory.proposer import MemoryProposer

if TYPE_CHECKING:
    from bot.llm.base import Model
    from bot.repair.workspace.scrubbing import Scrub

__all__ = ["MemoryProposer", "build"]


def build(model: Model | None, scrub: Scrub) -> MemoryProposer:
    """Return the proposer; it takes neither a model nor a scrub."""
    del model, scrub
    return MemoryProposer()
