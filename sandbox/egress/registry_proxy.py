"""Stand for registries: an HTTP server at the end of a sandbox's tunnel, which asks the real ones."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from aiohttp import ClientResponse, web
from multidict import CIMultiDict

from sandbox.egress.answers import HOP, accepted, begin, passed_on, shown, told
from sandbox.egress.credentials import OnlyReading, authorization, may_stay
from sandbox.egress.fetching import Fetching
from sandbox.egress.listings import (
    LARGEST,
    MAY_LIST,
    Found,
    Listing,
    OneVersion,
    Page,
    Undated,
    dated,
    of_packument,
    to_ask_for,
    unpacked,
)
from sandbox.egress.operator import Operator
from sandbox.egress.policy import Policy
from sandbox.egress.registries import Registries
from sandbox.egress.request import Wanted
from sandbox.egress.route import Forbidden, NoRoute, Stream

_LOG = logging.getLogger(__name__)
_QUIET = logging.getLogger(f"{__name__}.requests")
_QUIET.setLevel(logging.CRITICAL)
"""Sandboxes may send anything; what is no request is no error of ours."""

_CONDITIONS = frozenset({"if-none-match", "if-modified-since"})
"""A client's copy may be of a page that nothing was left out of."""

_WHO_ASKS = "fixpoint"
"""Some indexes answer old clients with HTML alone, whatever these say that they accept."""

_READING = frozenset({"GET", "HEAD"})
_OK = 200
_READ_AT_ONCE, _PARSED_AT_ONCE = 8, 2
"""Pages that are held in memory for one sandbox, and that are looked into, at a time."""

_HANDSHAKE_SECONDS = 60.0
_LONGEST_LINE = 16_384


class RegistryProxy:
    """Stands for the registries of one sandbox, for as long as its gate is open.

    Args:
        registries: Which, and their credentials.
        policy: What the sandbox may reach.
        operator: How this host reaches the internet.
        refuse: Is told what turned out to be in a private network.
    """

    def __init__(
        self,
        registries: Registries,
        policy: Policy,
        operator: Operator,
        refuse: Callable[[Wanted], None],
    ) -> None:
        self._registries = registries
        self._policy = policy
        self._before = policy.network.packages_before
        self._refuse = refuse
        self._fetching = Fetching(policy, operator, registries.authority.towards_host())
        self._servers: dict[Wanted, web.Server] = {}
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._accepting: set[asyncio.Task[None]] = set()
        self._undated: dict[str, None] = {}
        self._reading = asyncio.Semaphore(_READ_AT_ONCE)
        self._parsing = asyncio.Semaphore(_PARSED_AT_ONCE)

    @property
    def undated(self) -> tuple[str, ...]:
        """The hosts that did not say when packages were uploaded."""
        return tuple(self._undated)

    async def connect(self, wanted: Wanted) -> tuple[Stream, bytes]:
        """Return a connection to what stands for a registry, and what is to be sent first."""
        ours, theirs = socket.socketpair()
        place = Wanted(wanted.host, wanted.port, wanted.scheme)
        task = asyncio.ensure_future(self._accept(place, theirs))
        self._accepting.add(task)
        task.add_done_callback(self._accepting.discard)
        return await asyncio.open_connection(sock=ours), wanted.head

    async def _accept(self, place: Wanted, connection: socket.socket) -> None:
        """Serve the other end; for a tunnel, the client's TLS ends there."""
        if place not in self._servers:
            self._servers[place] = web.Server(
                partial(self._serve, place),
                access_log=None,
                logger=_QUIET,
                auto_decompress=False,
                max_line_size=_LONGEST_LINE,
                max_field_size=_LONGEST_LINE,
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
        """Return how a registry's tunnel ends here."""
        if place.host not in self._contexts:
            made = await asyncio.to_thread(self._registries.authority.as_host, place.host)
            self._contexts[place.host] = made
        return self._contexts[place.host]

    async def _serve(self, place: Wanted, request: web.BaseRequest) -> web.StreamResponse:
        wanted = replace(place, method=request.method, path=request.raw_path)
        if not wanted.path.startswith("/"):
            return told(400, "This is not a request for a registry.")
        try:
            return await self._answer(wanted, request)
        except OnlyReading as error:
            return told(403, str(error))
        except Forbidden as error:
            self._refuse(wanted)
            return told(403, str(error))
        except NoRoute as error:
            return told(502, str(error))
        except Exception:  # noqa: BLE001 - a bug of ours ends one request, and is told
            _LOG.exception("a registry's answer could not be passed on")
            return told(500, "The answer could not be passed on.")

    async def _answer(self, wanted: Wanted, request: web.BaseRequest) -> web.StreamResponse:
        headers = self._sent_on(wanted, request)
        body = request.content if request.can_read_body else None
        async with self._fetching.answer(wanted, headers, body) as answer:
            if not self._may_list(wanted, answer):
                return await passed_on(request, answer)
            if wanted.method == "HEAD":  # the length depends on what is left
                return await self._answer(replace(wanted, method="GET"), request)
            async with self._reading:
                begun = await begin(answer)
                listing = await self._left_of(wanted, request, answer, begun)
                if listing is None:
                    return await passed_on(request, answer, begun)
                return await shown(request, answer, listing)

    def _sent_on(self, wanted: Wanted, request: web.BaseRequest) -> CIMultiDict[str]:
        """Return the headers for the registry, with the credentials for the path."""
        known = self._registries.credentials_for(wanted, self._policy.network.project)
        own = authorization(known, wanted.method, wanted.path)
        headers = CIMultiDict(
            (name, value)
            for name, value in request.headers.items()
            if name.lower() not in HOP and (own is None or may_stay(name))
        )
        if own is not None:
            headers["Authorization"] = own
        if self._before is not None and wanted.method in _READING:
            for name in _CONDITIONS:
                headers.popall(name, None)
            headers["Accept"] = to_ask_for(accepted(request))
            packed = "gzip" in request.headers.get("Accept-Encoding", "")
            headers["Accept-Encoding"] = "gzip" if packed else "identity"
            headers["User-Agent"] = _WHO_ASKS
        return headers

    def _may_list(self, wanted: Wanted, answer: ClientResponse) -> bool:
        """Whether an answer may list packages of which some are to be left out."""
        is_page = answer.status == _OK and answer.content_type in MAY_LIST
        return self._before is not None and wanted.method in _READING and is_page

    async def _left_of(
        self, wanted: Wanted, request: web.BaseRequest, answer: ClientResponse, body: bytes
    ) -> Listing | None:
        """Return what a client is shown in place of a page; None for the page itself."""
        found = await self._look_into(wanted, answer, body, accepted(request))
        if isinstance(found, OneVersion):
            found = await self._one_version(wanted, request, found)
        if isinstance(found, Undated):
            where = {"host": wanted.host, "path": wanted.path}
            _LOG.warning("a package index has no upload times", extra=where)
            self._undated[wanted.host] = None
            return found.listing
        return found

    async def _look_into(
        self, wanted: Wanted, answer: ClientResponse, body: bytes, accept: str
    ) -> Found:
        """Leave out of a page what is too new."""
        if self._before is None:
            return None
        encoding = answer.headers.get("Content-Encoding", "")
        whole = unpacked(body, encoding) if len(body) < LARGEST else None
        if whole is None:
            return Undated()
        page = Page(whole, answer.content_type, wanted.path)
        async with self._parsing:
            return await asyncio.to_thread(dated, page, accept, self._before)

    async def _one_version(
        self, wanted: Wanted, request: web.BaseRequest, one: OneVersion
    ) -> Listing | Undated:
        """Find a version in its packument, which says when each of them was published."""
        asked = replace(wanted, path=one.packument)
        async with self._fetching.answer(asked, self._sent_on(asked, request)) as answer:
            if not self._may_list(asked, answer):
                return Undated()
            body = await begin(answer)
            return of_packument(await self._look_into(asked, answer, body, ""), one.wanted)

    async def close(self) -> None:
        """Break off what is still open."""
        for task in self._accepting:
            task.cancel()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        for server in self._servers.values():
            await server.shutdown(0)
        await self._fetching.close()
