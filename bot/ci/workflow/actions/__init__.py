"""What well-known actions do here."""

from bot.ci.workflow.actions.effect import ActionStatus, Effect, Inputs
from bot.ci.workflow.actions.registry import effect_of, is_known

__all__ = ["ActionStatus", "Effect", "Inputs", "effect_of", "is_known"]
