"""Carry a session: each prompt is a run that goes on from what the last one published.

The first run that publishes makes the branch and its pull request. From then on, a prompt is a
question about that pull request whose answer is a commit on its branch.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from http import HTTPStatus
from uuid import uuid4

from bot.errors import GitHubError, NotPermitted
from bot.github.github import GitHub
from bot.model.request import id_of_asked
from bot.storage.runs import RunRecord, RunStatus
from bot.storage.sessions import Session, SessionPageOf, SessionRun
from bot.storage.stores import Stores
from bot.web.caller import Caller, Scope
from bot.web.problems import ApiProblem
from bot.web.run_control import RunControl, RunParameters


class Prompts:
    """Acts on sessions. Every method raises `ApiProblem` with a sentence when it can't."""

    def __init__(self, control: RunControl, stores: Stores, github: GitHub) -> None:
        self._control = control
        self._sessions = stores.sessions
        self._runs = stores.runs
        self._github = github

    async def create(self, repository: str, title: str, caller: Caller, key: str = "") -> Session:
        """Create a session; repeated with the same `key`, it is the same one."""
        caller.demand(Scope.RUN)
        repo = await self._control.installed(repository, caller)
        named = f"{repo.identity} {caller.question(key)}" if key else uuid4().hex
        session = Session(
            hashlib.sha256(named.encode()).hexdigest()[:12],
            repo,
            title.strip(),
            caller.name,
            datetime.now(UTC),
        )
        await self._sessions.create(session)
        return session

    async def session(self, session_id: str, caller: Caller) -> Session:
        """Return a session; one that the caller may not see does not exist."""
        caller.demand(Scope.READ)
        found = await self._sessions.get(session_id)
        if found is None or not caller.may_see(found.repo.identity):
            raise ApiProblem(HTTPStatus.NOT_FOUND, f"There is no session {session_id[:40]!r}.")
        return found

    async def page(self, offset: int, limit: int, caller: Caller) -> SessionPageOf:
        """Return some sessions that the caller sees, the youngest first."""
        caller.demand(Scope.READ)
        return await self._sessions.page(offset, limit, caller.sees)

    async def runs(self, session: Session) -> tuple[RunRecord, ...]:
        """Return the runs of a session, in order, without their reports."""
        prompts = await self._sessions.runs(session.id)
        found = {
            run.id: run for run in await self._runs.several([prompt.run_id for prompt in prompts])
        }
        return tuple(found[prompt.run_id] for prompt in prompts if prompt.run_id in found)

    async def add(self, session_id: str, asked: RunParameters, caller: Caller) -> str:
        """Start the run of the next prompt; return its id."""
        caller.demand(Scope.RUN)
        session = await self.session(session_id, caller)
        prompts = await self._sessions.runs(session.id)
        repeated = caller.question(asked.key) if asked.key else ""
        for session_run in prompts:
            if repeated and session_run.key == repeated:
                return session_run.run_id
        runs = await self.runs(session)
        for run in runs:
            if run.status is not RunStatus.DONE:
                raise ApiProblem(
                    HTTPStatus.CONFLICT,
                    f"Run {run.id} of this session hasn't ended yet. Wait for it, or stop it.",
                )
        # named by its place: of two prompts that come at once, one is refused
        prompt = SessionRun(
            len(prompts) + 1,
            id_of_asked(session.repo.identity, _name(session, len(prompts) + 1)),
            repeated,
        )
        if await self._runs.get(prompt.run_id) is not None:
            await self._sessions.add(session.id, replace(prompt, key=""))
            raise ApiProblem(HTTPStatus.CONFLICT, f"Run {prompt.run_id} came first. Ask again.")
        question = replace(
            asked,
            repository=session.repo,
            number=await self._pull_request(runs),
            key=_name(session, prompt.place),
            session=session.id,
        )
        run_id = await self._control.ask(question, caller)
        await self._sessions.add(session.id, prompt)
        return run_id

    async def _pull_request(self, runs: tuple[RunRecord, ...]) -> int | None:
        """Return the number of the pull request that the session has; None before there is one."""
        for run in runs:
            if run.pull_request is None:
                continue
            try:
                pull = await self._github.pull_request(run.repo, run.pull_request)
            except NotPermitted as error:
                raise ApiProblem(HTTPStatus.CONFLICT, str(error)) from error
            except GitHubError as error:
                raise ApiProblem(HTTPStatus.BAD_GATEWAY, str(error)) from error
            if pull.state != "open":
                raise ApiProblem(
                    HTTPStatus.CONFLICT,
                    f"The session's pull request #{run.pull_request} is closed or merged. Create "
                    "another session.",
                )
            return run.pull_request
        return None


def _name(session: Session, place: int) -> str:
    return f"session {session.id} {place}"
