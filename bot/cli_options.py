"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum


class SandboxChoice(StrEnum):
    """Which sandbox runs commands."""

    AUTO = "auto"
    E2B = "e2b"
    DOCKER = "docker"
    BUBBLEWRAP = "bubblewrap"
