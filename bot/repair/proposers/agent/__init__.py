"""A language model with tools: reads, runs, edits and tests until the failure is gone."""

from bot.repair.proposers.agent.judge import ModelJudge
from bot.repair.proposers.agent.proposer import AgentProposer

__all__ = ["AgentProposer", "ModelJudge"]
