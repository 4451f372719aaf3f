"""Ask a host in a sandbox's name: by an address that was checked, or by the operator's proxy."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientHttpProxyError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    StreamReader,
    TCPConnector,
)
from aiohttp.abc import AbstractResolver, ResolveResult
from multidict import CIMultiDict
from yarl import URL

from sandbox.egress.addresses import as_address
from sandbox.egress.operator import Operator, Upstream
from sandbox.egress.policy import Policy, decide
from sandbox.egress.registries import Registries
from sandbox.egress.request import LONGEST_LINE, Wanted
from sandbox.egress.route import Forbidden, NoRoute, checked, checked_as_far_as_known

_TIMEOUT = ClientTimeout(total=None, sock_connect=30, sock_read=300)
_ADDED = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
"""Headers that aiohttp adds by itself, and that only the client may."""


class Fetching:
    """Sends requests on.

    Connections are kept for the next requests only if those have no secret of the operator's: what
    a host took for the end of a request decides what it takes for the beginning of the next one.

    Args:
        policy: What may be reached.
        operator: How this host reaches the internet.
        registries: Know how hosts are checked.
    """

    def __init__(self, policy: Policy, operator: Operator, registries: Registries) -> None:
        self._policy = policy
        self._operator = operator
        self._registries = registries
        self._sessions: dict[tuple[bool, bool], ClientSession] = {}

    @asynccontextmanager
    async def answer(
        self,
        wanted: Wanted,
        headers: CIMultiDict[str],
        body: StreamReader | None = None,
        *,
        own: str | None = None,
    ) -> AsyncIterator[ClientResponse]:
        """Yield what the host answers: not decoded, not redirected.

        Args:
            wanted: Host, method and path.
            headers: Without those of a connection.
            body: None for a request without one.
            own: Value of an `Authorization` that the sandbox does not know.

        Raises:
            Forbidden: An address of the host is a local one.
            NoRoute: The host has no address, does not answer, or is not who it should be.
        """
        upstream = self._operator.upstream(wanted.scheme, wanted.host, wanted.port)
        await self._check(wanted, upstream)
        for_proxy = _for_proxy(upstream)
        tunnelled = wanted.scheme == "https"
        sent = headers if tunnelled else CIMultiDict([*headers.items(), *for_proxy.items()])
        if own is not None:
            sent["Authorization"] = own
        session = self._session(proxied=upstream is not None, kept=tunnelled and own is None)
        try:
            async with session.request(
                wanted.method,
                _url(wanted),
                headers=sent,
                data=body,
                skip_auto_headers=_ADDED,
                allow_redirects=False,
                ssl=self._trust if tunnelled else True,
                proxy=_address(upstream) if upstream else None,
                proxy_headers=for_proxy if tunnelled else None,
            ) as response:
                yield response
        except TimeoutError as error:
            raise NoRoute(f"{wanted.host} does not answer.") from error
        except (ClientError, OSError) as error:
            # later errors quote what the host or proxy said, which may be the credential
            is_safe = (own is None and not for_proxy) or isinstance(error, ClientConnectorError)
            said = f"can't be reached: {error}" if is_safe else "gave no answer that can be read"
            if isinstance(error, ClientHttpProxyError):
                said = f"can't be reached: the proxy answered {error.status}"
            raise NoRoute(f"{wanted.host} {said}.") from error

    async def _check(self, wanted: Wanted, upstream: Upstream | None) -> None:
        """Check what aiohttp does not resolve: addresses in place of names, hosts behind a proxy."""
        passed = decide(self._policy, wanted.host, wanted.port)
        if passed is None:
            raise Forbidden(f"{wanted.host} is not allowed.")
        if upstream is not None:
            await checked_as_far_as_known(wanted.host, wanted.port, passed)
        elif as_address(wanted.host) is not None:
            await checked(wanted.host, wanted.port, passed)

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        return self._registries.authority.towards_host()

    def _session(self, *, proxied: bool, kept: bool) -> ClientSession:
        """Return the session for requests of one kind."""
        if (proxied, kept) not in self._sessions:
            resolver = None if proxied else _Checked(self._policy)
            connector = TCPConnector(
                resolver=resolver, use_dns_cache=proxied, force_close=not kept, limit=0
            )
            self._sessions[proxied, kept] = ClientSession(
                connector=connector,
                cookie_jar=DummyCookieJar(),
                timeout=_TIMEOUT,
                auto_decompress=False,
                trust_env=False,
                max_line_size=LONGEST_LINE,
                max_field_size=LONGEST_LINE,
            )
        return self._sessions[proxied, kept]

    async def close(self) -> None:
        """Close the connections."""
        await asyncio.gather(*(session.close() for session in self._sessions.values()))


class _Checked(AbstractResolver):
    """Resolves the names that a policy allows; what is connected to is what was checked."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002 - aiohttp passes it
    ) -> list[ResolveResult]:
        """Return a host's addresses, whatever their family."""
        passed = decide(self._policy, host, port)
        if passed is None:
            raise Forbidden(f"{host} is not allowed.")
        return [_resolved(host, port, each) for each in await checked(host, port, passed)]

    async def close(self) -> None:
        """Hold nothing."""


def _resolved(host: str, port: int, address: str) -> ResolveResult:
    return ResolveResult(
        hostname=host,
        host=address,
        port=port,
        family=socket.AF_INET6 if ":" in address else socket.AF_INET,
        proto=0,
        flags=socket.AI_NUMERICHOST,
    )


def _url(wanted: Wanted) -> URL:
    host = f"[{wanted.host}]" if ":" in wanted.host else wanted.host
    return URL(f"{wanted.scheme}://{host}:{wanted.port}{wanted.path}", encoded=True)


def _address(upstream: Upstream) -> str:
    host = f"[{upstream.host}]" if ":" in upstream.host else upstream.host
    return f"{'https' if upstream.tls else 'http'}://{host}:{upstream.port}"


def _for_proxy(upstream: Upstream | None) -> dict[str, str]:
    """Return the header for the operator's proxy: of a tunnel's request, or of the request itself."""
    if upstream is None or upstream.authorization is None:
        return {}
    return {"Proxy-Authorization": upstream.authorization}
