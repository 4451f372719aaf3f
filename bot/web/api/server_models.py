"""How well the server is, as `/health` and `/health/detailed` tell it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True)


class HealthPart(_Told):
    """The server answers."""

    status: Literal["ok"] = Field(description="Always this.")
    version: str = Field(description="Of Fixpoint.")


class HealthCheckPart(_Told):
    """One thing that was looked at."""

    name: str = Field(description="Of it.")
    ok: bool = Field(description="Whether it is as it should be.")
    detail: str = Field(description="What was seen, in a sentence.")
    weight: int = Field(description="Points that the score loses when it is not.")


class ServicePart(_Told):
    """A model provider or a kind of sandbox, by its recent calls."""

    kind: Literal["model", "sandbox"] = Field(description="Which of the two.")
    name: str = Field(description="Of it.")
    state: Literal["closed", "half-open", "open"] = Field(description="Of its circuit.")
    slow: bool = Field(description="Whether it is slower than usual, so that others are preferred.")
    since: datetime = Field(description="UTC; of this state.")
    calls: int = Field(description="Recent ones.")
    failed: int = Field(description="Of them.")
    error_rate: float = Field(description="From 0 to 1.")
    latency_seconds: float | None = Field(description="90 % were faster; null without calls.")
    usual_latency_seconds: float | None = Field(description="The same over a long time.")
    cost_usd: str | None = Field(description="Decimal text; null when a price is unknown.")
    reason: str = Field(description="Of the last failure; empty without one.")
    doing: str = Field(description="What is done about it.")


class ConcurrencyPart(_Told):
    """How many runs may work at once."""

    limit: int = Field(description="At this moment.")
    most: int = Field(description="When all is well.")
    why: tuple[str, ...] = Field(description="Why there are fewer.")


class DetailedHealthPart(_Told):
    """How well the server is."""

    score: int = Field(ge=0, le=100, description="100 when everything is as it should be.")
    version: str = Field(description="Of Fixpoint.")
    runs: dict[str, int] = Field(description="How many have each status; those that ended: 0.")
    checks: tuple[HealthCheckPart, ...] = Field(description="What was looked at.")
    services: tuple[ServicePart, ...] = Field(description="What runs depend on.")
    concurrency: ConcurrencyPart = Field(description="Of this server.")
    escalated: tuple[str, ...] = Field(description="What a person has to look at, in sentences.")
