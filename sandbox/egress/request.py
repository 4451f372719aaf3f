"""Read the head of a proxy request, and write the one that goes on. No IO."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from sandbox.egress.policy import plain

LONGEST_HEAD = 64 * 2**10
"""Bytes of a request line with its headers."""

_LINE = re.compile(rb"([A-Z]{1,20}) ([\x21-\x7e]{1,16000}) HTTP/1\.[01]")
_HOP = re.compile(rb"(?i)(proxy-[a-z-]+|connection|keep-alive|upgrade|te):")
_HTTP_PORT = 80
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
        head: What the host is sent first; empty for a tunnel.
        head_for_proxy: The same for another proxy on the way.
        method: Such as `GET`; empty for a tunnel.
        path: With its query; empty for a tunnel.
    """

    host: str
    port: int
    scheme: str
    head: bytes = b""
    head_for_proxy: bytes = b""
    method: str = ""
    path: str = ""


def parse(head: bytes) -> Wanted:
    """Read a request up to and with its empty line.

    Raises:
        BadRequest: It is none that a proxy can serve.
    """
    line, *headers = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    found = _LINE.fullmatch(line)
    if found is None:
        raise BadRequest("This is not a request for a proxy.")
    method, target = found[1], found[2].decode("ascii")
    if method == b"CONNECT":
        host, port = _place(f"//{target}", None)
        return Wanted(host, port, "https")
    if not target.lower().startswith("http://"):
        raise BadRequest("A proxy takes only http:// addresses and CONNECT.")
    host, port = _place(target, _HTTP_PORT)
    path = "/" + target[target.index("//") + 2 :].partition("/")[2]
    rest = _sent_on(headers)
    return Wanted(
        host,
        port,
        "http",
        head=method + b" " + path.encode() + b" HTTP/1.1\r\n" + rest,
        head_for_proxy=line.rpartition(b" ")[0] + b" HTTP/1.1\r\n" + rest,
        method=method.decode(),
        path=path,
    )


def _sent_on(headers: list[bytes]) -> bytes:
    kept = [header for header in headers if not _HOP.match(header)]
    return b"\r\n".join([*kept, b"Connection: close", b"", b""])


def _place(url: str, default: int | None) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        port = parts.port or default
    except ValueError as error:
        raise BadRequest(f"This address can't be parsed: {error}.") from error
    if not parts.hostname or port is None or not 0 < port <= _LARGEST_PORT:
        raise BadRequest("The address has no host, or the tunnel has no port.")
    return plain(parts.hostname), port


def refusal(status: str, text: str) -> bytes:
    """Return an answer of the proxy itself, in plain text."""
    body = f"{text}\n".encode()
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode() + body
