"""The composition root: only here are a concrete sandbox, provider and proposer named."""

from __future__ import annotations

from bot.app.composition import build_proposers, choose_sandbox, open_server_tools, open_tools
from bot.app.providers import MODEL_HINT, build_model
from bot.app.sandboxes import DOCKER_IMAGE, SANDBOXES

__all__ = [
    "DOCKER_IMAGE",
    "MODEL_HINT",
    "SANDBOXES",
    "build_model",
    "build_proposers",
    "choose_sandbox",
    "open_server_tools",
    "open_tools",
]
