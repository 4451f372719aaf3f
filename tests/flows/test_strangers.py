"""Whoever reaches the server without being asked: proxies, odd requests, connections that say nothing."""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from bot.server.lifecycle import runner_of
from bot.web.application import read_body
from bot.web.problems import ApiProblem
from tests.fakes.nginx import PROGRAM, serving
from tests.flows.test_dashboard import LOCAL, TOKEN, WITH_TOKEN, browser, csrf, page
from tests.flows.world import World, open_world

SELF_HOSTING = Path(__file__).parent.parent.parent / "docs" / "self-hosting.md"


@pytest.mark.parametrize("told", ["as documented", "without a word"])
@pytest.mark.skipif(PROGRAM is None, reason="nginx is not installed (apt-get install nginx-light).")
async def test_a_proxy_opens_nothing(tmp_path: Path, told: str) -> None:
    """Behind nginx, no one is let in without a token; what GitHub and monitors ask for is answered."""
    async with open_world(tmp_path, environ=LOCAL) as world:
        site = documented(world.web.port or 0)
        if told == "without a word":
            site = re.sub(r"proxy_set_header [^;]*;", "", site)
        async with proxied(tmp_path, site) as url, aiohttp.ClientSession() as session:
            for host in ("fixpoint.example.com", "localhost", "127.0.0.1"):
                for path in ("/", "/login", "/api/v1/runs", "/metrics", "/static/app.js"):
                    async with session.get(url + path, headers={"Host": host}) as answer:
                        assert answer.status == 403
                asked = {"repository": "acme/app", "prompt": "x"}
                for path in ("/api/v1/runs", "/code"):
                    async with session.post(
                        url + path, json=asked, headers={"Host": host}
                    ) as response:
                        assert response.status == 403
            async with session.get(f"{url}/healthz") as answer:
                assert answer.status == 200
        assert await world.server.runs.list() == ()


def documented(port: int) -> str:
    """Return the site of docs/self-hosting.md for a server at a port, without TLS."""
    [block] = re.findall(r"```nginx\n(.*?)```", SELF_HOSTING.read_text("utf-8"), re.DOTALL)
    lines = [line for line in block.splitlines() if not line.strip().startswith("ssl_")]
    return "\n".join(lines).replace("127.0.0.1:8080", f"127.0.0.1:{port}")


@asynccontextmanager
async def proxied(folder: Path, site: str) -> AsyncIterator[str]:
    """Put nginx before a server; yield its address."""
    async with serving(
        folder / "proxy", lambda port: site.replace("443 ssl", f"127.0.0.1:{port}")
    ) as port:
        yield f"http://127.0.0.1:{port}"


ODD = {
    "no UTF-8 as token": (b"GET / HTTP/1.1", b"Authorization: Bearer \xff\xfe\r\n", b""),
    "no UTF-8 as key": (b"POST /api/v1/runs HTTP/1.1", b"Idempotency-Key: \xff\r\n", b"{}"),
    "an origin that is no address": (b"POST /login HTTP/1.1", b"Origin: http://[::1\r\n", b""),
    "an unknown charset": (
        b"POST /login HTTP/1.1",
        b"Content-Type: application/x-www-form-urlencoded; charset=zzz\r\n",
        b"token=x",
    ),
    "parts": (
        b"POST /login HTTP/1.1",
        b"Content-Type: multipart/form-data; boundary=b\r\n",
        b"--b\r\nContent-Disposition: form-data; name=t\r\nContent-Type: a/b; charset=z\r\n\r\nx\r\n--b--",
    ),
    "no UTF-8 in a form": (
        b"POST /login HTTP/1.1",
        b"Content-Type: application/x-www-form-urlencoded\r\n",
        b"token=\xff",
    ),
    "half a character in a form": (
        b"POST /login HTTP/1.1",
        b"Content-Type: application/x-www-form-urlencoded\r\n",
        b"token=%ed%a0%80",
    ),
    "too much": (b"POST /login HTTP/1.1", b"", b"x" * (2 << 20)),
}  # fmt: skip


async def test_odd_requests_are_answered(tmp_path: Path) -> None:
    """None of them is an error of ours."""
    environ = {"FIXPOINT_ADMIN_TOKEN": TOKEN, "HOST": "0.0.0.0"}
    bearer = f"Authorization: Bearer {TOKEN}\r\n".encode()
    async with open_world(tmp_path, environ=environ) as world:
        for name, (line, headers, body) in ODD.items():
            head = line + b"\r\nHost: localhost\r\nConnection: close\r\n" + headers
            if b"/api/" in line:
                head += bearer
            reader, writer = await asyncio.open_connection("127.0.0.1", world.web.port)
            writer.write(head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
            status = (await reader.readline()).split()[1]
            writer.close()
            assert status in {b"303", b"400", b"401", b"403", b"413", b"415", b"422"}, (
                name,
                status,
            )


CALLERS: dict[str, dict[str, str]] = {
    "nobody": {},
    "a guess": {"Authorization": "Bearer not-the-token-of-an-admin"},
    "a key that is none": {"Authorization": "Bearer fpk_000000000000000000000000"},
    "a name and password": {"Authorization": f"Basic {b64encode(TOKEN.encode()).decode()}"},
    "the token in another scheme": {"Authorization": f"Token {TOKEN}"},
    "the token in another header": {"X-Api-Key": TOKEN},
    "the token and more": {"Authorization": f"Bearer {TOKEN} "[:-2]},
    "a cookie of one's own": {"Cookie": "fixpoint_session=0000; fixpoint_login=0000"},
    "a proxy's word": {"X-Forwarded-User": "ada", "X-Forwarded-For": "127.0.0.1"},
    "a local name": {"Host": "localhost", "Origin": "http://localhost"},
    "another site": {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
}
OPEN = {
    *("/healthz", "/readyz", "/fixpoint.schema.json", "/webhook"),
    *("/login", "/login/github", "/static/{name}", "/logout"),
}


def routes(world: World, run: str) -> list[tuple[str, str, str]]:
    """Return method, pattern and an address of everything that the server answers."""
    known = {"id": run, "action": "approve", "owner": "acme", "name": "app"}
    found = []
    for route in world.web.app.router.routes():
        pattern = route.resource.canonical if route.resource is not None else ""
        address = re.sub(r"\{(\w+)[^}]*\}", lambda match: known.get(match[1], "x"), pattern)
        found.append((route.method, pattern, address))
    return found


async def one_run(world: World) -> str:
    await world.comment("/fix stop leaking sockets")
    await world.settled()
    return (await world.run()).id


@pytest.mark.slow
async def test_whoever_may_not_gets_nothing(tmp_path: Path) -> None:
    """At every address, by every method, whoever they say that they are."""
    async with open_world(tmp_path, environ=WITH_TOKEN) as world:
        run, asked = await one_run(world), 0
        for caller, headers in CALLERS.items():
            async with aiohttp.ClientSession(headers=headers) as session:
                for method, pattern, address in routes(world, run):
                    if pattern in OPEN:
                        continue
                    request = session.request(
                        method, world.web.make_url(address), json={}, allow_redirects=False
                    )
                    async with request as answer:
                        place = (caller, method, pattern, answer.status)
                        assert answer.status in {303, 401, 403, 404, 405, 415, 429}, place
                        if method != "HEAD":
                            assert "leaking" not in await answer.text(), place
                    asked += 1
        assert asked > 300
        assert (await world.run()).id == run


@pytest.mark.slow
async def test_no_form_of_another_page_counts(tmp_path: Path) -> None:
    """Every form of somebody who is logged in asks for what only our own page of theirs has."""
    async with open_world(tmp_path, environ=WITH_TOKEN) as world, browser(world) as web:
        run = await one_run(world)
        async with browser(world) as other, other.post("/login", data={"token": TOKEN}) as answer:
            foreign = csrf(await answer.text())
        async with web.post("/login", data={"token": TOKEN}) as answer:
            own = csrf(await answer.text())
        cross = {"Sec-Fetch-Site": "cross-site"}
        tries: list[tuple[dict[str, str], dict[str, str]]] = [
            *(({"csrf": token}, {}) for token in ("", "0", own[:-1], own.upper() + "x", foreign)),
            ({}, {}),
            ({"csrf": own}, cross),
            ({"csrf": own}, {"Origin": "https://evil.example"}),
        ]
        forms = [
            address
            for method, pattern, address in routes(world, run)
            if method == "POST" and not pattern.startswith(("/api", "/code", "/webhook", "/login"))
        ]
        assert len(forms) > 3
        for address in forms:
            for form, headers in tries:
                async with web.post(address, data=form, headers=headers) as answer:
                    assert answer.status == 403, (address, form, headers)
        assert "Log out" in await page(web, "/")


PAYLOADS = (
    *("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'><svg/onload=alert(1)>"),
    *("javascript:alert(1)", "{{7*7}}", "${7*7}", "%s%n", "' OR 1=1 --", '"; DROP TABLE runs; --'),
    *(
        "../../../../etc/passwd",
        "..%2f..%2fetc/passwd",
        "\x00",
        "a\r\nSet-Cookie: x=1",
        "\ud83d\ude80",
    ),
    *(
        "\u202eevil",
        "-1",
        "99999999999999999999",
        "1e309",
        "NaN",
        "null",
        "[]",
        "%",
        "_",
        "A" * 5000,
    ),
)
PARAMETERS = (
    *(
        "q",
        "repository",
        "verdict",
        "status",
        "cursor",
        "before",
        "after",
        "limit",
        "days",
        "since",
    ),
    *("page", "sort", "next", "id", "state", "code", "error"),
)
PAGES = ("/", "/new", "/login", "/repositories", "/money", "/api/v1/runs")


@pytest.mark.slow
async def test_no_parameter_says_more_than_it_should(tmp_path: Path) -> None:
    """Nothing of them is markup, a header or an error of ours; nor does a database take them."""
    async with open_world(tmp_path, environ=WITH_TOKEN) as world, browser(world) as web:
        await one_run(world)
        async with web.post("/login", data={"token": TOKEN}) as answer:
            assert answer.status == 200
        for number, parameter in enumerate(PARAMETERS):
            for payload in PAYLOADS:
                path = PAGES[number % len(PAGES)]
                request = web.get(path, params={parameter: payload}, allow_redirects=False)
                async with request as answer:
                    said = await answer.text()
                    place = (path, parameter, payload[:40], answer.status)
                    assert answer.status in {200, 303, 400, 404, 422}, place
                    assert not (payload[:1] in "<\"'" and len(payload) > 9 and payload in said), (
                        place
                    )
                    assert answer.headers.get("Set-Cookie", "x=0").find("x=1") < 0, place
                    leads = answer.headers.get("Location", "/")
                    assert leads.startswith("/"), place


@pytest.mark.parametrize("count", [300, pytest.param(3000, marks=pytest.mark.exhaustive)])
async def test_idle_connections_keep_nobody_out(tmp_path: Path, count: int) -> None:
    """Who says nothing on many connections does not keep others from an answer."""
    async with open_world(tmp_path, environ=LOCAL) as world, browser(world) as web:
        idle = [await asyncio.open_connection("127.0.0.1", world.web.port) for _ in range(count)]
        try:
            for _ in range(3):
                async with web.get("/healthz") as answer:
                    assert answer.status == 200
        finally:
            for _, writer in idle:
                writer.transport.abort()


async def test_who_says_nothing_is_not_kept() -> None:
    """A connection on which no request is finished ends, also if it says a letter now and then."""
    runner = runner_of(web.Application(), idle_seconds=0.3)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        reader, writer = await asyncio.open_connection("127.0.0.1", runner.addresses[0][1])
        writer.write(b"GET / HTTP/1.1\r\nX: ")
        async with asyncio.timeout(600):
            while not reader.at_eof():
                writer.write(b"x")
                try:
                    async with asyncio.timeout(0.05):
                        await reader.read()
                except TimeoutError:
                    continue
                except ConnectionResetError:
                    break
        writer.close()
    finally:
        await runner.cleanup()


async def test_a_body_that_does_not_arrive_is_not_waited_for() -> None:
    async def handle(request: web.Request) -> web.Response:
        try:
            await read_body(request, seconds=0.1)
        except ApiProblem as problem:
            return problem.response()
        return web.Response(text="all of it")

    app = web.Application()
    app.router.add_post("/", handle)
    runner = runner_of(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        reader, writer = await asyncio.open_connection("127.0.0.1", runner.addresses[0][1])
        head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 9\r\n\r\n"
        writer.write(head + b"ab")
        assert (await reader.readline()).split()[1] == b"400"
        writer.write(b"cdefghi")  # else the server waits for it
        await reader.read()
        writer.close()
    finally:
        await runner.cleanup()
