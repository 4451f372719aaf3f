"""Without a token, only our own user's processes on this machine are answered."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from bot.web.access import is_forwarded, is_nearby, user_of

ROWS = (
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000   998        0 1",
    "   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000    33        0 2",
    "   2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000   998        0 3",
)


def test_the_user_of_the_other_end() -> None:
    """Of its socket, which is the one whose local address is our peer's."""
    peer, own = ("127.0.0.1", 0xC350), ("127.0.0.1", 8080)
    assert user_of(ROWS, peer, own) == 33
    assert user_of(ROWS, own, peer) == 998
    assert user_of(ROWS, ("127.0.0.1", 1), own) is None
    assert user_of((*ROWS[:1], "garbage", ""), peer, own) is None


@pytest.mark.parametrize(
    "header", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via", "CF-Ray"]
)
def test_proxies_show_themselves(header: str) -> None:
    assert is_forwarded(["Host", header])
    assert not is_forwarded(["Host", "User-Agent", "Cookie"])


@pytest.mark.parametrize(("host", "asked"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
async def test_our_own_process_is_nearby(host: str, asked: str) -> None:
    """By both versions of IP; not through what asks with HTTP/1.0, as nginx does."""
    if host == "::1" and not _has_ipv6():
        pytest.skip("This machine has no IPv6.")
    async with _server(host, is_nearby) as port, aiohttp.ClientSession() as session:
        async with session.get(f"http://{asked}:{port}/") as answer:
            assert await answer.text() == "True"
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
        assert (await reader.read()).endswith(b"False")
        writer.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="Only root can be another user.")
async def test_another_user_is_not() -> None:
    async with _server("127.0.0.1", is_nearby) as port:
        script = f"import urllib.request as u; print(u.urlopen('http://127.0.0.1:{port}/').read().decode())"
        process = await asyncio.create_subprocess_exec(
            *("/usr/bin/env", "python3", "-c", script),
            user=65534,
            env={"PATH": "/usr/bin:/bin"},
            stdout=asyncio.subprocess.PIPE,
        )
        assert (await process.communicate())[0] == b"False\n"


@asynccontextmanager
async def _server(host: str, said: Callable[[web.BaseRequest], bool]) -> AsyncIterator[int]:
    """Serve what a function says of each request; yield the port."""

    async def handle(request: web.BaseRequest) -> web.Response:
        return web.Response(text=str(said(request)))

    runner = web.ServerRunner(web.Server(handle))
    await runner.setup()
    try:
        await web.TCPSite(runner, host, 0).start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
    except OSError:
        return False
    return True
