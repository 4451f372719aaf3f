"""The proposer that adapts a repository to the release since which its tests fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.repair.proposers.adapt.proposer import AdaptProposer

if TYPE_CHECKING:
    from bot.llm.base import Model
    from bot.repair.workspace.redaction import Scrub

__all__ = ["AdaptProposer", "build"]


def build(model: Model | None, scrub: Scrub) -> AdaptProposer:
    """Return the proposer; it takes neither a model nor a scrub."""
    del model, scrub
    return AdaptProposer()
