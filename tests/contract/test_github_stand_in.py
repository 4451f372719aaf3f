"""The stand-in refuses what GitHub refuses: without that, no test of ours would mean much."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import jwt
import pytest

from tests.fakes.github import GitHubServer, GitHubState, Repository
from tests.fakes.github.repository import environment


@dataclass
class Raw:
    """Plain HTTP to the stand-in."""

    state: GitHubState
    server: GitHubServer
    session: aiohttp.ClientSession
    repository: Repository
    installation: int

    async def call(
        self, method: str, path: str, credential: str, body: Any = None
    ) -> tuple[int, Any, Mapping[str, str]]:
        """Return status, JSON and headers."""
        headers = {"Authorization": f"Bearer {credential}"} if credential else {}
        async with self.session.request(
            method, self.server.api_url + path, json=body, headers=headers
        ) as answer:
            return answer.status, await answer.json(), answer.headers

    def jwt(self, **claims: Any) -> str:
        """Return an App JWT."""
        now = int(time.time())
        plain = {"iat": now - 60, "exp": now + 300, "iss": str(self.state.app.id)}
        return jwt.encode({**plain, **claims}, self.state.app.private_key, algorithm="RS256")

    def token(self, **permissions: str) -> str:
        """Return an installation token for the repository."""
        installation = self.state.installations[self.installation]
        return self.state.mint(installation, permissions, [self.repository]).value


@pytest.fixture
async def raw(tmp_path: Path) -> AsyncIterator[Raw]:
    """A private repository with an issue."""
    state = GitHubState(tmp_path)
    repository = state.add_repository("acme/app", {"a.txt": "a"}, private=True)
    state.open_issue(repository, "ada", "Title")
    installation = state.install("acme")
    async with GitHubServer(state) as server, aiohttp.ClientSession() as session:
        yield Raw(state, server, session, repository, installation.id)


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "1"},
        {"exp": -5},
        {"exp": 3600},
        {"iat": 600},
    ],
    ids=["another App", "expired", "too long", "from the future"],
)
async def test_app_tokens_are_checked(raw: Raw, claims: dict[str, Any]) -> None:
    """Issuer, end and beginning of a JWT matter."""
    assert (await raw.call("GET", "/app", raw.jwt()))[0] == 200
    now = int(time.time())
    given = {
        name: now + claim if isinstance(claim, int) else claim for name, claim in claims.items()
    }
    assert (await raw.call("GET", "/app", raw.jwt(**given)))[0] == 401


async def test_an_app_token_by_another_key_is_refused(raw: Raw) -> None:
    """The signature is checked against the App's key, whatever algorithm the token names."""
    claims = {"iat": 1, "exp": int(time.time()) + 300, "iss": str(raw.state.app.id)}
    forged = jwt.encode(claims, "secret" * 8, algorithm="HS256")
    assert (await raw.call("GET", "/app", forged))[0] == 401


async def test_tokens_end_after_an_hour(raw: Raw) -> None:
    """An expired token is as bad as none."""
    token = raw.token(issues="read")
    assert (await raw.call("GET", "/repos/acme/app/issues/1", token))[0] == 200
    raw.state.advance(3601)
    assert (await raw.call("GET", "/repos/acme/app/issues/1", token))[0] == 401


async def test_permissions_are_held_to(raw: Raw) -> None:
    """Reading does not allow writing, and the refusal names what would."""
    body = {"body": "hi"}
    status, answer, headers = await raw.call(
        "POST", "/repos/acme/app/issues/1/comments", raw.token(issues="read"), body
    )
    assert (status, answer["message"]) == (403, "Resource not accessible by integration")
    assert headers["X-Accepted-GitHub-Permissions"] == "issues=write; pull_requests=write"
    pulls_only = raw.token(pull_requests="write")
    assert (await raw.call("POST", "/repos/acme/app/issues/1/comments", pulls_only, body))[0] == 403


async def test_other_repositories_are_hidden(raw: Raw) -> None:
    """A token for one private repository does not see another one of the same account."""
    raw.state.add_repository("acme/secret", {"a": "a"}, private=True)
    token = raw.token(contents="read")
    assert (await raw.call("GET", "/repos/acme/secret", token))[0] == 404
    assert (await raw.call("GET", "/repos/acme/app", token))[0] == 200


async def test_nobody_gets_nothing(raw: Raw) -> None:
    """Without credentials there is no API here."""
    assert (await raw.call("GET", "/repos/acme/app", ""))[0] == 401


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("/issues/1/comments", {"body": "a", "colour": 1}, '"colour" is not a permitted key.'),
        ("/issues/1/comments", {}, '"body" wasn\'t supplied.'),
        ("/issues/1/comments", {"body": 5}, "For 'body': Input should be a valid string"),
        ("/issues/1/reactions", {"content": "shrug"}, "For 'content'"),
    ],
)
async def test_bodies_are_checked(raw: Raw, path: str, body: dict[str, Any], message: str) -> None:
    """Unknown, missing and mistyped fields are a 422."""
    status, answer, _ = await raw.call(
        "POST", f"/repos/acme/app{path}", raw.token(issues="write"), body
    )
    assert status == 422
    assert message in answer["message"]


async def test_pages_link_to_each_other(raw: Raw) -> None:
    """The Link header leads through all comments."""
    issue = raw.repository.issues[1]
    for n in range(5):
        raw.state.add_comment(issue, "ada", f"{n}")
    url = "/repos/acme/app/issues/1/comments?per_page=2"
    _, answer, headers = await raw.call("GET", f"{url}&page=2", raw.token(issues="read"))
    assert [item["body"] for item in answer] == ["2", "3"]
    links = [part.partition("rel=")[2] for part in headers["Link"].split(", ")]
    assert links == ['"next"', '"last"', '"prev"', '"first"']


async def test_the_hourly_limit_ends(raw: Raw) -> None:
    """After 5000 calls GitHub refuses until the reset."""
    raw.state.used[str(raw.installation)] = 5000
    status, _, headers = await raw.call("GET", "/repos/acme/app", raw.token())
    assert (status, headers["X-RateLimit-Remaining"]) == (403, "0")


async def test_a_push_moves_the_pull_request(raw: Raw, tmp_path: Path) -> None:
    """Git over HTTP writes with `contents: write`; an open pull request follows its branch."""
    raw.state.push(raw.repository, "topic", {"b.txt": "b"})
    raw.state.open_pull_request(raw.repository, "ada", "Topic", head="topic")
    address = raw.server.web_url.replace("://", f"://x-access-token:{raw.token(contents='write')}@")
    clone = tmp_path / "clone"
    script = f"""
        git clone -q -b topic {address}/acme/app.git {clone} && cd {clone} &&
        git -c user.name=a -c user.email=a@b commit -q --allow-empty -m more &&
        git push -q origin HEAD:topic && git rev-parse HEAD
    """
    process = await asyncio.create_subprocess_shell(
        script, stdout=asyncio.subprocess.PIPE, env=environment()
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    head = output.decode().strip()
    assert raw.repository.git.reference("refs/pull/2/head") == head
