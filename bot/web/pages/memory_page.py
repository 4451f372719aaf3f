"""The page of what is remembered of one repository, with what forgets it."""

from __future__ import annotations

from aiohttp import web

from bot.web.caller import CALLER
from bot.web.memory_control import ALL, MemoryControl
from bot.web.pages.frame import Frame
from bot.web.pages.repository import KnownRepositories

_MOST_ATTEMPTS = 100


class MemoryPage:
    """Answers with lessons and attempts of a repository that the caller sees."""

    def __init__(self, frame: Frame, known: KnownRepositories, memory: MemoryControl) -> None:
        self._frame = frame
        self._known = known
        self._memory = memory

    async def show(self, request: web.Request) -> web.Response:
        """Show what is remembered."""
        caller = request[CALLER]
        repo = await self._known.of(request)
        context = {
            "repository": repo.full_name,
            "memory": await self._memory.shown(repo, caller, _MOST_ATTEMPTS),
            "total": await self._memory.total(repo),
            "may_forget": await self._memory.may_forget(repo, caller),
            "all": ALL,
        }
        title = f"Memory of {repo.full_name}"
        return self._frame.page(request, "memory.html", title, context)

    async def forget(self, request: web.Request) -> web.Response:
        """Forget something, and show what is left."""
        form = await self._frame.checked_form(request)
        repo = await self._known.of(request)
        await self._memory.forget(repo, request[CALLER], form.get("id", ""))
        raise web.HTTPSeeOther(f"/repositories/{repo.full_name}/memory")
