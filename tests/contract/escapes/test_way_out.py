"""The only way out of a sandbox with network leads past the policy."""

from __future__ import annotations

import asyncio
import shlex
import socket
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sandbox.base import Network, Sandbox, SandboxSpec
from sandbox.bubblewrap import BubblewrapProvider
from sandbox.egress.inside import PORT
from sandbox.egress.way_out import MOST_CONNECTIONS
from tests.contract.conftest import Kind
from tests.contract.escapes import inside
from tests.contract.escapes.attempt import SECRET, Attempt, betrayed, outcomes
from tests.contract.escapes.host import host
from tests.fakes.upstream_proxy import SHOWING, WELCOME, UpstreamProxy, upstream_proxy

SECONDS = 600.0
REGISTRY = Network(("registry.example", "*.files.example"))
EVERYTHING = Network(everything=True)

own_gate = pytest.mark.parametrize(
    "kind", ["bubblewrap", pytest.param("docker", marks=pytest.mark.docker)], indirect=True
)
"""E2B has rules of its own for this; see tests/contract/test_e2b.py."""

pytestmark = pytest.mark.skipif(not inside.usable(), reason="No table of this machine's calls.")


@pytest.fixture
async def upstream() -> AsyncIterator[UpstreamProxy]:
    async with upstream_proxy() as proxy:
        yield proxy


@pytest.fixture
def operator_environ(upstream: UpstreamProxy) -> dict[str, str]:
    """The operator reaches the internet through a proxy alone."""
    return {"HTTPS_PROXY": upstream.url, "http_proxy": upstream.url}


def asking(request: str, more: bytes = b"") -> str:
    """Return a command that sends a request to the proxy and prints the answer."""
    return saying(f"{request} HTTP/1.1\r\n\r\n".encode() + more)


def saying(words: bytes) -> str:
    """Return a command that sends words to the proxy and prints the answer."""
    spelled = "".join(f"\\x{byte:02x}" for byte in words)
    return f"exec 3<>/dev/tcp/127.0.0.1/{PORT}; printf '{spelled}' >&3; timeout 10 cat <&3"


def greeting(name: str | None) -> bytes:
    """Return what a client of TLS says first to a host of that name."""
    client = ssl.create_default_context()
    client.check_hostname = False
    out = ssl.MemoryBIO()
    try:
        client.wrap_bio(ssl.MemoryBIO(), out, server_hostname=name).do_handshake()
    except ssl.SSLWantReadError:
        return out.read()
    raise AssertionError


async def answer(sandbox: Sandbox, request: str, more: bytes = b"") -> str:
    return (await sandbox.run(asking(request, more), timeout=SECONDS)).output


@own_gate
async def test_an_allowed_host_is_reached(kind: Kind, upstream: UpstreamProxy) -> None:
    """By pages and by tunnels; the operator's own credentials stay outside."""
    sandbox = await kind.open(network=REGISTRY)
    page = await answer(sandbox, "GET http://registry.example/simple/")
    assert WELCOME.decode() in page
    tunnel = await answer(sandbox, "CONNECT a.files.example:443", greeting("A.Files.example"))
    assert tunnel.endswith("heard 16\n")
    assert upstream.lines == [
        "GET http://registry.example/simple/ HTTP/1.1",
        "CONNECT a.files.example:443 HTTP/1.1",
    ]
    seen = await sandbox.run("env; cat /proc/[0-9]*/environ", timeout=SECONDS)
    assert "untold" not in seen.output
    assert str(upstream.port) not in seen.output


@own_gate
@pytest.mark.parametrize(
    "network", [REGISTRY, pytest.param(EVERYTHING, marks=pytest.mark.exhaustive)]
)
async def test_the_operators_proxy_shows_no_sandbox_its_credential(
    kind: Kind, upstream: UpstreamProxy, network: Network
) -> None:
    """In a page, a header, an address, its reason, or encoded; nor when it refuses a tunnel."""
    sandbox = await kind.open(network=network)
    for shown in SHOWING:
        request = f"GET http://registry.example/shows/{shown}"
        if shown.endswith(":443"):
            request = f"CONNECT {shown}"
        told = await answer(sandbox, request)
        assert told.startswith("HTTP/1.1 502 "), (shown, told)
        assert "untold" not in told
        assert "b3BlcmF0b3I6dW50b2xk" not in told
    assert len(upstream.lines) == len(SHOWING)


@own_gate
async def test_a_dated_index_is_reached_in_the_same_way(
    kind: Kind, upstream: UpstreamProxy
) -> None:
    """By the operator's proxy, although the gate itself asks."""
    moment = datetime(2023, 11, 8, tzinfo=UTC)
    sandbox = await kind.open(network=Network(("pypi.org",), package_date=moment))
    request = "GET http://pypi.org/simple/x/ HTTP/1.1\r\nHost: pypi.org\r\nX: y"
    assert WELCOME.decode() in await answer(sandbox, request)
    assert upstream.lines == ["GET http://pypi.org/simple/x/ HTTP/1.1"]


@own_gate
async def test_no_other_host_is_reached(kind: Kind, upstream: UpstreamProxy) -> None:
    """Nor another port, whatever the spelling; and the result names what was refused."""
    sandbox = await kind.open(network=REGISTRY)
    requests = {
        "CONNECT other.example:443": "other.example",
        "CONNECT registry.example:22": "registry.example",
        "CONNECT registry.example.evil.example:443": "registry.example.evil.example",
        "CONNECT evilregistry.example:443": "evilregistry.example",
        "CONNECT files.example:443": "files.example",
        "GET http://registry.example@10.0.0.1/": "10.0.0.1",
        "GET http://[::ffff:169.254.169.254]/": "::ffff:169.254.169.254",
        "CONNECT 93.184.215.14:443": "93.184.215.14",
    }
    commands = "\n".join(f"({asking(request)})" for request in requests)
    result = await sandbox.run(commands, timeout=SECONDS)
    assert result.output.count("403 Forbidden") == len(requests)
    assert result.refused == tuple(requests.values())
    for odd in ("GET /etc/passwd", "GET file:///etc/passwd", "CONNECT registry.example", "HELLO"):
        assert "400 Bad Request" in await answer(sandbox, odd)
    assert upstream.lines == []


@own_gate
async def test_a_host_that_does_not_answer_is_named(kind: Kind, upstream: UpstreamProxy) -> None:
    """Unless it answers later; what may not be reached is another matter."""
    sandbox = await kind.open(network=REGISTRY)
    upstream.away = {"registry.example:443", "a.files.example:443"}
    asked = ("CONNECT registry.example:443", "CONNECT a.files.example:443", "CONNECT b.example:443")
    commands = "\n".join(f"({asking(request)})" for request in asked)
    result = await sandbox.run(commands, timeout=SECONDS)
    assert result.unreached == ("registry.example", "a.files.example")
    assert result.refused == ("b.example",)
    upstream.away.clear()
    tunnel = asking("CONNECT registry.example:443", greeting("registry.example"))
    assert (await sandbox.run(tunnel, timeout=SECONDS)).unreached == ()


@own_gate
async def test_a_tunnel_stays_with_its_host(kind: Kind, upstream: UpstreamProxy) -> None:
    """Its TLS has to name the host; what is no TLS is read, and asked of that host alone."""
    sandbox = await kind.open(network=REGISTRY)
    names = ("other.example", "b.files.example", "registry.example.evil.example", None)
    tunnel = "CONNECT a.files.example:443"
    commands = "\n".join(f"({asking(tunnel, greeting(name))})" for name in names)
    result = await sandbox.run(commands, timeout=SECONDS)
    assert "heard" not in result.output
    assert result.refused == names[:3]
    assert "400 Bad Request" in await answer(sandbox, tunnel, b"SSH-2.0-hello\r\n\r\n")
    assert "heard" not in await answer(sandbox, tunnel, b"\x16\x03\x01\x00\x05hello")
    upstream.heads.clear()
    request = b"GET /simple/ HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n"
    page = await answer(sandbox, "CONNECT registry.example:80", request)
    assert WELCOME.decode() in page
    tunnelled, asked = upstream.heads
    assert tunnelled.startswith("CONNECT registry.example:80 ")
    assert asked.startswith("GET http://registry.example/simple/ ")
    assert "\r\nHost: registry.example\r\n" in asked


@own_gate
async def test_every_host_needs_no_name(kind: Kind) -> None:
    """Where all of them may be reached, a tunnel may carry anything."""
    sandbox = await kind.open(network=EVERYTHING)
    assert "heard 68" in await answer(sandbox, "CONNECT anything.example:22", b"hello\n")


@own_gate
async def test_the_operators_proxy_gets_one_request(kind: Kind, upstream: UpstreamProxy) -> None:
    """It would not ask whether the next one is allowed."""
    sandbox = await kind.open(network=REGISTRY)
    second = "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"
    for between in ("X: y\n\n", "X: y\r\r", "X: y\n", "Content-Length: 0\r\n\r\n", "\r\n"):
        words = f"GET http://registry.example/ HTTP/1.1\r\n{between}{second}"
        await sandbox.run(saying(words.encode()), timeout=SECONDS)
    assert [head for head in upstream.heads if "evil" in head] == []


@own_gate
async def test_nothing_local_is_reached(kind: Kind, tmp_path: Path) -> None:
    """Neither directly nor through the proxy, although every host of the internet is allowed."""
    async with host(tmp_path / "host") as place:
        sandbox = await kind.open(network=EVERYTHING)
        direct = inside.connections(place)
        names: tuple[str, ...] = (
            "127.0.0.1",
            "localhost",
            "[::1]",
            "0.0.0.0",
            "2130706433",
            "0x7f.1",
            "127.1",
        )
        names += ("[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", socket.gethostname())
        asked = tuple(
            Attempt(f"{name}:{port} by the proxy", asking(f"GET http://{name}:{port}/"))
            for port in (place.port, 80)
            for name in (
                *names,
                *place.addresses,
                *(f"[{m}]" if ":" in m else m for m in inside.METADATA),
            )
        )
        tunnels = (Attempt("a tunnel", asking(f"CONNECT 127.0.0.1:{place.port}", b"hello\n")),)
        said = await outcomes(sandbox, (*direct, *asked, *tunnels))
        assert betrayed(said, "200 OK", "200 Connection") == {}
        assert place.visitors == []


@own_gate
async def test_many_connections_at_once(kind: Kind, upstream: UpstreamProxy) -> None:
    """As package clients make them; each gets its own answer."""
    sandbox = await kind.open(network=REGISTRY)
    command = f"for n in $(seq 20); do ({asking('GET http://registry.example/')}) & done; wait"
    result = await sandbox.run(command, timeout=SECONDS)
    assert result.output.count(WELCOME.decode()) == 20
    assert len(upstream.lines) == 20


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@own_gate
async def test_connections_are_not_exhausted(kind: Kind, upstream: UpstreamProxy) -> None:
    """Too many of them are refused with a sentence, and this process does not run out of them."""
    sandbox = await kind.open(network=REGISTRY)
    script = (
        "import socket\n"
        f"held = [socket.create_connection(('127.0.0.1', {PORT})) for _ in range(600)]\n"
        "held[-1].close()\n"
        "for one in held[100:200]: one.sendall(b'HELLO\\r\\n\\r\\n')\n"
        "print(b''.join(one.recv(4096) for one in held[100:200]).decode())\n"
    )
    before = descriptors()
    running = asyncio.create_task(sandbox.run(f"python3 -c {shlex.quote(script)}", timeout=SECONDS))
    most = before
    while not running.done():
        most = max(most, descriptors())
        await asyncio.wait({running}, timeout=0.01)
    said = (await running).output
    assert f"This sandbox has {MOST_CONNECTIONS} connections already" in said
    assert most - before < 4 * MOST_CONNECTIONS
    assert WELCOME.decode() in await answer(sandbox, "GET http://registry.example/")
    assert len(upstream.lines) == 1


@own_gate
async def test_an_attempt_has_no_way_out(kind: Kind) -> None:
    """Without network there is no proxy either, in a sandbox or in a snapshot of one with it."""
    first = await kind.open(network=REGISTRY)
    snapshot = await kind.snapshot(first)
    second = await kind.open(source=None, snapshot=snapshot)
    assert not (await second.run(asking("GET http://registry.example/"), timeout=SECONDS)).ok
    assert "43128" not in (await second.run("env", timeout=SECONDS)).output


async def test_the_operators_registry_may_be_local(tmp_path: Path, source: Path) -> None:
    """The one that the settings of a package client name, at its port and no other."""
    async with host(tmp_path / "host") as place:
        environ = {
            "PATH": "/usr/bin:/bin",
            "PIP_INDEX_URL": f"http://localhost:{place.port}/simple",
        }
        provider = BubblewrapProvider(tmp_path / "data", environ)
        sandbox = await provider.open(SandboxSpec("one", source=source, network=Network()))
        try:
            assert SECRET in await answer(sandbox, f"GET http://localhost:{place.port}/simple/")
            other = await answer(sandbox, f"GET http://localhost:{place.port + 1}/simple/")
            assert "403 Forbidden" in other
        finally:
            await sandbox.close()
        assert place.visitors == ["TCP"]
