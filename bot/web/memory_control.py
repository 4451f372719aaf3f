"""Show and forget what is remembered of a repository, for people on a page and for programs."""

from __future__ import annotations

from http import HTTPStatus

from bot.model.repository import Repo
from bot.model.seen_tests import remembered
from bot.reporting.json_memory import ForgottenPart, MemoryPart, memory_part
from bot.storage.lessons import LessonStore
from bot.storage.memory import MemoryStore
from bot.storage.quarantines import QuarantineStore
from bot.storage.seen_tests import SeenTestStore
from bot.web.caller import Caller, Scope
from bot.web.problems import ApiProblem
from bot.web.rights import Rights

ALL = "all"
"""In place of an id: everything."""


class MemoryControl:
    """Acts on what is remembered. Raises `ApiProblem` with a sentence when it can't."""

    def __init__(
        self,
        entries: MemoryStore,
        lessons: LessonStore,
        tests: SeenTestStore,
        quarantines: QuarantineStore,
        rights: Rights,
    ) -> None:
        self._tests = tests
        self._quarantines = quarantines
        self._entries = entries
        self._lessons = lessons
        self._rights = rights

    async def shown(self, repo: Repo, caller: Caller, limit: int) -> MemoryPart:
        """Return lessons, the newest attempts, and tests that were seen failing."""
        caller.demand(Scope.READ)
        if not caller.may_see(repo.identity):
            raise ApiProblem(HTTPStatus.NOT_FOUND, "There is no such repository here.")
        lessons = await self._lessons.list(repo)
        tests = remembered(await self._tests.of(repo))[:limit]
        quarantined = await self._quarantines.of(repo)
        return memory_part(lessons, await self._entries.list(repo, limit), tests, quarantined)

    async def total(self, repo: Repo) -> int:
        """Return how many attempts are remembered."""
        return sum((await self._entries.counts(repo)).values())

    async def may_forget(self, repo: Repo, caller: Caller) -> bool:
        """Return whether a page has buttons for it."""
        return Scope.RUN in await self._rights.shown(caller, repo)

    async def forget(self, repo: Repo, caller: Caller, named: str) -> ForgottenPart:
        """Forget a lesson, an attempt, those of a run, or all: for who may do so in a comment."""
        await self._rights.demand(caller, Scope.RUN, repo)
        which = None if named == ALL else named
        lessons = await self._lessons.forget(repo, which)
        attempts = await self._entries.forget(repo, which)
        tests = await self._tests.forget(repo) if which is None else 0
        if which is not None and not lessons and not attempts:
            raise ApiProblem(
                HTTPStatus.NOT_FOUND, f"Nothing that is remembered has the ID {named[:60]!r}."
            )
        return ForgottenPart(lessons=lessons, attempts=attempts, tests=tests)
