"""Sessions: several prompts on one branch, each of which goes on from the last."""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import web

from bot.storage.sessions import Session
from bot.web.api.exchange import answer, given, idempotency_key, link, next_page, started
from bot.web.api.models import (
    NewPrompt,
    NewSession,
    SessionPage,
    SessionPart,
    StartedPart,
    run_part,
)
from bot.web.api.operation import PREFIX, Operation
from bot.web.api.parameters import LIMIT, OFFSET
from bot.web.api.run_operations import ASKED
from bot.web.caller import CALLER, Scope
from bot.web.prompts import Prompts

_SESSION = f"{PREFIX}/sessions/{{id}}"


class SessionOperations:
    """Answers programs that carry a session."""

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts

    def operations(self) -> tuple[Operation, ...]:
        """Return what this does."""
        return (
            Operation(
                "GET", f"{PREFIX}/sessions", self.list_sessions, Scope.READ,
                "List sessions, the youngest first.",
                None, SessionPage, query=(LIMIT, OFFSET), paged=True,
                problems=(HTTPStatus.UNPROCESSABLE_ENTITY,),
            ),
            Operation(
                "POST", f"{PREFIX}/sessions", self.create_session, Scope.RUN,
                "Create a session. Nothing runs before its first prompt.",
                NewSession, SessionPart, HTTPStatus.CREATED, problems=ASKED, repeatable=True,
            ),
            Operation(
                "GET", _SESSION, self.show_session, Scope.READ, "Show a session and its runs.",
                None, SessionPart, problems=(HTTPStatus.NOT_FOUND,),
            ),
            Operation(
                "POST", f"{_SESSION}/prompts", self.add_prompt, Scope.RUN,
                "Start a run that goes on from what the last one published.",
                NewPrompt, StartedPart, HTTPStatus.ACCEPTED,
                problems=(*ASKED, HTTPStatus.CONFLICT), repeatable=True,
            ),
        )  # fmt: skip

    async def list_sessions(self, request: web.Request) -> web.Response:
        """List sessions."""
        limit, caller = LIMIT.of(request), request[CALLER]
        page = await self._prompts.page(OFFSET.of(request), limit, caller)
        parts = tuple([await self._part(session) for session in page.sessions])
        following = next_page(request, len(parts), page.total)
        response = answer(SessionPage(sessions=parts, total=page.total, next=following))
        link(response, request, len(parts), page.total, limit)
        return response

    async def create_session(self, request: web.Request) -> web.Response:
        """Create a session."""
        asked = await given(request, NewSession)
        session = await self._prompts.create(
            asked.repository, asked.title, request[CALLER], idempotency_key(request)
        )
        part = await self._part(session)
        response = answer(part, HTTPStatus.CREATED)
        response.headers["Location"] = part.url
        return response

    async def show_session(self, request: web.Request) -> web.Response:
        """Show a session."""
        session = await self._prompts.session(request.match_info["id"], request[CALLER])
        return answer(await self._part(session))

    async def add_prompt(self, request: web.Request) -> web.Response:
        """Start the next run."""
        asked = await given(request, NewPrompt)
        session_id, caller = request.match_info["id"], request[CALLER]
        parameters = asked.parameters("", idempotency_key(request))
        return started(await self._prompts.add(session_id, parameters, caller))

    async def _part(self, session: Session) -> SessionPart:
        runs = await self._prompts.runs(session)
        published = [run.pull_request_url for run in runs if run.pull_request is not None]
        return SessionPart(
            id=session.id,
            repository=session.repo.full_name,
            title=session.title,
            url=f"{PREFIX}/sessions/{session.id}",
            pull_request_url=published[0] if published else None,
            started_by=session.started_by,
            created_at=session.created_at,
            runs=tuple(map(run_part, runs)),
        )
