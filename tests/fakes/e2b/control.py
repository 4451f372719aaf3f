"""E2B's control plane: create, find and end machines and snapshots."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qsl, unquote

from aiohttp import web

from tests.fakes.e2b.state import Sandbox, Snapshot, State
from tests.fakes.e2b.wire import ApiError

ENVD_VERSION = "0.6.7"
_KEY = re.compile(r"[a-z0-9-]{1,255}")
_LONGEST_TIMEOUT = 86_400


class Control:
    """The handlers, which all take the API key."""

    def __init__(self, state: State) -> None:
        self._state = state

    def routes(self) -> list[web.RouteDef]:
        """Return them with the names of their operations."""
        return [
            web.post("/v2/sandboxes", self.create, name="create"),
            web.get("/v2/sandboxes", self.list, name="list"),
            web.post("/v2/sandboxes/{id}/connect", self.connect, name="connect"),
            web.get("/sandboxes/{id}", self.detail, name="detail"),
            web.delete("/sandboxes/{id}", self.kill, name="kill"),
            web.post("/sandboxes/{id}/timeout", self.timeout, name="timeout"),
            web.post("/sandboxes/{id}/fork", self.fork, name="fork"),
            web.post("/sandboxes/{id}/snapshots", self.snapshot, name="snapshot"),
            web.get("/snapshots", self.list_snapshots, name="list_snapshots"),
            web.delete("/templates/{id}", self.delete_template, name="delete_template"),
        ]

    def authorize(self, request: web.Request) -> None:
        """Raise `ApiError` 401 unless the key is right."""
        if request.headers.get("X-API-KEY") != self._state.api_key:
            raise ApiError(401, "Invalid API key")

    async def create(self, request: web.Request) -> web.Response:
        """Create a machine."""
        key = request.headers.get("Idempotency-Key")
        if key is not None and not _KEY.fullmatch(key):
            raise ApiError(400, "Invalid Idempotency-Key")
        asked = await _body(request)
        if not isinstance(asked.get("templateID"), str):
            raise ApiError(400, "templateID is required")
        _valid_timeout(asked.get("timeout", 300))
        return web.json_response(_opened(await self._state.create(asked, key)), status=201)

    async def list(self, request: web.Request) -> web.Response:
        """List the living machines, all on one page."""
        query = unquote(request.query.get("metadata", ""))
        wanted = {unquote(name): unquote(value) for name, value in parse_qsl(query)}
        found = [
            _listed(sandbox)
            for sandbox in self._state.running
            if wanted.items() <= sandbox.metadata.items()
        ]
        if request.query.get("order") != "asc":
            found.reverse()
        return web.json_response(found[: int(request.query.get("limit", 100))])

    async def connect(self, request: web.Request) -> web.Response:
        """Open a machine's own API; its time-out only ever grows by this."""
        sandbox = self._sandbox(request)
        seconds = _valid_timeout((await _body(request)).get("timeout", 300))
        self._state.set_timeout(sandbox, max(seconds, sandbox.timeouts[-1]))
        return web.json_response(_opened(sandbox))

    async def detail(self, request: web.Request) -> web.Response:
        """Describe a machine."""
        return web.json_response(_listed(self._sandbox(request)))

    async def kill(self, request: web.Request) -> web.Response:
        """End a machine."""
        await self._state.end(self._sandbox(request))
        return web.Response(status=204)

    async def timeout(self, request: web.Request) -> web.Response:
        """Set the time-out anew."""
        sandbox = self._sandbox(request)
        seconds = _valid_timeout((await _body(request)).get("timeout"))
        self._state.set_timeout(sandbox, seconds)
        return web.Response(status=204)

    async def fork(self, request: web.Request) -> web.Response:
        """Create copies of a machine."""
        sandbox, asked = self._sandbox(request), await _body(request)
        seconds = _valid_timeout(asked.get("timeout", 300))
        forks = [await self._state.fork(sandbox, seconds) for _ in range(asked.get("count", 1))]
        return web.json_response([{"sandbox": _opened(fork)} for fork in forks], status=201)

    async def snapshot(self, request: web.Request) -> web.Response:
        """Make a template of a machine."""
        sandbox, asked = self._sandbox(request), await _body(request)
        snapshot = await self._state.snapshot(sandbox, asked.get("name"))
        return web.json_response(_snapshot(snapshot), status=201)

    async def list_snapshots(self, request: web.Request) -> web.Response:
        """List the snapshots, or the one of a name."""
        name, source = request.query.get("name"), request.query.get("sandboxID")
        found = [
            _snapshot(snapshot)
            for snapshot in self._state.snapshots.values()
            if name in {None, snapshot.name, snapshot.id} and source in {None, snapshot.source}
        ]
        return web.json_response(found)

    async def delete_template(self, request: web.Request) -> web.Response:
        """Delete a snapshot."""
        snapshot = self._state.by_id(request.match_info["id"])
        if snapshot is None:
            raise ApiError(404, "template not found")
        await self._state.forget(snapshot.name)
        return web.Response(status=204)

    def _sandbox(self, request: web.Request) -> Sandbox:
        return self._state.find(request.match_info["id"])


async def _body(request: web.Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except json.JSONDecodeError as error:
        raise ApiError(400, f"the body is no JSON: {error}") from error
    if not isinstance(body, dict):
        raise ApiError(400, "the body is no object")
    return body


def _valid_timeout(seconds: object) -> int:
    if not isinstance(seconds, int) or not 0 <= seconds <= _LONGEST_TIMEOUT:
        raise ApiError(400, f"timeout must be 0 to {_LONGEST_TIMEOUT} seconds")
    return seconds


def _opened(sandbox: Sandbox) -> dict[str, Any]:
    return {
        "templateID": sandbox.asked["templateID"],
        "sandboxID": sandbox.id,
        "clientID": "local",
        "envdVersion": ENVD_VERSION,
        "envdAccessToken": sandbox.token,
        "domain": None,
    }


def _listed(sandbox: Sandbox) -> dict[str, Any]:
    return {
        "templateID": sandbox.asked["templateID"],
        "sandboxID": sandbox.id,
        "clientID": "local",
        "startedAt": sandbox.started.isoformat(),
        "endAt": sandbox.end_at.isoformat(),
        "cpuCount": 2,
        "memoryMB": 2048,
        "diskSizeMB": 8192,
        "state": "running",
        "envdVersion": ENVD_VERSION,
        "metadata": dict(sandbox.metadata),
    }


def _snapshot(snapshot: Snapshot) -> dict[str, Any]:
    return {"snapshotID": snapshot.id, "names": [f"team/{snapshot.name}:default"]}
