"""What is remembered of a repository: what earlier runs tried, and lessons of reviews."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus

from aiohttp import web

from bot.model.repository import Repo
from bot.reporting.json_memory import ForgottenPart, MemoryPart
from bot.web.api.exchange import answer
from bot.web.api.operation import PREFIX, Operation
from bot.web.api.parameters import LIMIT, Parameter, Words
from bot.web.caller import CALLER, Caller, Scope
from bot.web.memory_control import ALL, MemoryControl
from bot.web.problems import ApiProblem

_REPOSITORY = Parameter("repository", "`owner/name`; required.", Words(255))
_ID = Parameter("id", f"Of a lesson, an attempt or a run; `{ALL}` for everything.", Words(60))
_PROBLEMS = (HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY)


class MemoryOperations:
    """Answers programs that look at what is remembered, or have it forgotten."""

    def __init__(
        self,
        memory: MemoryControl,
        known: Callable[[str, Caller], Awaitable[Repo]],
        installed: Callable[[str, Caller], Awaitable[Repo]],
    ) -> None:
        self._memory = memory
        self._known = known
        self._installed = installed

    def operations(self) -> tuple[Operation, ...]:
        """Return what this does."""
        return (
            Operation(
                "GET", f"{PREFIX}/memory", self.show_memory, Scope.READ,
                "Show what is remembered of a repository: lessons, the newest attempts, and failing tests.",
                None, MemoryPart, query=(_REPOSITORY, LIMIT), problems=_PROBLEMS,
            ),
            Operation(
                "DELETE", f"{PREFIX}/memory", self.forget_memory, Scope.RUN,
                "Forget what is remembered of a repository, or a part of it.",
                None, ForgottenPart, query=(_REPOSITORY, _ID), problems=_PROBLEMS,
            ),
        )  # fmt: skip

    async def show_memory(self, request: web.Request) -> web.Response:
        """Show lessons and attempts."""
        caller, limit = request[CALLER], LIMIT.of(request)
        repo = await self._known(_REPOSITORY.of(request), caller)
        return answer(await self._memory.shown(repo, caller, limit))

    async def forget_memory(self, request: web.Request) -> web.Response:
        """Forget lessons and attempts."""
        caller, named = request[CALLER], _ID.of(request)
        caller.demand(Scope.RUN)
        if not named:
            raise ApiProblem(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                f"Name what to forget with `id`; `{ALL}` forgets everything.",
            )
        repo = await self._installed(_REPOSITORY.of(request), caller)
        return answer(await self._memory.forget(repo, caller, named))
