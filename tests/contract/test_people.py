"""People who logged in with GitHub, as a real client reads them from the stand-in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest
from pydantic import SecretStr

from bot.github.github import GitHub
from bot.web.caller import Scope
from bot.web.people import People
from bot.web.problems import ApiProblem
from bot.web.sessions import LoginSession
from tests.fakes.github import GitHubServer, GitHubState, Trouble
from tests.fakes.github.conformance import check_exchanges
from tests.fakes.github.model import UserToken

READ = frozenset({Scope.READ})
WRITE = READ | {Scope.RUN, Scope.APPROVE}


@dataclass
class Scene:
    """GitHub, and what asks it."""

    state: GitHubState
    github: GitHub

    def session(self, login: str) -> tuple[LoginSession, SecretStr]:
        """Return the session of somebody who logged in."""
        value = f"ghu_{login}"
        end = self.state.now() + timedelta(hours=8)
        self.state.user_tokens[value] = UserToken(value, self.state.account(login), end)
        return LoginSession(login, "csrf"), SecretStr(value)


@asynccontextmanager
async def scene(root: Path) -> AsyncIterator[Scene]:
    """Open a GitHub with repositories of two accounts."""
    state = GitHubState(root)
    state.add_repository("Acme/App", {"a": "a"}, roles={"ada": "read"})
    state.add_repository("acme/secret", {"a": "a"}, private=True, roles={"ada": "write"})
    state.add_repository("other/app", {"a": "a"}, private=True, roles={"ada": "admin"})
    state.add_repository("third/app", {"a": "a"}, private=True, roles={"ada": "admin"})
    state.install("Acme")
    state.install("acme")
    state.install("other")
    async with GitHubServer(state) as server, aiohttp.ClientSession() as session:
        yield Scene(
            state,
            GitHub(
                session,
                app_id=str(state.app.id),
                private_key=SecretStr(state.app.private_key),
                api_url=server.api_url,
                web_url=server.web_url,
            ),
        )
    check_exchanges(state.exchanges)


async def test_what_people_see(tmp_path: Path) -> None:
    """What they were given and the App is installed on; who was given nothing sees nothing."""
    async with scene(tmp_path) as there:
        people = People(there.github, frozenset({"root"}))
        ada = await people.caller(*there.session("ada"))
        assert ada is not None
        assert (ada.name, ada.login, ada.scopes) == ("ada", "ada", WRITE)
        seen = ("Acme/App", "acme/secret", "other/app")
        assert ada.sees == frozenset(str(there.state.repositories[name].id) for name in seen)
        eve = await people.caller(*there.session("eve"))
        assert eve is not None
        assert (eve.sees, eve.scopes) == (frozenset(), READ)
        root = await people.caller(*there.session("Root"))
        assert root is not None
        assert (root.sees, root.scopes, root.login) == (None, frozenset(Scope), "")


async def test_more_repositories_than_fit_on_a_page(tmp_path: Path) -> None:
    """All pages are read."""
    async with scene(tmp_path) as there:
        first = there.state.repositories["acme/secret"]
        for number in range(120):
            name = f"acme/r{number}"
            there.state.repositories[name] = type(first)(
                10**6 + number, first.owner, f"r{number}", first.git, "main", first.created_at,
                private=True, roles={"ada": "triage"},
            )  # fmt: skip
        ada = await People(there.github, frozenset()).caller(*there.session("ada"))
        assert ada is not None
        assert ada.sees is not None
        assert len(ada.sees) == 123


async def test_access_that_is_revoked_ends(tmp_path: Path) -> None:
    """What GitHub shows no more is not seen any more; a token that it rejects ends the session."""
    async with scene(tmp_path) as there:
        people = People(there.github, frozenset(), fresh=0, longest=0)
        session, token = there.session("ada")
        before = await people.caller(session, token)
        del there.state.repositories["acme/secret"].roles["ada"]
        now = await people.caller(session, token)
        assert before is not None
        assert before.sees is not None
        assert now is not None
        secret = there.state.repositories["acme/secret"].id
        assert now.sees == before.sees - {str(secret)}
        there.state.user_tokens[token.get_secret_value()].revoked = True
        assert await people.caller(session, token) is None


async def test_what_is_known_counts_for_a_while(tmp_path: Path) -> None:
    """While GitHub is away, people are who they were; then they are told that it is."""
    async with scene(tmp_path) as there:
        session, token = there.session("ada")
        for longest, lasts in ((3600, True), (0, False)):
            people = People(there.github, frozenset(), fresh=0, longest=longest)
            assert await people.caller(session, token) is not None
            there.state.faults.add(Trouble.BAD_GATEWAY, times=20)
            if lasts:
                assert await people.caller(session, token) is not None
            else:
                with pytest.raises(ApiProblem, match="right now"):
                    await people.caller(session, token)
            there.state.faults.pending.clear()
