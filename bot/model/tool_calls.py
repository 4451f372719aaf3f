"""How a model is offered its tools."""

from __future__ import annotations

from enum import StrEnum


class ToolCalls(StrEnum):
    """Through the API's own field, or in words."""

    AUTO = "auto"
    NATIVE = "native"
    TEXT = "text"
