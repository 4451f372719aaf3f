"""Ask hosts for what a sandbox wants: each request is read here, and another one is made of it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Protocol

from aiohttp import web
from multidict import CIMultiDict

from sandbox.egress.credentials import OnlyReading, authorization, may_stay
from sandbox.egress.operator import Operator
from sandbox.egress.package_date_filter import READING, DatedAnswers
from sandbox.egress.policy import Policy, decide
from sandbox.egress.registries import Registries
from sandbox.egress.registry_answers import (
    UpstreamResponse,
    accepted,
    begin,
    passed_on,
    shown,
    told,
)
from sandbox.egress.request import HOP, LONGEST_LINE, BadRequest, Wanted, check_framing
from sandbox.egress.route import Forbidden, NoRoute, Stream
from sandbox.egress.shown_credentials import ShowsCredential
from sandbox.egress.upstream_requests import Fetching

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


_LOG = logging.getLogger(__name__)


class Withheld(NoRoute):
    """A host answered, and a sandbox may not see the answer."""


class NoteRoute(Protocol):
    """Is told whether a host that may be reached could be."""

    def __call__(self, wanted: Wanted, *, is_there: bool, is_withheld: bool = False) -> None:
        """Take note."""
        ...


class HttpProxy:
    """Stands for hosts in one sandbox, for as long as its gate is open.

    Args:
        registries: The credentials of some of them, and whose answers are held to a date.
        policy: What the sandbox may reach.
        operator: How this host reaches the internet.
        refuse: Is told what turned out to be in a private network.
        note_route: Is told whether a host could be reached, and whether its answer was withheld.
    """

    def __init__(
        self,
        registries: Registries,
        policy: Policy,
        operator: Operator,
        refuse: Callable[[Wanted], None],
        note_route: NoteRoute,
    ) -> None:
        self._registries = registries
        self._policy = policy
        self._refuse = refuse
        self._note_route = note_route
        before = policy.network.package_date
        self._dated = DatedAnswers(before) if before is not None else None
        self._operator = operator
        self._fetching = Fetching(policy, operator, registries)
        self._elsewhere = Fetching(policy.elsewhere, operator, registries)
        self._end = OwnEnd(registries, self._serve)

    @property
    def undated(self) -> tuple[str, ...]:
        """The hosts that did not say when packages were uploaded."""
        return self._dated.undated if self._dated else ()

    async def connect(self, wanted: Wanted) -> Stream:
        """Return a connection to what stands for a host; `https` means that TLS ends there."""
        return await self._end.connect(wanted)

    async def _serve(self, wanted: Wanted, request: web.BaseRequest) -> web.StreamResponse:
        if (
            wanted.method in READING and request.can_read_body
        ):  # servers differ in what they do then
            return told(400, f"A {wanted.method} request has no body.")
        try:
            return await self._answer(wanted, request)
        except OnlyReading as error:
            return told(403, str(error))
        except Forbidden as error:
            self._refuse(wanted)
            return told(403, str(error))
        except NoRoute as error:
            withheld = isinstance(error, Withheld)
            self._note_route(wanted, is_there=withheld, is_withheld=withheld)
            return told(502, str(error))
        except Exception:  # noqa: BLE001 - a bug of ours ends one request, and is told
            _LOG.exception("a host's answer could not be passed on")
            return told(500, "The answer could not be passed on.")

    async def _answer(self, wanted: Wanted, request: web.BaseRequest) -> web.StreamResponse:
        dated = self._dated if self._registries.stand_for(wanted, self._policy) else None
        async with self._asked(wanted, request, dated) as answer:
            if dated is None or not dated.may_list(wanted, answer):
                return await passed_on(request, answer)
            if wanted.method == "HEAD":  # the length depends on what is left
                return await self._answer(replace(wanted, method="GET"), request)
            async with dated.reading:
                begun = await begin(answer)
                listing = await dated.left_of(
                    *(wanted, accepted(request), answer, begun),
                    asking=lambda other: self._asked(other, request, dated),
                )
                if listing is None:
                    return await passed_on(request, answer, begun)
                return await shown(request, answer, listing)

    @asynccontextmanager
    async def _asked(
        self, wanted: Wanted, request: web.BaseRequest, dated: DatedAnswers | None
    ) -> AsyncIterator[UpstreamResponse]:
        """Make a request of ours for what is wanted, and yield what is answered.

        One with a registry's credentials has no body, no header but those that say what a client can
        read, and a connection to itself.

        Raises:
            Forbidden: The host is there for its registries alone, and this is none of their paths.
        """
        known = self._registries.credentials_for(wanted, self._policy.network.project)
        own = authorization(known, wanted.method, wanted.path)
        place, elsewhere = (wanted.host, wanted.port), self._policy.elsewhere
        if own is None and place in self._policy.by_path and decide(elsewhere, *place) is None:
            raise Forbidden(f"Of {wanted.host}, only its registries' paths may be read here.")
        upstream = self._operator.upstream(wanted.scheme, wanted.host, wanted.port)
        for_proxy = upstream.authorization if upstream and wanted.scheme == "http" else None
        secrets = tuple(secret for secret in (own, for_proxy) if secret is not None)
        headers = CIMultiDict(
            (name, value)
            for name, value in request.headers.items()
            if (name.lower() not in HOP if own is None else may_stay(name))
        )
        headers.popall("Content-Length", None)
        body = request.content if request.can_read_body else None
        if body is not None and request.content_length is not None:
            headers["Content-Length"] = str(request.content_length)
        if dated is not None:
            headers = dated.to_ask_with(wanted, headers)
        if secrets:
            headers["Accept-Encoding"] = "identity"
            headers.popall("Range", None)  # a part of a secret is in no form of it
        fetching = self._elsewhere if own is None else self._fetching
        asking = fetching.answer(wanted, headers, body, own=own)
        async with asking as answer:
            self._note_route(wanted, is_there=True)
            try:
                yield UpstreamResponse(answer, secrets)
            except ShowsCredential as error:
                where = {"host": wanted.host, "path": wanted.path}
                _LOG.warning(
                    "an answer may show a credential that was sent with its request", extra=where
                )
                raise Withheld(f"{wanted.host} answered {error}.") from error

    async def close(self) -> None:
        """Break off what is still open."""
        await self._end.close()
        await self._fetching.close()
        await self._elsewhere.close()
