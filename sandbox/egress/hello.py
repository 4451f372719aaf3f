"""Read which host the first words of a connection are for: a TLS greeting, or something else."""

from __future__ import annotations

import ssl
from asyncio import StreamReader
from dataclasses import dataclass

from sandbox.egress.policy import plain

_HANDSHAKE = b"\x16"
"""Type of the first record of a TLS connection: RFC 8446, section 5.1."""

_LONGEST = 64 * 2**10
_PIECE = 1 << 14

UNRECOGNIZED_NAME = b"\x15\x03\x03\x00\x02\x02\x70"
"""A fatal alert: the server does not have that name (RFC 6066, section 3)."""


@dataclass(frozen=True, slots=True)
class FirstWords:
    """What a client said first.

    Attributes:
        data: All that was read.
        is_tls: Whether it wants to speak TLS.
        name: Host that its greeting names, as policies know it; None where it names none.
    """

    data: bytes
    is_tls: bool = False
    name: str | None = None


class Unreadable(Exception):
    """It says nothing, or begins like TLS and goes on otherwise."""


class Misdirected(Exception):
    """It names another host than the one that was asked for."""


async def first_words(reader: StreamReader) -> FirstWords:
    """Read until it is known which host a client wants.

    Raises:
        Unreadable: It is no greeting that a server would understand.
    """
    data = await reader.read(_PIECE)
    if not data:
        raise Unreadable
    if not data.startswith(_HANDSHAKE):
        return FirstWords(data)
    greeting = _Greeting()
    said = data
    while not greeting.add(said):
        said = await reader.read(_PIECE)
        data += said
        if not said or len(data) > _LONGEST:
            raise Unreadable
    return FirstWords(data, is_tls=True, name=greeting.name)


class _Greeting:
    """A ClientHello, as OpenSSL reads it: in however many records and pieces it comes."""

    def __init__(self) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.sni_callback = self._end
        self._incoming = ssl.MemoryBIO()
        self._server = context.wrap_bio(self._incoming, ssl.MemoryBIO(), server_side=True)
        self._is_whole = False
        self.name: str | None = None

    def add(self, data: bytes) -> bool:
        """Read on, and return whether it is whole.

        Raises:
            Unreadable: It is none.
        """
        self._incoming.write(data)
        try:
            self._server.do_handshake()
        except ssl.SSLWantReadError:
            return False
        except ssl.SSLError as error:
            if not self._is_whole:
                raise Unreadable from error
        return True

    def _end(self, _server: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> int:
        """Remember the name; the handshake itself is for the real server."""
        self._is_whole = True
        self.name = None if name is None else plain(name)
        return int(ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME)
