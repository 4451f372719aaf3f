"""The kinds of sandboxes by name, and which of them need a key."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class SandboxKind(StrEnum):
    """Which sandbox runs commands; `auto` takes the first that works here."""

    AUTO = "auto"
    E2B = "e2b"
    DOCKER = "docker"
    BUBBLEWRAP = "bubblewrap"


KEYS: Mapping[SandboxKind, str] = MappingProxyType({SandboxKind.E2B: "E2B_API_KEY"})
"""The variable without which a kind can't be had."""
