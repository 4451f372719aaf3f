"""People log in with GitHub, see what they see there, and may do what its rules say."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest

from bot.model import Verdict
from bot.model.request import FailedCheck, FailedCommit, FixRequest
from bot.storage.approvals import ApprovalStore
from bot.storage.runs import RunStatus
from tests.fakes.github import GitHubServer
from tests.flows.test_approval import REQUIREMENTS, RISKY
from tests.flows.test_dashboard import answer_form, browser, csrf, page
from tests.flows.world import World, attempts, entered, open_scene

HOSTILE = '<img src=x onerror=document.title=1>: ["<b>"]\n# \u202e</pre><script>document.title=1</script>\n'
"""Of names and configs that somebody chose to be nasty."""


@asynccontextmanager
async def open_world(root: Path, environ: Mapping[str, str] | None = None) -> AsyncIterator[World]:
    """Open a world in which people can log in, and there is a repository that few see."""
    async with open_scene(root, attempts(RISKY), files=REQUIREMENTS) as scene:
        scene.state.add_repository("acme/secret", {"a": "a"}, private=True, roles={"wes": "write"})
        app = scene.state.app
        login = {
            "HOST": "0.0.0.0",
            "GITHUB_CLIENT_ID": app.client_id,
            "GITHUB_CLIENT_SECRET": app.client_secret,
            "FIXPOINT_ADMINS": "@Root",
        }
        for login_name in ("root", "eve"):
            scene.state.account(login_name)
        async with entered(scene, root, {**login, **(environ or {})}) as world:
            app.callback_urls.append(str(world.web.make_url("/login/github/callback")))
            yield world


async def log_in(web: aiohttp.ClientSession, github: GitHubServer, who: str) -> None:
    """Log in as somebody, who allows the App to know that."""
    async with web.get("/login/github", allow_redirects=False) as answer:
        there = answer.headers["Location"]
    assert there.startswith(f"{github.web_url}/login/oauth/authorize?")
    async with web.post(there, data={"login": who, "answer": "yes"}) as answer:
        assert (answer.status, answer.url.path) == (200, "/"), await answer.text()


async def run_in(world: World, repository: str) -> str:
    """Store a run of a repository that found a flaky failure; return its id."""
    installation = next(iter(world.state.installations))
    request = FixRequest(
        repository=repository,
        installation_id=installation,
        number=None,
        is_pull_request=False,
        actor="wes",
        comment_id=None,
        asked_at=world.state.now(),
        failed=FailedCommit(
            "a" * 40, "main", "main", checks=(FailedCheck(HOSTILE, url="javascript:alert(1)"),)
        ),
        repository_id=world.state.repositories[repository].id,
    )
    await world.server.runs.create(request, "delivery")
    await world.server.runs.update(
        request.run_id, status=RunStatus.DONE, verdict=Verdict.FLAKY, reason=HOSTILE
    )
    return request.run_id


@pytest.mark.slow
async def test_people_see_their_repositories_and_act_by_their_rules(tmp_path: Path) -> None:
    """One with the role approves; one without does not; what somebody can't see is not there."""
    async with open_world(tmp_path) as world, browser(world) as ada, browser(world) as wes:
        secret = await run_in(world, "acme/secret")
        await world.comment("/fix")
        await world.settled()
        run = (await world.run()).id

        await log_in(wes, world.github, "wes")  # may write, may not approve: that takes maintain
        listed = await page(wes, "/")
        assert all(words in listed for words in (secret, run, "New run"))
        assert 'href="/settings"' not in listed
        html = await page(wes, f"/runs/{run}")
        assert "Reject" in html
        assert "Approve" not in html
        for path, data in (
            (f"/runs/{run}/approve", {"csrf": csrf(html)}),
            ("/settings", None),
            ("/metrics", None),
        ):
            method = "GET" if data is None else "POST"
            async with wes.request(method, path, data=data) as answer:
                assert answer.status == 403
                said = await answer.text()
            assert "requires the role maintain" in said or "requires the scope `admin`" in said

        await log_in(ada, world.github, "ada")
        assert secret not in await page(ada, "/?q=acme")
        for path in ("", "/live", "/patch"):
            base = "/api/v1" if path == "/patch" else ""
            async with ada.get(f"{base}/runs/{secret}{path}") as answer:
                assert (answer.status, secret in await answer.text()) == (404, True)
        async with ada.get("/api/v1/repositories") as answer:
            assert "secret" not in await answer.text()
        asked = {"repository": "acme/secret", "prompt": "x"}
        async with ada.post("/api/v1/runs", json=asked) as answer:
            assert (answer.status, "isn't installed" in await answer.text()) == (404, True)
        html = await page(ada, f"/runs/{run}")
        async with ada.post(f"/runs/{run}/approve", data=answer_form(html)) as answer:
            assert answer.status == 200
        await world.until(lambda: bool(world.pulls()))
        await world.settled()
        approval = await ApprovalStore(world.server.database).get(run)
        assert approval is not None
        assert approval.by == "ada"


async def test_who_may_not(tmp_path: Path) -> None:
    """Strangers see nothing, readers start nothing, admins see all; revoked access ends."""
    async with open_world(tmp_path) as world:
        secret = await run_in(world, "acme/secret")
        async with browser(world) as web:
            await log_in(web, world.github, "eve")
            assert "Nothing has run yet" in await page(web, "/")
            async with web.get("/new") as answer:
                assert answer.status == 403
        async with browser(world) as web:
            await log_in(web, world.github, "rea")
            asked = {"repository": "acme/app", "prompt": "x"}
            async with web.post("/api/v1/runs", json=asked) as answer:
                assert answer.status == 403
            html = await page(web, "/repositories/acme/app/memory")
            assert "Forget" not in html
            for token, words in (
                ("0", "out of date"),
                (csrf(html), "may not start, stop or retry runs, or forget"),
            ):
                form = {"csrf": token, "id": "all"}
                async with web.post("/repositories/acme/app/memory", data=form) as answer:
                    assert (answer.status, words in await answer.text()) == (403, True)
            async with web.delete("/api/v1/memory?repository=acme/app&id=all") as answer:
                assert answer.status == 403
            for path in (
                "/repositories/acme/secret/memory",
                "/api/v1/memory?repository=acme/secret",
            ):
                async with web.get(path) as answer:
                    assert answer.status == 404
        async with browser(world) as web:
            await log_in(web, world.github, "root")
            assert secret in await page(web, "/")
            html = await page(web, "/settings")
            assert world.state.app.client_secret not in html
            async with web.post("/logout", data={"csrf": csrf(html)}) as answer:
                assert answer.url.path == "/login"
        assert [user_token.revoked for user_token in world.state.user_tokens.values()] == [
            False,
            False,
            True,
        ]


async def test_log_ins_that_fail(tmp_path: Path) -> None:
    """A state of somebody else's, a refusal, a code that is used: the page says what happened."""
    async with open_world(tmp_path) as world, browser(world) as web:
        async with web.get("/runs/x?a=b") as answer:
            assert str(answer.url.relative()) == "/login?next=/runs/x?a%3Db"
            assert "/login/github?next=/runs/x%3Fa%3Db" in await answer.text()
        async with web.get("/login/github/callback?code=x&state=y") as answer:
            assert (answer.status, "in this browser" in await answer.text()) == (403, True)
        async with web.get("/login/github?next=//evil.test/", allow_redirects=False) as answer:
            asked = parse_qs(urlsplit(answer.headers["Location"]).query)
            [cookie] = web.cookie_jar
            assert asked["state"][0] not in cookie.value
        there = answer.headers["Location"]
        async with web.post(there, data={"login": "ada", "answer": "no"}) as answer:
            assert (answer.status, "wasn&#39;t allowed" in await answer.text()) == (403, True)
        back = f"/login/github/callback?code=wrong&state={asked['state'][0]}"
        async with web.get(back) as answer:
            assert (answer.status, "used already" in await answer.text()) == (403, True)
        async with web.post(there, data={"login": "ada", "answer": "yes"}) as answer:
            assert (answer.status, answer.url.path) == (200, "/")
        [session] = [morsel for morsel in web.cookie_jar if morsel.key == "fixpoint_session"]
        assert (session["httponly"], session["samesite"]) == (True, "Lax")
        [token] = world.state.user_tokens
        assert token not in session.value
