"""People watch and ask on pages, programs through the API: stories through the whole server."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.model import Verdict
from tests.fakes.model import Say, Step, Think
from tests.flows.command_line import ended, started
from tests.flows.test_approval import REQUIREMENTS, RISKY
from tests.flows.world import RIGHT, WRONG, World, attempts, bash, edit, open_world

TOKEN = "an admin token of some length"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
LOCAL = {"HOST": "127.0.0.1"}
WITH_TOKEN = {"FIXPOINT_ADMIN_TOKEN": TOKEN, "HOST": "0.0.0.0"}


RUNNER = """\
import glob, runpy, sys
failed = 0
for path in sorted(glob.glob("tests/test_*.py")):
    for name, one in runpy.run_path(path).items():
        if name.startswith("test_"):
            try:
                one()
            except Exception as error:
                failed += 1
                print(f"FAILED {path}::{name} - {type(error).__name__}: {error}")
sys.exit(failed > 0)
"""


@asynccontextmanager
async def browser(
    world: World, headers: Mapping[str, str] | None = None
) -> AsyncIterator[aiohttp.ClientSession]:
    """Open what asks the server, and keeps its cookies."""
    jar = aiohttp.CookieJar(unsafe=True)
    base = str(world.web.make_url("/"))
    async with aiohttp.ClientSession(base, headers=headers, cookie_jar=jar) as session:
        yield session


async def page(session: aiohttp.ClientSession, path: str) -> str:
    """Return a page that is there."""
    async with session.get(path) as answer:
        assert answer.status == 200, await answer.text()
        return await answer.text()


async def events(answer: aiohttp.ClientResponse) -> list[dict[str, Any]]:
    """Return the data of all events of a stream that ends."""
    text = await answer.text()
    found = re.findall(r"^data: (.*)$", text, re.MULTILINE)
    return [json.loads(item) for item in found]


def csrf(html: str) -> str:
    """Return what a form has to carry."""
    found = re.search(r'name="csrf" value="([0-9a-f]+)"', html)
    assert found is not None
    return found[1]


def answer_form(html: str) -> dict[str, str]:
    """Return what a form sends that answers the question of a page."""
    found = re.search(r'name="question" value="([0-9a-f]+)"', html)
    assert found is not None
    return {"csrf": csrf(html), "question": found[1]}


@pytest.mark.slow
async def test_a_program_asks_and_follows(tmp_path: Path) -> None:
    """`POST /code`: the words that Tiny Backspace's clients know, a pull request at the end."""
    script = attempts([(Think("Where is `it`?"), bash("cat app.txt")), *RIGHT[1:]])
    async with open_world(tmp_path, script, environ=LOCAL) as world, browser(world) as web:
        asked = {"repoUrl": f"{world.github.web_url}/acme/app", "prompt": "It says wrong."}
        async with web.post("/code", json=asked) as answer:
            assert answer.content_type == "text/event-stream"
            told = await events(answer)
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.FIXED
        assert world.repaired() == "right\n"
        steps = [item["step"] for item in told if item["type"] == "info"]
        known = ["validation", "sandbox_init", "clone", "analysis", "ai_processing", "pr_creation"]
        assert list(dict.fromkeys(steps)) == known
        assert all(item["message"] and item["timestamp"] for item in told)
        assert {
            "type": "pr_creation",
            "command": "POST /repos/acme/app/pulls",
            "output": run.pull_request_url,
        }.items() <= told[-2].items()
        async with web.post("/code", json={"prompt": "It says wrong."}) as answer:
            assert answer.status == 422
            assert (await answer.json())["detail"] == "repoUrl: Field required."
        asked["repoUrl"] = "https://github.test/acme/none"
        async with web.post("/code", json=asked) as answer:
            assert [event["type"] for event in await events(answer)] == ["info", "error"]
        progress = [item["progress"] for item in told if "progress" in item]
        assert progress == sorted(progress)
        assert {"type": "file_edit", "filepath": "app.txt", "operation": "edit"}.items() <= next(
            item for item in told if item["type"] == "file_edit"
        ).items()
        thoughts = [item["message"] for item in told if item["type"] == "agent_thinking"]
        assert {"Where is `it`?", "The file said wrong. It says right now."} <= {*thoughts}
        assert "Where is <code>it</code>?" in await page(web, f"/runs/{run.id}")
        assert told[-1]["type"] == "success"
        assert told[-1]["pr_url"] == run.pull_request_url
        assert told[-1]["progress"] == 100


@pytest.mark.exhaustive
async def test_a_client_that_leaves_ends_nothing(tmp_path: Path) -> None:
    """The run goes on, and another client hears all of it from where the first one was."""
    async with open_world(tmp_path, attempts(RIGHT), environ=LOCAL) as world, browser(world) as web:
        key = {"Idempotency-Key": "once"}
        asked = {"repoUrl": "acme/app", "prompt": "It says wrong."}
        async with web.post("/code", json=asked, headers=key) as answer:
            await answer.content.readline()
        async with web.post("/code", json=asked, headers=key) as answer:
            told = await events(answer)
        assert told[-1]["type"] == "success"
        assert len(await world.server.runs.list()) == 1
        run = (await world.run()).id
        accept = {"Accept": "text/event-stream", "Last-Event-ID": "2"}
        async with web.get(f"/api/v1/runs/{run}/events", headers=accept) as answer:
            heard = await events(answer)
        assert [item["number"] for item in heard] == list(range(3, 3 + len(heard)))
        assert heard[-1]["data"]["status"] == "done"


@pytest.mark.slow
async def test_the_api(tmp_path: Path) -> None:
    """Create, list, show, report, patch, logs, retry; errors are sentences."""
    async with (
        open_world(tmp_path, attempts(RIGHT), environ=WITH_TOKEN) as world,
        browser(world, BEARER) as web,
    ):
        asked = {"repository": "acme/app", "number": world.issue.number}
        async with web.post("/api/v1/runs", json=asked) as answer:
            assert answer.status == 202
            started = await answer.json()
        await world.settled()
        assert len(world.said()) == 1
        async with web.get(started["url"]) as answer:
            run = await answer.json()
        assert (run["status"], run["verdict"], run["number"]) == ("done", "fixed", 1)
        assert run["pull_request_url"].endswith("/pull/2")
        async with web.get("/api/v1/runs?verdict=fixed&q=ACME&limit=1") as answer:
            listed = await answer.json()
        assert (listed["runs"], listed["total"], listed["next"]) == (
            [{**run, "questions": None}],
            1,
            None,
        )
        async with web.get(f"{started['url']}/report") as answer:
            assert (await answer.json())["verdict"] == "fixed"
        async with web.get(f"{started['url']}/patch") as answer:
            assert "+right" in await answer.text()
        async with web.get(f"{started['url']}/logs") as answer:
            assert "FAILED checks.sh::app" in await answer.text()
        async with web.get("/api/v1/repositories") as answer:
            [repository] = (await answer.json())["repositories"]
        assert (repository["repository"], repository["runs"], repository["fixed"]) == (
            "acme/app", 1, 1,
        )  # fmt: skip
        async with web.post(f"{started['url']}/retry") as answer:
            again = await answer.json()
        assert again["id"] != started["id"]
        await world.settled()
        for method, path, body, status, words in [
            ("GET", "/api/v1/runs/nothing", None, 404, "no run"),
            ("GET", "/api/v1/runs?limit=x", None, 422, "limit must be"),
            ("GET", "/api/v1/runs?status=odd", None, 422, "queued, running"),
            ("POST", f"{started['url']}/stop", None, 409, "already ended"),
            ("POST", f"{started['url']}/approve", {"question": "4f2a1b"}, 409, "waiting"),
            ("POST", "/api/v1/runs", {"repository": "no"}, 422, "owner/name"),
            ("POST", "/api/v1/runs", {"repository": "acme/app"}, 422, "what is wrong"),
            ("POST", "/api/v1/runs", {"repository": "a/b", "prompt": "x"}, 404, "installed"),
            ("POST", "/api/v1/runs", {"odd": 1}, 422, "odd: Extra"),
            (
                "POST",
                "/api/v1/runs",
                {"repository": "https://elsewhere.test/a/b"},
                422,
                "look like",
            ),
        ]:
            said = dict(body) if body else None
            if (
                said
                and not {"prompt", "question"} & set(said)
                and said.get("repository") != "acme/app"
            ):
                said["prompt"] = "x"
            async with web.request(method, path, json=said) as answer:
                assert answer.status == status, await answer.text()
                assert answer.content_type == "application/problem+json"
                assert words in (await answer.json())["detail"]


@pytest.mark.exhaustive
async def test_a_person_watches_and_answers(tmp_path: Path) -> None:
    """From the form to the pull request: the pages, the live stream, the approval."""
    async with (
        open_world(tmp_path, attempts(WRONG, RISKY), files=REQUIREMENTS, environ=LOCAL) as world,
        browser(world) as web,
    ):
        assert "Nothing has run yet" in await page(web, "/")
        form = await page(web, "/new")
        given = {"csrf": csrf(form), "repository": "acme/app", "prompt": "It says <b>wrong</b>."}
        async with web.post("/new", data={**given, "number": "x"}) as answer:
            assert answer.status == 422
            assert "must be a number" in await answer.text()
        async with web.post("/new", data=given) as answer:
            assert answer.status == 200
            run_id = answer.url.name
        await world.settled()
        html = await page(web, f"/runs/{run_id}")
        assert "It says &lt;b&gt;wrong&lt;/b&gt;." in html
        assert "The file said wrong. It says right now." in html
        assert "I made it worse." in html
        assert "edit app.txt" in html
        assert '<span class="add">+right\n</span>' in html
        assert "FAILED checks.sh::app" in html
        assert "Approve" in html
        async with web.post(f"/runs/{run_id}/approve", data={"csrf": "0"}) as answer:
            assert answer.status == 403
        async with web.post(f"/runs/{run_id}/approve", data=answer_form(html)) as answer:
            assert answer.status == 200
        await world.until(lambda: bool(world.pulls()))
        await world.settled()
        assert world.repaired() == "right\n"
        over = await page(web, f"/runs/{run_id}")
        assert "Retry" in over
        assert str((await world.run()).pull_request_url) in over
        async with web.get(f"/runs/{run_id}/live") as answer:
            text = await answer.text()
        assert text.endswith("event: over\ndata: {}\n\n")
        counted = await page(web, "/metrics")
        for line in [
            'fixpoint_attempts_total{accepted="true",proposer="agent"} 1.0',
            'fixpoint_run_seconds_count{verdict="fixed"} 1.0',
            'fixpoint_reproduction_seconds_count{cause="real"} 1.0',
            'fixpoint_model_tokens_total{kind="output",model="claude-sonnet-5-5"}',
            'fixpoint_http_request_seconds_count{method="POST",route="/new",status="303"} 1.0',
            'fixpoint_runs{status="running"} 0.0',
        ]:
            assert line in counted
        assert re.search(r'fixpoint_github_request_seconds_count.*status="200"', counted)
        for path in ("/", "/repositories", "/money", "/status", "/settings"):
            shown = await page(web, path)
            assert "acme/app" in shown or path in {"/money", "/status", "/settings"}
        assert world.state.app.webhook_secret not in await page(web, "/settings")


async def test_a_page_does_not_wait_for_github(tmp_path: Path) -> None:
    """The page of a repository comes without its config, and says so once that is read."""
    async with open_world(tmp_path, environ=LOCAL) as world, browser(world) as web:
        assert "GitHub is being asked for it." in await page(web, "/repositories/acme/app")
        async with web.get("/repositories/acme/app/live") as answer:
            assert await answer.text() == "event: over\ndata: {}\n\n"
        shown = await page(web, "/repositories/acme/app")
        assert "</code> on the default branch has no problems." in shown
        async with web.get("/repositories/acme/none/live") as answer:
            assert answer.status == 404


async def test_who_may(tmp_path: Path) -> None:
    """With a token, whoever has it; on a public address without one, nobody."""
    async with open_world(tmp_path / "a", environ=WITH_TOKEN) as world, browser(world) as web:
        async with web.get("/") as answer:
            assert answer.url.path == "/login"
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        for path in ("/api/v1/runs", "/metrics", "/health/detailed"):
            async with web.get(path) as answer:
                assert answer.status == 401
        async with web.post("/login", data={"token": "wrong"}) as answer:
            assert answer.status == 403
        async with web.post("/login", data={"token": TOKEN}) as answer:
            assert answer.url.path == "/"
        async with web.get("/nothing/here") as answer:
            assert answer.status == 404
            shown = await answer.text()
            assert "There is no page at this address." in shown
            assert "<nav" in shown
            html = await answer.text()
        [cookie] = web.cookie_jar
        assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
        other = {"Sec-Fetch-Site": "cross-site"}
        asked = {"repository": "acme/app", "prompt": "x"}
        async with web.post("/api/v1/runs", json=asked, headers=other) as answer:
            assert answer.status == 403
        async with web.post("/logout", data={"csrf": csrf(html)}) as answer:
            assert answer.url.path == "/login"
        for _ in range(12):
            async with web.post("/login", data={"token": "wrong"}) as answer:
                said = await answer.text()
        assert "Too many attempts" in said
        guess = {"Authorization": "Bearer not-the-token-of-an-admin"}
        for path in ("/api/v1/runs", "/metrics"):
            async with web.get(path, headers=guess) as answer:
                assert (answer.status, answer.headers["Retry-After"]) == (429, "60")
        async with web.post("/login", data={"token": TOKEN}) as answer:
            assert answer.url.path == "/"
        for headers in ({}, {"Authorization": f"Bearer {TOKEN}"}):
            async with web.get("/api/v1/runs", headers=headers) as answer:
                assert answer.status == 200
                assert answer.headers["Cache-Control"] == "no-store"
    async with open_world(tmp_path / "b") as world, browser(world) as web:
        for path in ("/", "/login", "/api/v1/runs", "/metrics"):
            async with web.get(path) as answer:
                assert answer.status == 404
                assert "FIXPOINT_ADMIN_TOKEN" in await answer.text()
        async with web.get("/healthz") as answer:
            assert answer.status == 200
    async with open_world(tmp_path / "c", environ=LOCAL) as world, browser(world) as web:
        answer = await web.get("/", headers={"Host": "rebound.test"})
        assert answer.status == 403


@pytest.mark.slow
async def test_cases_become_part_of_the_proof(tmp_path: Path) -> None:
    """Of the form: added as a test, red first, green in the end, in the pull request."""
    repaired: list[Step] = [
        edit("prices[1:]", "prices", "shop.py"), Say("The first price was left out."),
    ]  # fmt: skip
    files: dict[str, str | bytes] = {
        "shop.py": "def total(prices):\n    return sum(prices[1:])\n",
        "check.py": RUNNER,
        ".github/fixpoint.yml": "setup: 'true'\ntest: python3 check.py\n",
    }
    async with (
        open_world(tmp_path, attempts(repaired), files=files, environ=LOCAL) as world,
        browser(world) as web,
    ):
        form = {"csrf": csrf(await page(web, "/new")), "repository": "acme/app"}
        cases = {**form, "function": "shop.total", "cases": "[1, 2] => 3\r\n[] => 0\r\n"}
        async with web.post("/new", data={**cases, "cases": "[1, 2]"}) as answer:
            assert "INPUT =&gt; EXPECTED" in await answer.text()
        async with web.post("/new", data=cases) as answer:
            assert answer.status == 200
        await world.settled()
        run = await world.run()
        assert (run.verdict, run.reason) == (
            Verdict.FIXED, "The failing command passes with the patch, and nothing else that ran broke.",
        )  # fmt: skip
        assert run.report is not None
        assert run.report.reproduction is not None
        assert run.report.reproduction.reason.startswith("The test was given with the request.")
        [pull] = world.pulls()
        assert pull.pull is not None
        assert "sum(prices)" in (world.file("shop.py", pull.pull.head_ref) or "")
        given = world.file("tests/test_given_cases.py", pull.pull.head_ref)
        assert "assert total([1, 2]) == 3" in (given or "")
        passing = {"path": "tests/test_more.py", "content": "def test_it():\n    assert True\n"}
        async with web.post(
            "/api/v1/runs", json={"repository": "acme/app", "test_file": passing}
        ) as answer:
            assert answer.status == 202
        await world.settled()
        assert "passes on the original commit" in (await world.run()).reason


@pytest.mark.exhaustive
async def test_lists_tell_that_they_are_stale(tmp_path: Path) -> None:
    """Whoever looks at the runs is told when one of them changes."""
    async with open_world(tmp_path, attempts(RIGHT), environ=LOCAL) as world, browser(world) as web:
        async with web.get("/live") as answer, asyncio.timeout(60):
            await world.comment("/fix")
            assert await answer.content.readline() == b"event: stale\n"
        await world.settled()


async def test_the_document_of_the_api(tmp_path: Path) -> None:
    """Every reference in it is there."""
    async with open_world(tmp_path, environ=LOCAL) as world, browser(world) as web:
        document = json.loads(await page(web, "/api/v1/openapi.json"))
        shown = await page(web, "/api/docs")
    text = json.dumps(document)
    named = set(re.findall(r'"#/components/schemas/(\w+)"', text))
    assert named <= set(document["components"]["schemas"])
    assert "/api/v1/runs/{id}/events" in document["paths"]
    for path in document["paths"]:
        assert f"<code>{path}</code>" in shown
    places = set(re.findall(r'id="(\w+)"', shown))
    assert set(re.findall(r'href="#(\w+)"', shown)) <= places


async def command(world: World, *words: str, **environ: str) -> tuple[int, str, str]:
    """Run a command of ours that asks the server; return its exit code and what it printed."""
    variables = {**os.environ, "FIXPOINT_URL": str(world.web.make_url("/")), **environ}
    done = await ended(await started(world.settings.fixpoint_data, variables, *words))
    return done.code, done.out, done.err


@pytest.mark.slow
async def test_a_terminal_watches(tmp_path: Path) -> None:
    """`fixpoint runs`, `watch` and `logs`, with the token from the environment."""
    token = {"FIXPOINT_ADMIN_TOKEN": TOKEN}
    async with open_world(tmp_path, attempts(RIGHT), environ=WITH_TOKEN) as world:
        code, _, said = await command(world, "watch", **token)
        assert (code, said) == (2, "fixpoint: There are no runs yet.\n")
        await world.comment("/fix")
        await world.until_started()
        code, told, said = await command(world, "watch", **token)
        assert (code, said) == (0, "")
        lines = [line[10:] for line in told.splitlines()]
        assert "reproduction: real. `sh check.sh` fails here every time." in lines
        assert "  edit app.txt".strip() in {line.strip() for line in lines}
        assert (
            lines[-2]
            == "done: fixed. The failing command passes with the patch, and nothing else that ran broke."
        )
        await world.settled()
        run = await world.run()
        assert told.splitlines()[-1] == run.pull_request_url
        _, told, _ = await command(world, "logs", run.id, **token)
        assert "FAILED checks.sh::app" in told
        _, told, _ = await command(world, "runs", "--json", **token)
        assert json.loads(told)["runs"][0]["id"] == run.id
        _, told, _ = await command(world, "runs", "--status", "done", **token)
        assert run.id in told
        code, _, said = await command(world, "runs", FIXPOINT_ADMIN_TOKEN="")
        assert code == 2
        assert "Set FIXPOINT_API_KEY" in said
        code, _, said = await command(world, "runs", FIXPOINT_API_KEY="wrong")
        assert "refused the key. This token or key isn't known here" in said
        code, _, said = await command(world, "logs", "nothing", **token)
        assert "no run" in said
        code, _, said = await command(world, "runs", "--server", "http://127.0.0.1:9", **token)
        assert "fixpoint serve" in said
