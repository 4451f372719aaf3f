"""What stands beside `/api/v1` for programs that know these paths: `/code`, and the server's health."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Literal

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field

from bot import __version__
from bot.storage.run_figures import RunFigures
from bot.storage.run_lists import RunLists
from bot.storage.runs import RunStatus
from bot.web.api.exchange import answer
from bot.web.api.models import CodeRequest
from bot.web.api.operation import Handler, Operation
from bot.web.caller import CALLER, Scope
from bot.web.health import ServiceHealth, look


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


class ServerOperations:
    """Answers clients of Tiny Backspace, and whoever watches the server."""

    def __init__(
        self, code: Handler, lists: RunLists, figures: RunFigures, services: ServiceHealth
    ) -> None:
        self._code = code
        self._lists = lists
        self._figures = figures
        self._services = services

    def operations(self) -> tuple[Operation, ...]:
        """Return what this does."""
        return (
            Operation(
                "POST", "/code", self.start_and_follow, Scope.RUN,
                "Start a run and follow it to its end, as server-sent events of the kinds that "
                "clients of Tiny Backspace read.",
                CodeRequest, "text/event-stream", repeatable=True, creates=False,
                problems=(HTTPStatus.UNPROCESSABLE_ENTITY,),
            ),
            Operation(
                "GET", "/health", self.show_health, None,
                "Show that the server answers.",
                None, HealthPart,
            ),
            Operation(
                "GET", "/health/detailed", self.show_detailed_health, Scope.ADMIN,
                "Show how well the server is, as a score with what lowers it.",
                None, DetailedHealthPart,
            ),
        )  # fmt: skip

    async def start_and_follow(self, request: web.Request) -> web.StreamResponse:
        """Start a run and tell what happens."""
        return await self._code(request)

    async def show_health(self, _: web.Request) -> web.Response:
        """Answer that the server answers."""
        return answer(HealthPart(status="ok", version=__version__))

    async def show_detailed_health(self, request: web.Request) -> web.Response:
        """Answer how well the server is."""
        request[CALLER].demand(Scope.ADMIN)
        health, standing = await asyncio.gather(
            look(self._lists, self._figures, self._services), self._lists.by_status()
        )
        return answer(
            DetailedHealthPart.model_validate(
                {
                    "score": health.score,
                    "version": __version__,
                    "runs": {status.value: standing.get(status, 0) for status in RunStatus},
                    "checks": [asdict(check) for check in health.checks],
                    **self._services.described(datetime.now(UTC)),
                }
            )
        )
