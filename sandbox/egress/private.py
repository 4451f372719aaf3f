"""Reach private registries in a sandbox's name: its TLS ends here, and credentials are added."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.egress.credentials import RegistryCredential, authorized, of_host
from sandbox.egress.inside import BUNDLE
from sandbox.egress.operator import Operator
from sandbox.egress.policy import Pass
from sandbox.egress.request import Wanted, parse_inside
from sandbox.egress.route import NoRoute, Stream, connect

if TYPE_CHECKING:
    from sandbox.egress.authority import Authority

ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
_SECONDS = 30.0


class PrivateRegistries:
    """The registries whose credentials this process has.

    Args:
        credentials: All of them.
        environ: The host's environment: whom the operator trusts.
    """

    def __init__(
        self,
        credentials: Sequence[RegistryCredential] = (),
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._credentials = tuple(credentials)
        self._environ = environ or {}

    @cached_property
    def _authority(self) -> Authority:
        from sandbox.egress.authority import Authority  # slow to import, and rarely needed

        return Authority(self._environ)

    @property
    def places(self) -> frozenset[tuple[str, int]]:
        """Host and port of each."""
        return frozenset((one.host, one.port) for one in self._credentials)

    def places_for(self, project: str) -> frozenset[tuple[str, int]]:
        """Host and port of those that serve a project (`owner/name`, or "")."""
        return frozenset((one.host, one.port) for one in self._credentials if one.serves(project))

    def has(self, wanted: Wanted, project: str) -> bool:
        """Whether a request or tunnel leads to one of them that serves the project."""
        return bool(of_host(self._credentials, wanted, project))

    def show_bundle(self, folder: Path) -> None:
        """Write whom a sandbox shall trust into the folder that it sees."""
        file, bundle = folder / BUNDLE, self._authority.bundle
        if not file.is_file() or file.read_bytes() != bundle:
            file.write_bytes(bundle)
            file.chmod(0o644)

    async def connect(
        self, wanted: Wanted, project: str, passed: Pass, operator: Operator, client: Stream
    ) -> tuple[Stream, bytes]:
        """Return a connection to a registry, and what is to be sent over it first.

        Raises:
            BadRequest: What came through the tunnel is no request.
            OnlyReading: It would change something there.
            Forbidden: An address of the host is a local one.
            NoRoute: The host has no address, does not answer, or is not who it should be.
        """
        if wanted.scheme == "https":
            wanted = await self._read_inside(wanted, client)
        known = of_host(self._credentials, wanted, project)
        request = authorized(wanted, known)
        server, first = await connect(request, passed, operator)
        if request.scheme == "https":
            await self._encrypt(server, request)
            first = request.head
        return server, first

    async def _read_inside(self, tunnel: Wanted, client: Stream) -> Wanted:
        """End a tunnel here, and read the request in it."""
        reader, writer = client
        context = await asyncio.to_thread(self._authority.as_host, tunnel.host)
        writer.write(ESTABLISHED)
        async with asyncio.timeout(_SECONDS):
            await writer.start_tls(context)  # at once: what comes before it would be lost
            return parse_inside(await reader.readuntil(b"\r\n\r\n"), tunnel)

    async def _encrypt(self, server: Stream, wanted: Wanted) -> None:
        _, writer = server
        context = await asyncio.to_thread(self._authority.towards_host)
        try:
            async with asyncio.timeout(_SECONDS):
                await writer.start_tls(context, server_hostname=wanted.host)
        except (ssl.SSLError, TimeoutError) as error:
            writer.close()
            raise NoRoute(f"{wanted.host} is not trusted: {error}.") from error
