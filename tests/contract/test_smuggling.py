"""Nothing that a sandbox says to the gate becomes another request with the operator's credentials."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from sandbox.base import Network
from sandbox.egress import Registries, gate, operator, registry_credential, way_out
from tests.fakes.nginx import PROGRAM, Nginx, nginx
from tests.fakes.private_registry import private_registry

SECONDS = 600.0
SILENCE = 0.5
"""Seconds after which a server that keeps a connection open has nothing more to say."""

Seen = Callable[[], list[tuple[str, str, bool]]]


@dataclass(frozen=True, slots=True)
class Registry:
    """A private registry; `seen` are methods, paths, and whether it was the operator."""

    with_credentials: str
    place: str
    trust: Path
    seen: Seen

    @property
    def scheme(self) -> str:
        return self.with_credentials.partition(":")[0]


@pytest.fixture(
    params=[
        "nginx by http",
        "nginx by https",
        pytest.param("aiohttp by https", marks=pytest.mark.exhaustive),
    ]
)
async def registry(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Registry]:
    program, _, scheme = request.param.partition(" by ")
    if program == "aiohttp":
        async with private_registry(tmp_path) as one:
            place = f"localhost:{one.port}"
            yield Registry(one.with_credentials, place, one.trust, lambda: one.asked)
        return
    if PROGRAM is None:
        pytest.skip("nginx is not installed (Debian: apt-get install nginx-light).")
    async with nginx(tmp_path / "nginx", scheme) as server:
        yield Registry(
            *(server.with_credentials, server.place, server.trust),
            lambda: [(each.method, each.path, each.is_reader) for each in server.asked()],
        )


@dataclass(frozen=True, slots=True)
class Sandboxed:
    """Speaks to a gate as something in a sandbox would."""

    registry: Registry
    socket: Path
    trust: ssl.SSLContext

    async def says(self, words: bytes) -> bytes:
        """Say something on a new connection, and return all that is answered until it is silent."""
        reader, writer = await asyncio.open_unix_connection(self.socket)
        if self.registry.scheme == "https":
            writer.write(f"CONNECT {self.registry.place} HTTP/1.1\r\n\r\n".encode())
            assert b"200" in await reader.readuntil(b"\r\n\r\n")
            await writer.start_tls(self.trust, server_hostname="localhost")
        writer.write(words)
        said = b""
        try:
            while piece := await asyncio.wait_for(reader.read(65536), SILENCE if said else SECONDS):
                said += piece
        except TimeoutError:
            pass
        writer.close()
        return said

    def line(self, method: str, path: str) -> bytes:
        """Return the first line of a request, and the host."""
        place = self.registry.place
        address = f"http://{place}{path}" if self.registry.scheme == "http" else path
        return f"{method} {address} HTTP/1.1\r\nHost: {place}\r\n".encode()


@asynccontextmanager
async def sandboxed(registry: Registry, network: Network) -> AsyncIterator[Sandboxed]:
    """Yield a gate that adds the credentials of a registry."""
    environ = {"SSL_CERT_FILE": str(registry.trust)}
    credential = registry_credential(registry.with_credentials)
    registries = Registries((credential,), environ)
    here = operator(environ, private=registries.private)
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))  # a socket's path has to be short
        await stack.enter_async_context(gate(folder, way_out(network, here, registries)))
        (socket,) = (path for path in folder.iterdir() if path.is_socket())
        trust = ssl.create_default_context(cadata=registries.authority.bundle.decode())
        yield Sandboxed(registry, socket, trust)


SECOND = b"DELETE /admin HTTP/1.1\r\nHost: x\r\n\r\n"
ATTACKS = {
    "bare line feeds": b"X: y\n\n" + SECOND,
    "a bare line feed": b"X: y\nContent-Length: 400\r\n\r\n",
    "bare carriage returns": b"X: y\r\r" + SECOND,
    "a line that goes on": b"X: y\r\n Content-Length: 400\r\n\r\n",
    "a space before the colon": b"Content-Length : 400\r\n\r\n",
    "a null": b"X: \0\r\n\r\n",
    "two lengths": b"Content-Length: 0\r\nContent-Length: 40\r\n\r\n" + SECOND,
    "the same length twice": b"Content-Length: 40\r\nContent-Length: 40\r\n\r\n" + SECOND,
    "a list of lengths": b"Content-Length: 40, 40\r\n\r\n" + SECOND,
    "a signed length": b"Content-Length: +40\r\n\r\n" + SECOND,
    "a length and chunks": b"Content-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    + SECOND,
    "chunks in disguise": b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + SECOND,
    "chunks after a tab": b"Transfer-Encoding:\tchunked\t\r\n\r\n0\r\n\r\n" + SECOND,
    "chunks twice": b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n" + SECOND,
    "chunks that are spelled oddly": b"Transfer-Encoding: chunked\r\n\r\n0;\n\r\n\r\n" + SECOND,
    "a trailer": b"Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 400\r\n\r\n" + SECOND,
    "a body that does not end": b"Content-Length: 400\r\n\r\nabc",
    "a body": b"Content-Length: %d\r\n\r\n" % len(SECOND) + SECOND,
    "a body that is expected": b"Expect: 100-continue\r\nContent-Length: 400\r\n\r\nabc",
    "another protocol": b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n"
    + SECOND,
    "a second request": b"\r\n" + SECOND,
    "a header that hides the next": b"Connection: Authorization\r\n\r\n",
    "another method": b"X-HTTP-Method-Override: DELETE\r\nX-HTTP-Method: DELETE\r\nX-Method-Override: DELETE\r\n\r\n",
    "another address": b"X-Original-URL: /admin\r\nX-Rewrite-URL: /admin\r\n\r\n",
}
"""What follows the first line and the host's name."""

PATHS = (
    *("/simple/../admin", "/simple/%2e%2e/admin", "/simple/%252e%252e/admin", "/simple/..;/admin"),
    *("/simple/%2e%2e%2fadmin", "/simple%2f..%2fadmin", "/simple/..%5cadmin", "/simple/..\\admin"),
    *(
        "/simple/%c0%ae%c0%ae/admin",
        "/simple/x%0d%0aX:y",
        "/simplex",
        "//simple/x",
        "/simple//../admin",
    ),
    *("/simple/%00/../admin", "/Simple/../admin"),
)


@pytest.mark.parametrize(
    "method",
    ["GET", *(pytest.param(method, marks=pytest.mark.exhaustive) for method in ("HEAD", "POST"))],
)
@pytest.mark.parametrize("dated", [False, True], ids=["", "as of a date"])
async def test_no_other_request_gets_credentials(
    registry: Registry,
    method: str,
    dated: bool,  # noqa: FBT001 - a table's column
) -> None:
    """Nor does a half of one lie in wait for the next that is honest."""
    before = datetime(2024, 1, 1, tzinfo=UTC) if dated else None
    async with sandboxed(registry, Network((), package_date=before)) as box:
        honest = box.line("GET", "/simple/honest/") + b"X: DELETE /admin HTTP/1.1\r\n\r\n"

        async def attacked(rest: bytes) -> bytes:
            for path in ("/simple/x/", "/other"):
                await box.says(box.line(method, path) + rest)
            return await box.says(honest)

        answers = await asyncio.gather(*map(attacked, ATTACKS.values()))
    assert [answer for answer in answers if not answer.startswith(b"HTTP/1.1 200")] == []
    known = {(how, path) for how, path, is_operator in registry.seen() if is_operator}
    reading = {(how, path) for how in ("GET", "HEAD") for path in ("/simple/x/", "/simple/honest/")}
    assert ("GET", "/simple/honest/") in known
    assert known - reading == set()


async def test_no_other_path_gets_credentials(registry: Registry) -> None:
    """However a server may read it; what it is asked without them is its own affair."""
    async with sandboxed(registry, Network(())) as box:
        for path in PATHS:
            await box.says(box.line("GET", path) + b"\r\n")
        assert (await box.says(box.line("GET", "/simple/honest/") + b"\r\n"))[9:12] == b"200"
    known = [path for _, path, is_operator in registry.seen() if is_operator]
    assert known == ["/simple/honest/"]


@pytest.mark.parametrize("registry", ["nginx by http", "nginx by https"], indirect=True)
async def test_a_connection_carries_one_request_with_credentials(
    registry: Registry, tmp_path: Path
) -> None:
    """So that nothing before it can change what a registry takes it for; its host is the gate's."""
    async with sandboxed(registry, Network(())) as box:
        for path in ("/other", "/simple/x/", "/other", "/simple/x/", "/other"):
            words = box.line("GET", path).replace(b"Host: localhost", b"Host: other")
            await box.says(words + b"Connection: keep-alive\r\n\r\n")
    asked = Nginx(tmp_path / "nginx", 0, registry.scheme).asked()
    alone = {each.connection for each in asked if each.is_reader}
    assert len(alone) == 2
    assert [each.number for each in asked if each.connection in alone] == [1, 1]
    assert {each.host for each in asked} == {"localhost"}
