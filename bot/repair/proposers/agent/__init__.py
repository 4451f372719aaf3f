"""A language model with tools: reads, runs, edits and tests until the failure is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.repair.proposers.agent.failure_judge import ModelFailureJudge
from bot.repair.proposers.agent.proposer import AgentProposer
from bot.repair.proposers.agent.reviewer import ModelReviewer
from bot.repair.proposers.agent.specifier import ModelSpecifier

if TYPE_CHECKING:
    from bot.llm.base import Model
    from bot.repair.workspace.redaction import Scrub

__all__ = ["AgentProposer", "ModelFailureJudge", "ModelReviewer", "ModelSpecifier", "build"]


def build(model: Model | None, scrub: Scrub) -> AgentProposer:
    """Return the proposer.

    Raises:
        ValueError: Without a model.
    """
    if model is None:
        raise ValueError("the agent needs a model")
    return AgentProposer(model, scrub=scrub)
