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

_RECORD_HEAD, _HANDSHAKE_HEAD = 5, 4
_RANDOM = 2 + 32
"""Bytes of a greeting before its first field of variable length: version and random."""

_HIDDEN = frozenset({0xFE0D, 0xFFCE})
"""Extensions that hold a second greeting or name, which only the server can read (RFC 9849)."""

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


class UnreadableHello(Exception):
    """It says nothing, begins like TLS and goes on otherwise, or hides a second name."""


class Misdirected(Exception):
    """It names another host than the one that was asked for."""


async def first_words(reader: StreamReader) -> FirstWords:
    """Read until it is known which host a client wants.

    Raises:
        Unreadable: It is no greeting that a server would understand.
    """
    data = await reader.read(_PIECE)
    if not data:
        raise UnreadableHello
    if not data.startswith(_HANDSHAKE):
        return FirstWords(data)
    greeting = _Greeting()
    said = data
    while not greeting.add(said):
        said = await reader.read(_PIECE)
        data += said
        if not said or len(data) > _LONGEST:
            raise UnreadableHello
    if not _HIDDEN.isdisjoint(extensions_of(data)):
        raise UnreadableHello
    return FirstWords(data, is_tls=True, name=greeting.name)


def extensions_of(said: bytes) -> list[int]:
    """Return the types of the extensions of a greeting: RFC 8446, section 4.1.2.

    Args:
        said: Whole records, which OpenSSL has read as a greeting.
    """
    greeting, at = b"", 0
    while at < len(said) and said[at : at + 1] == _HANDSHAKE:
        length = int.from_bytes(said[at + 3 : at + _RECORD_HEAD], "big")
        greeting += said[at + _RECORD_HEAD : at + _RECORD_HEAD + length]
        at += _RECORD_HEAD + length
    whole = _HANDSHAKE_HEAD + int.from_bytes(greeting[1:_HANDSHAKE_HEAD], "big")
    at = _HANDSHAKE_HEAD + _RANDOM
    for size in (1, 2, 1):  # session, cipher suites, compression methods
        at += size + int.from_bytes(greeting[at : at + size], "big")
    at += 2  # the length of all extensions
    found = []
    while at + 4 <= min(whole, len(greeting)):
        found.append(int.from_bytes(greeting[at : at + 2], "big"))
        at += 4 + int.from_bytes(greeting[at + 2 : at + 4], "big")
    return found


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
                raise UnreadableHello from error
        return True

    def _end(self, _server: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> int:
        """Remember the name; the handshake itself is for the real server."""
        self._is_whole = True
        self.name = None if name is None else plain(name)
        return int(ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME)
