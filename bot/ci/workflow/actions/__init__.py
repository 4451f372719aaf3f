"""What well-known actions do here."""

from bot.ci.workflow.actions.effect import Effect, Inputs, Need
from bot.ci.workflow.actions.registry import effect_of

__all__ = ["Effect", "Inputs", "Need", "effect_of"]
