"""The revert proposer: takes back the part of a commit since which the tests fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.repair.proposers.revert.proposer import RevertProposer

if TYPE_CHECKING:
    from bot.llm.base import Model
    from bot.repair.workspace.scrubbing import Scrub

__all__ = ["RevertProposer", "build"]


def build(model: Model | None, scrub: Scrub) -> RevertProposer:
    """Return the proposer; it takes neither a model nor a scrub."""
    del model, scrub
    return RevertProposer()
