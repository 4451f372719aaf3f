"""How an attempt asked a model, as a part of the JSON output."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.model.route import Route


class RoutePart(BaseModel):
    """How an attempt asked a model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    strength: Literal["small", "default", "stronger"] = Field(
        description="Which of the configured models it asked."
    )
    reason: str = Field(description="Why this one; empty where there was nothing to choose.")
    temperature: float | None = Field(description="Temperature; null for the provider's default.")
    approach: Literal["open", "cause", "callers", "examples"] = Field(
        description="Where the model was told to begin; `open` leaves that to it."
    )
    batch: int = Field(
        ge=0, description="Number shared by attempts made side by side; 0 for one made alone."
    )


def route_part(route: Route | None) -> dict[str, Any] | None:
    """Return a route as `RoutePart` has it; None for an attempt that asked no model."""
    if route is None:
        return None
    return {
        "strength": route.strength.value,
        "reason": route.reason,
        "temperature": route.temperature,
        "approach": route.approach.value,
        "batch": route.batch,
    }
