"""From nothing to a server: the App is created in a real browser, and its settings are kept."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import signal
import stat
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from playwright.async_api import Page, expect

from tests.flows import forked
from tests.flows.forked import Streams
from tests.flows.server_process import PATIENCE, ServerProcess
from tests.flows.test_browser import CHROMIUM, PATIENCE_MS, browsing
from tests.flows.world import Scene, open_scene

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed here")
_ADDRESS = re.compile(r"http://localhost:\d+/setup\?token=\S+")


async def until_it_says(file: Path, pattern: re.Pattern[str]) -> str:
    """Wait until a process wrote something, and return it."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = pattern.search(file.read_text() if file.exists() else "")
            if found:
                return found.group()
            await asyncio.sleep(0.05)


async def create_app(page: Page, address: str, github: str) -> None:
    """Do what a person does: open the page, say where GitHub is, and agree there."""
    await page.goto(address)
    await page.get_by_label("Address of GitHub").fill(github)
    await page.get_by_role("button", name="Create the App on GitHub").click()
    await page.get_by_role("button", name="Create GitHub App").click()
    await expect(page.get_by_role("link", name="Install it on repositories")).to_be_visible()


def variables_of(path: Path) -> dict[str, str]:
    """Return what a file sets, read line by line as Docker does: nothing is unquoted."""
    lines = path.read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def environment(root: Path, **more: str) -> dict[str, str]:
    """Return the environment of somebody who has set nothing."""
    return {"PATH": os.environ["PATH"], "HOME": str(root), "HOST": "127.0.0.1", **more}


@pytest.mark.slow
@needs_browser
async def test_setup_creates_the_app_and_keeps_its_settings(tmp_path: Path) -> None:
    """A file that only its owner reads gets them; with it alone, `serve` works for this App."""
    expect.set_options(timeout=PATIENCE_MS)
    desk = tmp_path / "desk"
    desk.mkdir()
    (desk / ".env").write_text("# mine\nANTHROPIC_MODEL=kept\nGITHUB_APP_ID=1\n")
    (desk / ".env").chmod(0o600)
    streams = Streams(Path("/dev/null"), desk / "out", desk / "err")
    async with open_scene(tmp_path, None) as scene, browsing() as browser:
        process = await forked.start(
            ["setup", "--port", "0", "--url", "https://fixpoint.test"],
            environment(desk),
            desk,
            streams,
        )
        address = await until_it_says(desk / "out", _ADDRESS)
        page = await browser.new_page()
        await create_app(page, address, scene.github.web_url)
        shown = await page.inner_text("main")
        assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
        app = scene.state.app
        assert str(desk / ".env") in shown
        assert app.client_secret not in shown
        assert stat.S_IMODE((desk / ".env").stat().st_mode) == 0o600
        assert (desk / ".env").read_text().startswith("# mine\nANTHROPIC_MODEL=kept\n")
        assert variables_of(desk / ".env") == {
            "ANTHROPIC_MODEL": "kept",
            "GITHUB_APP_ID": str(app.id),
            "GITHUB_PRIVATE_KEY": base64.b64encode(app.private_key.encode()).decode(),
            "GITHUB_WEBHOOK_SECRET": app.webhook_secret,
            "GITHUB_CLIENT_ID": app.client_id,
            "GITHUB_CLIENT_SECRET": app.client_secret,
            "FIXPOINT_PUBLIC_URL": "https://fixpoint.test",
            "GITHUB_URL": scene.github.web_url,
            "GITHUB_API_URL": scene.github.api_url,
        }
        out = (desk / "out").read_text()
        assert f"{scene.github.web_url}/apps/{app.slug}/installations/new" in out
        assert app.webhook_secret not in out
        server = ServerProcess(environment(desk, FIXPOINT_SANDBOX="bubblewrap"), desk)
        async with server.running():
            assert await server.status("/readyz") == 200
            event = scene.github.comment(scene.issue, "ada", "/fix help")
            assert (await scene.github.deliver(event, server.webhook)).status_code == 202
            await server.logged("delivery done")


@pytest.mark.slow
@needs_browser
async def test_a_server_without_settings_shows_the_way(tmp_path: Path) -> None:
    """Only whoever has the token gets the page; once there is an App, the same process serves it.

    Where the working directory can't be written, as in a container, the data's folder is used.
    """
    expect.set_options(timeout=PATIENCE_MS)
    data = tmp_path / "data"
    streams = Streams(Path("/dev/null"), tmp_path / "out", tmp_path / "err")
    variables = environment(
        tmp_path, PORT="0", FIXPOINT_SANDBOX="bubblewrap", FIXPOINT_DATA=str(data), GITHUB_APP_I="7"
    )
    async with (
        open_scene(tmp_path, None) as scene,
        browsing() as browser,
        aiohttp.ClientSession() as session,
    ):
        process = await forked.start(["serve"], variables, Path("/proc"), streams)
        try:
            address = await until_it_says(tmp_path / "out", _ADDRESS)
            assert "did you mean GITHUB_APP_ID?" in (tmp_path / "err").read_text()
            origin = address.partition("/setup")[0]
            for path, status in (
                ("/setup", 403), ("/setup?token=x", 403), ("/setup/created?code=a&state=b", 403),
                ("/readyz", 503), ("/healthz", 200), ("/", 404),
            ):  # fmt: skip
                async with session.get(f"{origin}{path}") as answer:
                    assert (path, answer.status) == (path, status)
                    assert "form-action 'self'" in answer.headers["Content-Security-Policy"]
            async with session.post(f"{origin}/webhook", data=b"{}") as answer:
                assert answer.status == 503
            page = await browser.new_page()
            await create_app(page, address, scene.github.web_url)
            listening = await until_it_says(tmp_path / "err", re.compile(r".*\"listening\".*"))
            webhook = f"http://127.0.0.1:{json.loads(listening)['port']}/webhook"
            event = scene.github.comment(scene.issue, "ada", "/fix help")
            assert (await scene.github.deliver(event, webhook)).status_code == 202
        finally:
            process.send_signal(signal.SIGKILL)
            await process.wait()
        assert scene.state.app.webhook_secret in (data / ".env").read_text()


@asynccontextmanager
async def channel(messages: list[str]) -> AsyncIterator[str]:
    """Be smee.io: one channel, which sends what it has to whoever listens."""

    async def listen(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b"event: ready\ndata: {}\n\n: ping\n\n")
        while messages:
            await response.write(f"id: 1\ndata: {messages.pop(0)}\n\n".encode())
        return response

    app = web.Application()
    app.router.add_get("/channel", listen)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/channel"
    finally:
        await runner.cleanup()


async def test_deliveries_come_from_a_channel(tmp_path: Path) -> None:
    """Signed ones are taken, as they were sent; one with another signature is refused, and said."""
    async with open_scene(tmp_path, None) as scene:
        messages = [smee_message(scene, forged=True), smee_message(scene, forged=False)]
        async with channel(messages) as address:
            variables = scene.variables(tmp_path / "data") | {"FIXPOINT_SMEE_URL": address}
            server = ServerProcess(variables, tmp_path)
            async with server.running():
                await server.logged("delivery refused", status=401)
                await server.logged("delivery done")


def smee_message(scene: Scene, *, forged: bool) -> str:
    """Return what a channel says of a comment that GitHub delivered there, or somebody else."""
    event = scene.github.comment(scene.issue, "ada", "/fix help, bitte schön")
    body = json.dumps(event.payload, separators=(",", ":"), ensure_ascii=False)
    headers = scene.github.headers(event.name, body.encode(), str(uuid.uuid1()))
    if forged:
        headers["X-Hub-Signature-256"] = f"sha256={'0' * 64}"
    message = {name.lower(): value for name, value in headers.items()}
    return json.dumps({**message, "body": event.payload, "query": {}, "timestamp": 1})
