"""The pages of the server itself: how well it is, and what is set."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from aiohttp import web

from bot.settings.environment import ServerSettings
from bot.settings.shown import ShownSetting, group_of, shown_settings
from bot.storage.run_figures import RunFigures
from bot.storage.run_lists import RunLists
from bot.storage.runs import RunStatus
from bot.web.caller import CALLER, Scope
from bot.web.health import ServiceHealth, look
from bot.web.pages.frame import Frame


class ServerPages:
    """Answers administrators."""

    def __init__(
        self,
        frame: Frame,
        lists: RunLists,
        figures: RunFigures,
        settings: ServerSettings,
        services: ServiceHealth,
    ) -> None:
        self._frame = frame
        self._lists = lists
        self._figures = figures
        self._settings = settings
        self._services = services

    async def status(self, request: web.Request) -> web.Response:
        """Show how well the server is."""
        request[CALLER].demand(Scope.ADMIN)
        health, standing = await asyncio.gather(
            look(self._lists, self._figures, self._services), self._lists.by_status()
        )
        context = {
            "health": health,
            "standing": {status.value: standing.get(status, 0) for status in RunStatus},
            "concurrency": self._services.concurrency.limit,
            "described": self._services.described(datetime.now(UTC)),
        }
        return self._frame.page(request, "status.html", "Health", context)

    async def settings(self, request: web.Request) -> web.Response:
        """Show the settings in force, never a secret."""
        request[CALLER].demand(Scope.ADMIN)
        shown: tuple[ShownSetting, ...] = shown_settings(self._settings)
        groups: dict[str, list[ShownSetting]] = {}
        for setting in shown:
            groups.setdefault(group_of(setting.name), []).append(setting)
        context = {"groups": list(groups.items())}
        return self._frame.page(request, "settings.html", "Settings", context)
