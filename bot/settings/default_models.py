"""The models that are asked where nobody names others."""

from __future__ import annotations

ANTHROPIC_MODEL = "claude-sonnet-5-5"
ANTHROPIC_STRONGER_MODEL = "claude-opus-5-5"
