"""A collector's other end: it reads the spans that arrive. A real collector can stand before it.

The real one is rotel, https://github.com/streamfold/rotel, whose package brings its program.
"""

from __future__ import annotations

import asyncio
import gzip
import importlib.util
import socket
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web
from aiohttp.test_utils import TestServer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1 import trace_pb2

PATIENCE = 120.0

Value = str | bool | int | float | list[str]


@dataclass(frozen=True, slots=True)
class Span:
    """A span as it arrived.

    Attributes:
        trace: Its trace's id, in hexadecimal digits.
        id: Its own, likewise.
        parent: That of the span which it is a part of, or "".
        name: What it is called.
        began: Nanoseconds since 1970.
        ended: Nanoseconds since 1970.
        attributes: By name.
        problem: What its status says went wrong; None where nothing did.
    """

    trace: str
    id: str
    parent: str
    name: str
    began: int
    ended: int
    attributes: dict[str, Value]
    problem: str | None


@dataclass
class Receiver:
    """What arrived.

    Attributes:
        spans: All spans, in the order in which they came.
        resources: The attributes of whoever sent them.
        headers: Of each request.
        bodies: Of each request, as text.
        url: Where it listens, without `/v1/traces`.
    """

    spans: list[Span] = field(default_factory=list)
    resources: list[dict[str, Value]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    url: str = ""
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so that only what arrives can change."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._news.clear()
                await self._news.wait()

    def named(self, name: str) -> list[Span]:
        """Return the spans of that name, in the order in which they began."""
        found = (item for item in self.spans if item.name == name)
        return sorted(found, key=lambda span: span.began)

    def tree(self, *, without: tuple[str, ...] = ()) -> str:
        """Return names below one another, as they are a part of each other; neighbours by start."""
        ids = {entry.id for entry in self.spans}
        lines: list[str] = []

        def write(above: str, depth: int) -> None:
            found = (
                entry
                for entry in self.spans
                if (entry.parent if entry.parent in ids else "") == above
            )
            for item in sorted(found, key=lambda span: span.began):
                if item.name not in without:
                    lines.append(f"{'  ' * depth}{item.name}")
                    write(item.id, depth + 1)

        write("", 0)
        return "\n".join(lines)

    async def take(self, request: web.Request) -> web.Response:
        """Read a request by the protocol's own description."""
        body = await request.read()
        if body[:2] == b"\x1f\x8b":
            body = gzip.decompress(body)
        self.headers.append(dict(request.headers))
        self.bodies.append(body.decode("utf-8", "replace"))
        for sender in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.resources.append(_attributes(sender.resource.attributes))
            for scope in sender.scope_spans:
                self.spans += map(_span, scope.spans)
        self._news.set()
        answer = ExportTraceServiceResponse().SerializeToString()
        return web.Response(body=answer, content_type="application/x-protobuf")


def _span(span: trace_pb2.Span) -> Span:
    failed = span.status.code == trace_pb2.Status.STATUS_CODE_ERROR
    return Span(
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.name,
        span.start_time_unix_nano,
        span.end_time_unix_nano,
        _attributes(span.attributes),
        span.status.message if failed else None,
    )


def _attributes(pairs: Iterable[KeyValue]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for pair in pairs:
        kind = pair.value.WhichOneof("value")
        if kind == "array_value":
            found[pair.key] = [item.string_value for item in pair.value.array_value.values]
        elif kind is not None:
            found[pair.key] = getattr(pair.value, kind)
    return found


@asynccontextmanager
async def open_receiver() -> AsyncIterator[Receiver]:
    """Open what takes spans by OTLP over HTTP."""
    receiver = Receiver()
    app = web.Application(client_max_size=64 * 2**20)
    app.router.add_post("/v1/traces", receiver.take)
    async with TestServer(app) as server:
        receiver.url = f"http://127.0.0.1:{server.port}"
        yield receiver


def rotel() -> Path | None:
    """Return the collector's program; None where its package has none for this machine."""
    found = importlib.util.find_spec("rotel")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).with_name("rotel-agent")


@asynccontextmanager
async def open_collector(program: Path, receiver: Receiver, folder: Path) -> AsyncIterator[str]:
    """Start the real collector, which passes everything on; yield where it takes OTLP over HTTP."""
    grpc, http = _free_port(), _free_port()
    process = await asyncio.create_subprocess_exec(
        *(str(program), "start", "--exporter", "otlp"),
        *("--otlp-exporter-endpoint", receiver.url, "--otlp-exporter-protocol", "http"),
        *("--otlp-http-endpoint", f"127.0.0.1:{http}", "--otlp-grpc-endpoint", f"127.0.0.1:{grpc}"),
        *("--batch-timeout", "100ms", "--pid-file", str(folder / "rotel.pid")),
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await _listening(process, http)
        yield f"http://127.0.0.1:{http}"
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _listening(process: asyncio.subprocess.Process, port: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            assert process.returncode is None, "the collector ended"
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                return


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
