"""The cheapest proposer: the project's own formatters, linters, lock files and generators."""

from __future__ import annotations

from bot.repair.proposers.mechanical.proposer import MechanicalProposer

__all__ = ["MechanicalProposer"]
