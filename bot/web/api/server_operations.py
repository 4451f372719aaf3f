"""What stands beside `/api/v1` for programs that know these paths: `/code`, and the server's health."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from datetime import UTC, datetime
from http import HTTPStatus

from aiohttp import web

from bot import __version__
from bot.storage.run_figures import RunFigures
from bot.storage.run_lists import RunLists
from bot.storage.runs import RunStatus
from bot.web.api.exchange import answer
from bot.web.api.models import CodeRequest
from bot.web.api.operation import Handler, Operation
from bot.web.api.server_models import DetailedHealthPart, HealthPart
from bot.web.caller import CALLER, Scope
from bot.web.health import ServiceHealth, look


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
