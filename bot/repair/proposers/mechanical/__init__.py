"""The cheapest proposer: the project's own formatters, linters, lock files and generators, and rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.repair.proposers.mechanical.proposer import MechanicalProposer

if TYPE_CHECKING:
    from bot.llm.base import Model
    from bot.repair.workspace.redaction import Scrub

__all__ = ["MechanicalProposer", "build"]


def build(model: Model | None, scrub: Scrub) -> MechanicalProposer:
    """Return the proposer; it takes neither a model nor a scrub."""
    del model, scrub
    return MechanicalProposer()
