"""What is remembered of a repository: what earlier runs tried, and lessons of reviews."""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import web

from bot.storage.lessons import LessonStore
from bot.storage.memory import MemoryStore
from bot.web.api.exchange import answer
from bot.web.api.memory_models import MemoryPart, lesson_part, tried_part
from bot.web.api.operation import PREFIX, Operation
from bot.web.api.parameters import LIMIT, Parameter, Words
from bot.web.caller import CALLER, Scope
from bot.web.problems import ApiProblem

_REPOSITORY = Parameter("repository", "`owner/name`; required.", Words(255))


class MemoryOperations:
    """Answers programs that look at what is remembered."""

    def __init__(self, entries: MemoryStore, lessons: LessonStore) -> None:
        self._entries = entries
        self._lessons = lessons

    def operations(self) -> tuple[Operation, ...]:
        """Return what this does."""
        return (
            Operation(
                "GET", f"{PREFIX}/memory", self.show_memory, Scope.READ,
                "Show what is remembered of a repository: lessons, and the newest attempts.",
                None, MemoryPart, query=(_REPOSITORY, LIMIT),
                problems=(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY),
            ),
        )  # fmt: skip

    async def show_memory(self, request: web.Request) -> web.Response:
        """Show lessons and attempts."""
        caller, repository = request[CALLER], _REPOSITORY.of(request)
        caller.demand(Scope.READ)
        if not caller.may_see(repository):
            raise ApiProblem(HTTPStatus.NOT_FOUND, "There is no such repository here.")
        lessons = await self._lessons.list(repository)
        entries = await self._entries.list(repository, LIMIT.of(request))
        return answer(
            MemoryPart(
                lessons=tuple(map(lesson_part, lessons)), attempts=tuple(map(tried_part, entries))
            )
        )
