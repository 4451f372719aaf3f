"""Stand for a registry: an HTTP server at the end of a sandbox's tunnel, which asks the real one."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

from aiohttp import ClientResponse, web
from multidict import CIMultiDict

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

_HOP = frozenset(
    {
        *("connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "host"),
        *("proxy-authorization", "proxy-authenticate", "proxy-connection", "expect"),
    }
)
_CONDITIONS = frozenset({"if-none-match", "if-modified-since"})
"""A client's copy may be of a page that nothing was left out of."""

_OF_THE_PAGE = frozenset(
    {"content-length", "content-type", "content-encoding", "etag", "last-modified", "vary"}
)
"""Headers that no longer fit when something was left out."""

_WHO_ASKS = "fixpoint"
"""Some indexes answer old clients with HTML alone, whatever these say that they accept."""

_READING = frozenset({"GET", "HEAD"})
_OK = 200
_AT_ONCE = 2
"""Pages that are looked into at a time: the largest take half a gigabyte of memory."""

_HANDSHAKE_SECONDS = 60.0
_LONGEST_LINE = 16_384


class Standing:
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
        self._few_at_a_time = asyncio.Semaphore(_AT_ONCE)

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
            return _told(400, "This is not a request for a registry.")
        try:
            return await self._answer(wanted, request)
        except OnlyReading as error:
            return _told(403, str(error))
        except Forbidden as error:
            self._refuse(wanted)
            return _told(403, str(error))
        except NoRoute as error:
            return _told(502, str(error))

    async def _answer(self, wanted: Wanted, request: web.BaseRequest) -> web.StreamResponse:
        headers = self._sent_on(wanted, request)
        body = request.content if request.can_read_body else None
        async with self._fetching.answer(wanted, headers, body) as answer:
            if not self._may_list(wanted, answer):
                return await _passed_on(request, answer)
            if wanted.method == "HEAD":  # the length depends on what is left
                return await self._answer(replace(wanted, method="GET"), request)
            begun = await _begin(answer)
            listing = await self._left_of(wanted, headers, answer, begun, _accepted(request))
            if listing is None:
                return await _passed_on(request, answer, begun)
            return _shown(listing, answer)

    def _sent_on(self, wanted: Wanted, request: web.BaseRequest) -> CIMultiDict[str]:
        """Return the headers for the registry, with the credentials for the path."""
        known = self._registries.credentials_for(wanted, self._policy.network.project)
        own = authorization(known, wanted.method, wanted.path)
        headers = CIMultiDict(
            (name, value)
            for name, value in request.headers.items()
            if name.lower() not in _HOP and (own is None or may_stay(name))
        )
        if own is not None:
            headers["Authorization"] = own
        if self._before is not None and wanted.method in _READING:
            for name in _CONDITIONS:
                headers.popall(name, None)
            headers["Accept"] = to_ask_for(_accepted(request))
            packed = "gzip" in request.headers.get("Accept-Encoding", "")
            headers["Accept-Encoding"] = "gzip" if packed else "identity"
            headers["User-Agent"] = _WHO_ASKS
        return headers

    def _may_list(self, wanted: Wanted, answer: ClientResponse) -> bool:
        """Whether an answer may list packages of which some are to be left out."""
        is_page = answer.status == _OK and answer.content_type in MAY_LIST
        return self._before is not None and wanted.method in _READING and is_page

    async def _left_of(
        self,
        wanted: Wanted,
        headers: CIMultiDict[str],
        answer: ClientResponse,
        body: bytes,
        accept: str,
    ) -> Listing | None:
        """Return what a client is shown in place of a page; None for the page itself."""
        found = await self._look_into(wanted, answer, body, accept)
        if isinstance(found, OneVersion):
            found = await self._one_version(wanted, headers, found)
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
        async with self._few_at_a_time:
            return await asyncio.to_thread(dated, page, accept, self._before)

    async def _one_version(
        self, wanted: Wanted, headers: CIMultiDict[str], one: OneVersion
    ) -> Listing | Undated:
        """Find a version in its packument, which says when each of them was published."""
        asked = replace(wanted, path=one.packument)
        async with self._fetching.answer(asked, headers) as answer:
            if not self._may_list(asked, answer):
                return Undated()
            body = await _begin(answer)
            return of_packument(await self._look_into(asked, answer, body, ""), one.wanted)

    async def close(self) -> None:
        """Break off what is still open."""
        for task in self._accepting:
            task.cancel()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        for server in self._servers.values():
            await server.shutdown(0)
        await self._fetching.close()


def _accepted(request: web.BaseRequest) -> str:
    return ",".join(request.headers.getall("Accept", []))


async def _begin(answer: ClientResponse) -> bytes:
    """Read a page, or the beginning of one that is too large to be looked into."""
    body = bytearray()
    async for piece in answer.content.iter_any():
        body += piece
        if len(body) >= LARGEST:
            break
    return bytes(body)


async def _passed_on(
    request: web.BaseRequest, answer: ClientResponse, begun: bytes = b""
) -> web.StreamResponse:
    """Pass an answer on as it comes, byte by byte.

    Args:
        request: Of the client.
        answer: Of the registry.
        begun: What was read of it before.
    """
    shown = web.StreamResponse(status=answer.status, reason=answer.reason, headers=_kept(answer))
    await shown.prepare(request)
    if request.method != "HEAD":
        if begun:
            await shown.write(begun)
        async for piece in answer.content.iter_any():
            await shown.write(piece)
    await shown.write_eof()
    return shown


def _kept(answer: ClientResponse, without: Collection[str] = ()) -> CIMultiDict[str]:
    """Return the headers that concern the client."""
    return CIMultiDict(
        (name, value)
        for name, value in answer.headers.items()
        if name.lower() not in _HOP and name.lower() not in without
    )


def _shown(listing: Listing, answer: ClientResponse) -> web.Response:
    """Return a page that something may have been left out of."""
    if listing.body is None:
        return _told(404, "There was nothing of this name at the date of this run.")
    headers = _kept(answer, without=_OF_THE_PAGE)
    headers["Content-Type"] = listing.content_type
    return web.Response(body=listing.body, headers=headers)


def _told(status: int, text: str) -> web.Response:
    return web.Response(status=status, text=f"{text}\n")
