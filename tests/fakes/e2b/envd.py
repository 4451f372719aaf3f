"""What runs inside a machine of E2B and answers for it: processes and files."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from aiohttp import web

from tests.fakes.e2b import wire
from tests.fakes.e2b.process import Process
from tests.fakes.e2b.state import Sandbox, State
from tests.fakes.e2b.wire import ApiError, RpcError

FAULT = web.RequestKey("fault", object)
_PORT = "49983"
_USERS = frozenset({"root", "user"})
_NAMES = {True: "FILE_TYPE_DIRECTORY", False: "FILE_TYPE_FILE"}


class Envd:
    """The handlers, which all take the machine's id and token."""

    def __init__(self, state: State) -> None:
        self._state = state

    def routes(self) -> list[web.RouteDef]:
        """Return them with the names of their operations."""
        return [
            web.get("/health", self.health, name="health"),
            web.post("/process.Process/Start", self.start, name="start"),
            web.post("/process.Process/List", self.processes, name="processes"),
            web.post("/process.Process/SendSignal", self.signal, name="signal"),
            web.post("/filesystem.Filesystem/Stat", self.stat, name="stat"),
            web.get("/files", self.read, name="read"),
            web.post("/files", self.write, name="write"),
        ]

    def authorize(self, request: web.Request) -> Sandbox:
        """Return the machine that is meant, as the gateway in front of it does."""
        sandbox = self._state.sandboxes.get(request.headers.get("E2b-Sandbox-Id", ""))
        if sandbox is None or sandbox.ended is not None:
            raise ApiError(502, "The sandbox was not found")
        if request.headers.get("E2b-Sandbox-Port") != _PORT:
            raise ApiError(502, "The sandbox is running but port is not open")
        if request.headers.get("X-Access-Token") != sandbox.token:
            raise ApiError(401, "unauthorized access, please provide a valid access token")
        return sandbox

    async def health(self, request: web.Request) -> web.Response:
        """Say that the machine runs."""
        self.authorize(request)
        return web.Response(status=204)

    async def start(self, request: web.Request) -> web.StreamResponse:
        """Start a process and stream what becomes of it; it stays when the stream ends."""
        sandbox = self.authorize(request)
        if request.content_type != wire.STREAM:
            raise ApiError(415, f"expected {wire.STREAM}")
        asked = wire.only_message(await request.read())
        user = _account(wire.user_of(request.headers.get("Authorization"), "user"))
        process = await self._state.start(sandbox, asked["process"], user)
        response = web.StreamResponse(headers={"Content-Type": wire.STREAM})
        await response.prepare(request)
        try:
            with contextlib.suppress(ConnectionResetError):  # nobody listens any more
                await self._stream(request, response, process)
        finally:
            process.ignore()
        return response

    async def _stream(
        self, request: web.Request, response: web.StreamResponse, process: Process
    ) -> None:
        cut_after = getattr(request.get(FAULT), "events", None)
        sent = 0
        while sent != cut_after:
            event = await process.events.get()
            if event is None:
                break
            await response.write(wire.frame(event))
            sent += 1
            if "end" in event["event"]:
                await response.write(wire.last_frame())
                await response.write_eof()
                return
        if request.transport is not None:
            request.transport.abort()

    async def processes(self, request: web.Request) -> web.Response:
        """List the processes that run."""
        sandbox = self.authorize(request)
        return web.json_response({"processes": [_listed(each) for each in sandbox.running]})

    async def signal(self, request: web.Request) -> web.Response:
        """Signal one process."""
        sandbox = self.authorize(request)
        asked = await _message(request)
        pid = asked["process"].get("pid")
        for process in sandbox.running:
            if process.pid == pid:
                process.send(asked["signal"])
                return web.json_response({})
        raise RpcError("not_found", f"process with pid {pid} not found")

    async def stat(self, request: web.Request) -> web.Response:
        """Describe a file."""
        sandbox = self.authorize(request)
        path = str((await _message(request))["path"])
        place = sandbox.disk.place(path)
        if not place.exists():
            raise RpcError("not_found", f"file not found: {path}")
        facts = place.stat()
        entry = {
            "name": place.name,
            "type": _NAMES[place.is_dir()],
            "path": path,
            "size": str(facts.st_size),
            "mode": facts.st_mode & 0o7777,
        }
        return web.json_response({"entry": entry})

    async def read(self, request: web.Request) -> web.StreamResponse:
        """Send a file."""
        path = request.query["path"]
        place = self.authorize(request).disk.place(path)
        if not place.exists():
            raise ApiError(404, f"path '{path}' does not exist")
        if place.is_dir():
            raise ApiError(400, f"path '{path}' is a directory")
        return web.FileResponse(place)

    async def write(self, request: web.Request) -> web.Response:
        """Write a file, sent raw or as a form."""
        sandbox = self.authorize(request)
        path, user = request.query["path"], _account(request.query.get("username", "user"))
        place = sandbox.disk.place(path)
        if place.is_dir():
            raise ApiError(400, f"path is a directory: {path}")
        sandbox.disk.write(place, await _content(request), user)
        return web.json_response([{"path": path, "name": place.name, "type": "file"}])


async def _message(request: web.Request) -> dict[str, Any]:
    if request.content_type != "application/json":
        raise RpcError("invalid_argument", "expected application/json")
    message: dict[str, Any] = json.loads(await request.read())
    return message


async def _content(request: web.Request) -> bytes:
    if request.content_type == "application/octet-stream":
        return await request.read()
    field = (await request.post())["file"]
    if isinstance(field, web.FileField):
        return field.file.read()
    raise ApiError(400, "the form has no file")


def _account(user: str) -> str:
    if user not in _USERS:
        raise ApiError(401, f"error looking up user '{user}'")
    return user


def _listed(process: Process) -> dict[str, Any]:
    config = {
        "cmd": process.arguments[0],
        "args": list(process.arguments[1:]),
        "envs": dict(process.environment),
    }
    return {"config": config, "pid": process.pid}
