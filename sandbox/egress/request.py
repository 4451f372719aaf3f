"""Read the head of a proxy request, strictly, and write it anew. No IO.

What two programs read in different ways carries a second request past the first of them: RFC 9112,
section 11.2. So nothing is passed on as it came, and what has more than one reading is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from sandbox.egress.policy import plain

LONGEST_HEAD = 64 * 2**10
"""Bytes of a request line with its headers."""

LONGEST_LINE = 16 * 2**10
"""Bytes of a request line, or of a header."""

HOP = frozenset(
    {
        *("connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "host"),
        *("proxy-authorization", "proxy-authenticate", "proxy-connection", "expect"),
    }
)
"""Headers of one connection, in lower case."""

_LINE = re.compile(rb"([A-Z]{1,20}) ([\x21-\x7e]{1,16000}) (HTTP/1\.[01])")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)")
"""RFC 9110, section 5: no white space before the colon, no line that goes on, no control."""

_FRAMING = {
    b"content-length": re.compile(rb"[0-9]{1,18}"),
    b"transfer-encoding": re.compile(rb"(?i)chunked"),
}
"""Headers that tell where a request ends, and the only values that all servers read alike."""

_ITS_OWN = HOP - {"transfer-encoding", "expect"}
"""Headers of the connection to the gate, which are not for what reads the rest here."""

PORTS = {"http": 80, "https": 443}
_LARGEST_PORT = 65535


class BadRequest(Exception):
    """It is no request for a proxy; the text says why."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a client asks for.

    Attributes:
        host: As policies know it.
        port: TCP.
        scheme: `https` for a tunnel, `http` for a request that is read.
        head: Of the request that is read, as a server of its own would get it.
        method: Such as `GET`; empty for a tunnel.
        path: With its query; empty for a tunnel.
    """

    host: str
    port: int
    scheme: str
    head: bytes = b""
    method: str = ""
    path: str = ""

    @property
    def place(self) -> str:
        """Host and port as a `Host` header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def parse(head: bytes) -> Wanted:
    """Read a request up to and with its empty line.

    Raises:
        BadRequest: It is none that a proxy can serve.
    """
    line, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    found = _LINE.fullmatch(line)
    if found is None:
        raise BadRequest("This is not a request for a proxy.")
    headers = [_header(each) for each in lines]
    check_framing(headers)
    method, target, version = found[1], found[2].decode("ascii"), found[3]
    if method == b"CONNECT":
        host, port, _ = _address(f"//{target}", None)
        return Wanted(host, port, "https")
    if not target.lower().startswith("http://"):
        raise BadRequest("A proxy takes only http:// addresses and CONNECT.")
    host, port, path = _address(target, PORTS["http"])
    wanted = Wanted(host, port, "http", method=method.decode(), path=path)
    kept = [each for each in headers if each[0].lower().decode() not in _ITS_OWN]
    own = [(b"Host", wanted.place.encode()), *kept, (b"Connection", b"close")]
    line = b"%s %s %s" % (method, path.encode(), version)
    rewritten = b"\r\n".join([line, *(b": ".join(each) for each in own), b"", b""])
    return Wanted(host, port, "http", rewritten, wanted.method, path)


def _header(line: bytes) -> tuple[bytes, bytes]:
    found = _HEADER.fullmatch(line)
    if found is None:
        raise BadRequest("A header of this request is malformed.")
    return found[1], found[2].strip(b" \t")


def check_framing(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Make sure that everybody finds the end of a request in the same place.

    Args:
        headers: Names and values.

    Raises:
        BadRequest: They tell it more than once, or in other words than the usual ones.
    """
    told = [(name.lower(), value) for name, value in headers if name.lower() in _FRAMING]
    if len(told) > 1 or any(not _FRAMING[name].fullmatch(value) for name, value in told):
        raise BadRequest("The headers of this request do not say clearly where it ends.")


def _address(url: str, default: int | None) -> tuple[str, int, str]:
    """Return host, port and path of an address."""
    try:
        parts = urlsplit(url)
        port = parts.port or default
    except ValueError as error:
        raise BadRequest(f"This address can't be parsed: {error}.") from error
    if not parts.hostname or port is None or not 0 < port <= _LARGEST_PORT:
        raise BadRequest("The address has no host, or the tunnel has no port.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return plain(parts.hostname), port, path


def refusal(status: str, text: str) -> bytes:
    """Return an answer of the proxy itself, in plain text."""
    body = f"{text}\n".encode()
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode() + body
