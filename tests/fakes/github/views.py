"""How GitHub's API shows what it knows: whole JSON objects, every required field in them."""

from __future__ import annotations

from tests.fakes.github.account_views import Json, node
from tests.fakes.github.ci_views import CiViews
from tests.fakes.github.conversation_views import ConversationViews

__all__ = ["Json", "Views", "node"]


class Views(ConversationViews, CiViews):
    """All of them, under one pair of addresses."""
