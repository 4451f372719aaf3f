"""End a sandbox's connections at the gate: a server of HTTP, behind TLS of our own for tunnels."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Awaitable, Callable
from functools import partial

from aiohttp import web

from sandbox.egress.answers import told
from sandbox.egress.registries import Registries
from sandbox.egress.request import LONGEST_LINE, BadRequest, Wanted, check_framing
from sandbox.egress.route import Stream

_QUIET = logging.getLogger(f"{__name__}.requests")
_QUIET.setLevel(logging.CRITICAL)
"""Sandboxes may send anything; what is no request is no error of ours."""

_HANDSHAKE_SECONDS = 60.0
Answering = Callable[[Wanted, web.BaseRequest], Awaitable[web.StreamResponse]]


class OwnEnd:
    """Reads the requests of one sandbox, each of which it hands to who answers it.

    Args:
        registries: Know how the gate shows itself as a host.
        answering: Is given what is wanted, and the request.
    """

    def __init__(self, registries: Registries, answering: Answering) -> None:
        self._registries = registries
        self._answering = answering
        self._servers: dict[Wanted, web.Server] = {}
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._accepting: set[asyncio.Task[None]] = set()

    async def connect(self, wanted: Wanted) -> Stream:
        """Return a connection to a server that stands for a host; `https` means that TLS ends there."""
        ours, theirs = socket.socketpair()
        place = Wanted(wanted.host, wanted.port, wanted.scheme)
        task = asyncio.ensure_future(self._accept(place, theirs))
        self._accepting.add(task)
        task.add_done_callback(self._accepting.discard)
        return await asyncio.open_connection(sock=ours)

    async def _accept(self, place: Wanted, connection: socket.socket) -> None:
        """Serve the other end."""
        if place not in self._servers:
            self._servers[place] = web.Server(
                partial(self._serve, place),
                access_log=None,
                logger=_QUIET,
                handler_cancellation=True,
                auto_decompress=False,
                max_line_size=LONGEST_LINE,
                max_field_size=LONGEST_LINE,
            )
        context = await self._shown_as(place) if place.scheme == "https" else None
        with contextlib.suppress(OSError):  # the client hung up, or does not trust us
            await asyncio.get_running_loop().connect_accepted_socket(
                self._servers[place],
                connection,
                ssl=context,
                ssl_handshake_timeout=_HANDSHAKE_SECONDS if context else None,
            )

    async def _shown_as(self, place: Wanted) -> ssl.SSLContext:
        """Return how a host's tunnel ends here."""
        if place.host not in self._contexts:
            made = await asyncio.to_thread(self._registries.authority.as_host, place.host)
            self._contexts[place.host] = made
        return self._contexts[place.host]

    async def _serve(self, place: Wanted, request: web.BaseRequest) -> web.StreamResponse:
        wanted = Wanted(
            place.host, place.port, place.scheme, method=request.method, path=request.raw_path
        )
        if not wanted.path.startswith("/"):
            return told(400, "The address of this request is not a path.")
        try:
            check_framing(request.raw_headers)
        except BadRequest as error:
            return told(400, str(error))
        return await self._answering(wanted, request)

    async def close(self) -> None:
        """Break off what is still open."""
        for task in self._accepting:
            task.cancel()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        for server in self._servers.values():
            await server.shutdown(0)
