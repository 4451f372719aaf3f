"""Who somebody is that logged in with GitHub, and what they see: asked anew every few minutes."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from http import HTTPStatus

import structlog
from cachetools import LRUCache
from pydantic import SecretStr

from bot.errors import GitHubError
from bot.github.github import GitHub
from bot.github.people import Person
from bot.github.refusals import CredentialRejected
from bot.web.caller import Caller, Scope
from bot.web.problems import ApiProblem
from bot.web.sessions import LoginSession

FRESH_SECONDS = 60.0
LONGEST_SECONDS = 240.0
MOST_PEOPLE = 1_000

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Known:
    person: Person
    at: float


class People:
    """Turns sessions into callers."""

    def __init__(
        self,
        github: GitHub,
        admins: frozenset[str],
        *,
        fresh: float = FRESH_SECONDS,
        longest: float = LONGEST_SECONDS,
    ) -> None:
        """Say whom to ask.

        Args:
            github: Knows what people see.
            admins: Logins, in lower case, of those who may do everything.
            fresh: Seconds in which nothing is asked again.
            longest: Seconds that what is known counts. Behind `fresh` it is asked anew beside the
                request; behind this, the request waits for it.
        """
        self._fresh = fresh
        self._longest = longest
        self._github = github
        self._admins = admins
        self._known: LRUCache[str, _Known] = LRUCache(MOST_PEOPLE)
        self._asking: dict[str, asyncio.Task[Person]] = {}

    async def caller(self, session: LoginSession, token: SecretStr) -> Caller | None:
        """Return who has a session; None once GitHub no longer accepts their token.

        Raises:
            ApiProblem: When GitHub does not answer, and what is known is too old.
        """
        known = self._known.get(session.key)
        age = float("inf") if known is None else time.monotonic() - known.at
        try:
            if known is None or age > self._longest:
                person = await asyncio.shield(self._ask(session, token))
            else:
                person = known.person
                if age > self._fresh:
                    self._ask(session, token)
        except CredentialRejected:
            return None
        except GitHubError as error:
            raise ApiProblem(
                HTTPStatus.SERVICE_UNAVAILABLE, f"Your access can't be read right now. {error}"
            ) from error
        return self._caller(person)

    def forget(self, session: LoginSession) -> None:
        """Take note that somebody logged out."""
        self._known.pop(session.key, None)

    def _ask(self, session: LoginSession, token: SecretStr) -> asyncio.Task[Person]:
        """Return what asks GitHub; several requests of a session wait for the same."""
        task = self._asking.get(session.key)
        if task is None:
            task = asyncio.create_task(self._read(session.key, token))
            task.add_done_callback(_heard)
            self._asking[session.key] = task
        return task

    async def _read(self, key: str, token: SecretStr) -> Person:
        try:
            person = await self._github.person(token)
        except CredentialRejected:
            self._known.pop(key, None)
            raise
        finally:
            del self._asking[key]
        self._known[key] = _Known(person, time.monotonic())
        if person.is_cut_off:
            _log.warning("a person sees more repositories than are read", login=person.login)
        return person

    def _caller(self, person: Person) -> Caller:
        if person.login.lower() in self._admins:
            return Caller(person.login, None, frozenset(Scope))
        scopes = {Scope.READ}
        if any(role.may_write for role in person.repositories.values()):
            scopes |= {Scope.RUN, Scope.APPROVE}
        return Caller(
            person.login, frozenset(person.repositories), frozenset(scopes), login=person.login
        )


def _heard(task: asyncio.Task[Person]) -> None:
    """Log what nobody may have waited for."""
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.info("a person's access was not read", problem=str(error))
