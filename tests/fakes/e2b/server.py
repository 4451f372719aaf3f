"""Serve E2B's control plane and its machines at one URL."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, assert_never

from aiohttp import web

from tests.fakes.e2b.control import Control
from tests.fakes.e2b.envd import FAULT, Envd
from tests.fakes.e2b.faults import CutStream, Garbage, LoseAnswer, Refuse, Slow
from tests.fakes.e2b.state import State
from tests.fakes.e2b.wire import ApiError, RpcError

_LARGEST_BODY = 2**30
_SHUTDOWN_SECONDS = 0.2

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class E2BServer:
    """E2B on a free port of this machine.

    Args:
        root: Host folder for the machines' disks; made if missing.
        mounts: Host folders that every machine shows read-only, such as a toolchain.

    Attributes:
        url: For both `api_url` and `sandbox_url`, once it is entered.
        state: What it knows, was asked, and is to do wrong.
    """

    def __init__(self, root: Path, *, mounts: Sequence[Path] = ()) -> None:
        self.state = State(root, mounts)
        self.url = ""
        self._control = Control(self.state)
        self._envd = Envd(self.state)
        app = web.Application(middlewares=[self._answer], client_max_size=_LARGEST_BODY)
        app.router.add_routes([*self._control.routes(), *self._envd.routes()])
        self._controlled = {route.kwargs["name"] for route in self._control.routes()}
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)

    @property
    def api_key(self) -> str:
        """The valid API key."""
        return self.state.api_key

    @property
    def settings(self) -> dict[str, str]:
        """The variables of a server whose sandboxes are its machines."""
        return {
            "FIXPOINT_SANDBOX": "e2b",
            "E2B_API_KEY": self.api_key,
            "E2B_API_URL": self.url,
            "E2B_SANDBOX_URL": self.url,
        }

    async def __aenter__(self) -> Self:
        self.state.root.mkdir(parents=True, exist_ok=True)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.state.close()
        await self._runner.cleanup()

    @web.middleware
    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check who asks, go wrong if that is due, and turn errors into answers."""
        operation = request.match_info.route.name
        self.state.requests.append(operation or request.path)
        try:
            if operation in self._controlled:
                self._control.authorize(request)
            return await self._with_fault(request, handler, operation or "")
        except (ApiError, RpcError) as error:
            return error.response()

    async def _with_fault(
        self, request: web.Request, handler: Handler, operation: str
    ) -> web.StreamResponse:
        match self.state.faults.strike(operation):
            case None:
                return await handler(request)
            case Refuse(status, message, headers):
                response = ApiError(status, message).response()
                response.headers.update(headers)
                return response
            case LoseAnswer(status):
                await handler(request)
                raise ApiError(status, "Internal error")
            case Slow(seconds):
                await asyncio.sleep(seconds)
                return await handler(request)
            case Garbage():
                return web.Response(text="<html>welcome</html>", content_type="text/html")
            case CutStream() as fault:
                request[FAULT] = fault
                return await handler(request)
            case never:
                assert_never(never)
