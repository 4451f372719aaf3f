"""Programs with keys: what each may, how often, and from which pages."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import aiohttp
import pytest

from tests.fakes.webhook_receiver import open_receiver
from tests.flows.command_line import ended, started
from tests.flows.world import FILES, RIGHT, World, attempts, open_world

ADMIN = "a-token-of-an-administrator"
ENVIRON = {"FIXPOINT_ADMIN_TOKEN": ADMIN, "FIXPOINT_API_ORIGINS": "https://app.test"}


async def command(world: World, *words: str) -> str:
    """Run a command of ours with the server's environment; return what it printed."""
    data = world.settings.fixpoint_data
    done = await ended(await started(data, {**os.environ, **world.variables(data)}, *words))
    assert done.code == 0, done.err
    return done.out.strip()


def program(world: World, key: str) -> aiohttp.ClientSession:
    """Return what sends requests with a key."""
    headers = {"Authorization": f"Bearer {key}"}
    return aiohttp.ClientSession(str(world.web.make_url("/")), headers=headers)


@pytest.mark.slow
async def test_a_key_starts_a_run_and_hears_of_its_end(tmp_path: Path) -> None:
    """Made on the command line, limited to a repository; a webhook tells the rest; then revoked."""
    async with (
        open_world(tmp_path, attempts(RIGHT), environ=ENVIRON) as world,
        open_receiver() as receiver,
    ):
        key = await command(world, "keys", "create", "ci", "--repository", "Acme/App")
        await command(world, "webhooks", "add", receiver.url, "--local")
        async with program(world, key) as web:
            asked = {"repository": "acme/app", "prompt": "It says wrong."}
            once = {"Idempotency-Key": "1", "X-Request-ID": "mine"}
            async with web.post("/api/v1/runs", json=asked, headers=once) as answer:
                assert answer.status == 202
                assert answer.headers["X-Request-ID"] == "mine"
                assert answer.headers["RateLimit"].startswith('"default";r=599;t=')
                started = await answer.json()
            async with web.post("/api/v1/runs", json={**asked, "repository": "a/b"}) as answer:
                assert answer.status == 404
            async with web.post(f"{started['url']}/approve") as answer:
                assert answer.status == 403
                assert "scope `approve`: key ci may not" in (await answer.json())["detail"]
            await receiver.until(2)
            await world.settled()
            async with web.get(started["url"]) as answer:
                run = await answer.json()
            assert (run["verdict"], run["started_by"]) == ("fixed", "key ci")
        told = [received.json for received in receiver.received]
        assert [text["type"] for text in told] == ["run.started", "run.finished"]
        assert told[1]["data"]["pull_request_url"] == run["pull_request_url"]
        [listed] = json.loads(await command(world, "keys", "list", "--json"))["keys"]
        assert (listed["name"], listed["state"]) == ("ci", "active")
        assert listed["used_at"] is not None
        assert f" {listed['expires_at'][:10]} " in await command(world, "keys", "list")
        world.state.add_repository("acme/other", {"a.txt": "a\n"})
        other = await command(world, "keys", "create", "other", "--repository", "acme/other")
        async with program(world, other) as web:
            async with web.get(started["url"]) as answer:
                assert answer.status == 404
            async with web.get("/api/v1/runs") as answer:
                assert (await answer.json())["total"] == 0
        async with program(world, key) as web, web.get("/live") as stream:
            assert stream.status == 200
            await command(world, "keys", "revoke", "ci")
            async with asyncio.timeout(600):
                await stream.content.read()  # to its end
        async with program(world, key) as web, web.get("/api/v1/runs") as answer:
            assert answer.status == 401
            assert "revoked" in (await answer.json())["detail"]


async def test_every_refusal_is_a_problem(tmp_path: Path) -> None:
    """Of the router, of the limits, of the door; pages of other sites ask first."""
    environ = {**ENVIRON, "FIXPOINT_API_RATE": "3"}
    async with open_world(tmp_path, environ=environ) as world:
        async with program(world, ADMIN) as web:
            for method, path, status, words in [
                ("GET", "/api/v1/nothing", 404, "nothing at this path"),
                ("DELETE", "/api/v1/runs", 405, "takes GET,POST only"),
                ("GET", "/api/v1/runs", 200, ""),
                ("GET", "/api/v1/runs", 429, "Try again in"),
            ]:
                async with web.request(method, path) as answer:
                    assert answer.status == status
                    assert answer.headers["Cache-Control"] == "no-store"
                    if words:
                        assert answer.content_type == "application/problem+json"
                        assert words in (await answer.json())["detail"]
            assert int(answer.headers["Retry-After"]) <= 60
        async with program(world, f"fxp_{'0' * 12}_{'0' * 64}") as web:
            page = {"Origin": "https://app.test"}
            asks = {**page, "Access-Control-Request-Method": "POST"}
            async with web.get("/api/v1/runs", headers=page) as answer:
                assert answer.status == 401
                assert answer.headers["WWW-Authenticate"].startswith("Bearer")
                assert answer.headers["Access-Control-Allow-Origin"] == "https://app.test"
            async with web.options("/api/v1/runs", headers=asks) as answer:
                assert answer.status == 204
                assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]
            other = {**asks, "Origin": "https://other.test"}
            async with web.options("/api/v1/runs", headers=other) as answer:
                assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.slow
async def test_a_key_searches_the_code_that_it_may_see(tmp_path: Path) -> None:
    """As the agent does, at the newest commit and at older ones; only where the App is installed."""
    shop = {"shop.py": "def total(cart):\n    return sum(cart)\n\n\nprint(total([1]))\n"}
    async with open_world(tmp_path, files={**FILES, **shop}, environ=ENVIRON) as world:
        state = world.state
        state.add_repository("acme/secret", {"key.py": "def total(): ...\n"}, private=True)
        before = world.head("main")
        limited = await command(world, "keys", "create", "one", "--repository", "Acme/App")
        runner = await command(world, "keys", "create", "run", "--scope", "run")

        async def search(web: aiohttp.ClientSession, **wanted: str) -> tuple[int, str]:
            body = {"repository": "acme/app", "query": "total", **wanted}
            async with web.post("/api/v1/search", json=body) as answer:
                assert answer.headers["Cache-Control"] == "no-store"
                assert "RateLimit" in answer.headers
                told = await answer.json()
            if answer.status == 200:
                assert told["repository"] == body["repository"]
                return 200, told["commit"] + "\n" + told["answer"]
            return answer.status, told["detail"]

        async with program(world, limited) as web:
            async with web.get("/api/v1/tools") as answer:
                tools = {tool["name"]: tool for tool in (await answer.json())["tools"]}
            assert tools["search_code"]["risks"] == ["read"]
            assert set(tools["search_code"]["arguments"]["properties"]) == {"query", "kind", "path"}
            assert tools["str_replace_based_edit_tool"]["risks"] == ["read", "write"]
            defined, used = "shop.py:1-2: def total(cart):", "shop.py:5: print(total([1]))"
            told = f"{before}\nDefined (1):\n{defined}\n\nUsed (1):\n{used}"
            assert await search(web) == (200, told)
            after = state.push(
                state.repositories["acme/app"], "main", {"shop.py": "def sums(): ...\n"}
            )
            assert (await search(web))[1] == f"{after}\nNothing matches 'total'."
            assert (await search(web, commit=before))[0] == 200
            for wanted, status, words in [
                ({"kind": "outline", "path": "shop.py"}, 200, "1-1 def sums(): ..."),
                ({"kind": "text", "query": r"s\w+s\("}, 200, "shop.py:1"),
                ({"kind": "outline", "path": "docs"}, 422, "docs doesn't exist at this commit."),
                ({"path": "../app"}, 422, "path: '../app' is no path"),
                ({"path": "/etc"}, 422, "path: '/etc' is no path"),
                ({"query": " "}, 422, "Say what to look for"),
                ({"query": "a\nb"}, 422, "query: "),
                ({"kind": "fuzzy"}, 422, "kind: Input should be 'symbol', 'text' or 'outline'"),
                ({"commit": "--upload-pack=touch stolen"}, 422, "commit: "),
                ({"commit": "0" * 40}, 404, f"acme/app has no commit {'0' * 40}."),
                ({"repository": "acme/secret"}, 404, "isn't installed on acme/secret"),
                ({"repository": "acme/none"}, 404, "isn't installed on acme/none"),
            ]:
                found = await search(web, **wanted)
                assert (found[0], words in found[1]) == (status, True), found
        async with program(world, runner) as web:
            assert (await search(web))[0] == 403
        async with program(world, ADMIN) as web:
            secret = await search(web, repository="acme/secret")
            assert "key.py:1" in secret[1]
            state.installations.clear()
            assert (await search(web, commit=before))[0] == 404
        async with program(world, "") as web, web.post("/api/v1/search", json={}) as answer:
            assert answer.status == 401
