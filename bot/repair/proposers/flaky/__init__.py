"""The flaky proposer: keeps a test from depending on what was measured to decide how it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.repair.proposers.flaky.proposer import FlakyProposer

if TYPE_CHECKING:
    from bot.llm.base import Model
    from bot.repair.workspace.redaction import Scrub

__all__ = ["FlakyProposer", "build"]


def build(model: Model | None, scrub: Scrub) -> FlakyProposer:
    """Return the proposer; it takes neither a model nor a scrub."""
    del model, scrub
    return FlakyProposer()
