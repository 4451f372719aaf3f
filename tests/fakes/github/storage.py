"""The storage behind GitHub: another host, which gives files to whoever has a signed address.

As the real one does, it refuses a request that brings a credential besides.
"""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import hdrs, web


class Storage:
    """Serves files by name on a port of its own."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self._runner: web.AppRunner | None = None

    async def start(self, host: str) -> str:
        """Start on a free port, and return its address."""
        app = web.Application()
        app.add_routes([web.get("/{name}", self._give)])
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, 0).start()
        return f"http://{host}:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Stop."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _give(self, request: web.Request) -> web.StreamResponse:
        if hdrs.AUTHORIZATION in request.headers:
            raise web.HTTPBadRequest(text="Authentication information is not given correctly.")
        content = self._files.get(request.match_info["name"])
        if content is None or request.query.get("sig") != "once":
            raise web.HTTPNotFound
        return web.Response(body=content)
