"""A private package registry over TLS: it wants to know who asks, and has one Python package."""

from __future__ import annotations

import base64
import gzip
import io
import json
import ssl
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from sandbox.egress.authority import Authority

WHEEL = "secretive-1.0-py3-none-any.whl"


@dataclass
class PrivateRegistry:
    """What it was asked, in order.

    Attributes:
        user: Who may read.
        password: Of that user.
        trust: File with the certificate of its authority.
        port: On `localhost`.
        asked: Method, path, and whether it was the user.
    """

    user: str
    password: str
    trust: Path
    port: int = 0
    asked: list[tuple[str, str, bool]] = field(default_factory=list)

    @property
    def index(self) -> str:
        """Where clients find it, without credentials."""
        return f"https://localhost:{self.port}/simple"

    @property
    def with_credentials(self) -> str:
        """The same as an operator writes it."""
        return self.index.replace("//", f"//{self.user}:{self.password}@")

    async def serve(self, request: web.Request) -> web.Response:
        """Answer with the index, the package, or a demand for credentials."""
        pair = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        known = request.headers.get("Authorization") == f"Basic {pair}"
        self.asked.append((request.method, request.path, known))
        if not known:
            return web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="x"'})
        if request.path.endswith(".whl"):
            return web.Response(body=_wheel(), content_type="application/zip")
        kind = request.path.removeprefix("/simple/auth/")
        if kind != request.path:
            return self._showing(kind, pair)
        # an absolute link, as many registries have them
        link = f'<a href="{self.index}/secretive/{WHEEL}">{WHEEL}</a>'
        return web.Response(text=f"<!DOCTYPE html><body>{link}</body>", content_type="text/html")

    def _showing(self, kind: str, pair: str) -> web.Response:
        """Answer as registries do that show who reads: a page for npm, a redirect, an error."""
        page = f"_auth = {pair}\nalways-auth = true\n"
        location = {"Location": f"{self.with_credentials}/x?token={self.password}"}
        encoded = {"Content-Encoding": "gzip"}
        answers = {
            "location": web.Response(status=302, headers=location),
            "header": web.Response(headers={"X-Seen-Authorization": f"Basic {pair}"}),
            "reason": web.Response(status=400, reason=f"Unknown {self.password}"),
            "error": web.Response(status=500, text=json.dumps({"headers": {"a": pair}})),
            "gzip": web.Response(body=gzip.compress(page.encode()), headers=encoded),
            "long": web.Response(text="x" * 300_000 + page),
            "malformed": web.Response(headers={f"Bad Name {self.password}": "x"}),
            "page": web.Response(text=page, headers={"Accept-Ranges": "bytes"}),
        }
        return answers[kind]


def _wheel() -> bytes:
    data, info = io.BytesIO(), "secretive-1.0.dist-info"
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("secretive.py", "print('installed from the private registry')\n")
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: secretive\nVersion: 1.0\n"
        )
        archive.writestr(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr(f"{info}/RECORD", "")
    return data.getvalue()


@asynccontextmanager
async def private_registry(folder: Path) -> AsyncIterator[PrivateRegistry]:
    """Yield one that listens."""
    authority = Authority({})
    trust = folder / "authority.pem"
    trust.write_bytes(authority.bundle)
    registry = PrivateRegistry("reader", "untold-4b7f91", trust)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", registry.serve)
    runner = web.AppRunner(app)
    await runner.setup()
    context: ssl.SSLContext = authority.as_host("localhost")
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await site.start()
    registry.port = runner.addresses[0][1]
    try:
        yield registry
    finally:
        await runner.cleanup()
