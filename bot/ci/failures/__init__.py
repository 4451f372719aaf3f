"""Readers of what commands print and report, one module each; `registry` asks them in turn."""

from __future__ import annotations

REGISTRY = "bot.ci.failures.registry"
"""What a process apart imports before it reads: the others need none of the readers."""
