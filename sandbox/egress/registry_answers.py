"""Answer a client in a registry's place: with what the registry said, or with what is left of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence

from aiohttp import ClientResponse, web
from multidict import CIMultiDict

from sandbox.egress.listings import LARGEST, Listing
from sandbox.egress.request import HOP
from sandbox.egress.shown_credentials import CredentialSearch, ShowsCredential

_OF_THE_PAGE = frozenset(
    {"content-length", "content-type", "content-encoding", "etag", "last-modified", "vary"}
)
"""Headers that no longer fit when something was left out."""


class UpstreamResponse:
    """What a host answered; if a credential was sent to it, looked through for that.

    Args:
        answer: As it came.
        secrets: Values of `Authorization` and the like that the client must not see.

    Attributes:
        pieces: Of the body; each is had once.

    Raises:
        ShowsCredential: The head has the credential, or the body can't be looked through.
    """

    def __init__(self, answer: ClientResponse, secrets: Sequence[str] = ()) -> None:
        self.status = answer.status
        self.reason = answer.reason
        self.content_type = answer.content_type
        self.headers = CIMultiDict(answer.headers)
        self.pieces: AsyncIterator[bytes] = aiter(answer.content.iter_any())
        if not secrets:
            return
        search = CredentialSearch(*secrets)
        head = [
            (answer.reason or "").encode("utf-8", "surrogateescape"),
            *(b"\0".join(pair) for pair in answer.raw_headers),
        ]
        search.check(b"\0".join(head))
        encodings = ",".join(self.headers.getall("Content-Encoding", [])).lower()
        if encodings.strip() not in {"", "identity"}:
            raise ShowsCredential(
                "in an encoding, which can't be searched for its reader's credential"
            )
        self.headers.popall("Accept-Ranges", None)  # a part of a secret is in no form of it
        self.pieces = search.checked(self.pieces)


def accepted(request: web.BaseRequest) -> str:
    """Return what a client can read."""
    return ",".join(request.headers.getall("Accept", []))


async def begin(answer: UpstreamResponse) -> bytes:
    """Read a page, or the beginning of one that is too large to be looked into."""
    body = bytearray()
    async for piece in answer.pieces:
        body += piece
        if len(body) >= LARGEST:
            break
    return bytes(body)


async def passed_on(
    request: web.BaseRequest, answer: UpstreamResponse, begun: bytes = b""
) -> web.StreamResponse:
    """Pass an answer on as it comes, byte by byte.

    Args:
        request: Of the client.
        answer: Of the registry.
        begun: What was read of it before.
    """
    reason = answer.reason if answer.reason is not None and answer.reason.isprintable() else None
    if not begun and request.method != "HEAD":  # so that nothing is sent of what is refused
        begun = await anext(answer.pieces, b"")
    response = web.StreamResponse(status=answer.status, reason=reason, headers=_kept(answer))
    await response.prepare(request)
    try:
        if request.method != "HEAD":
            await _carry(answer, response, begun)
        await response.write_eof()
    except BaseException:  # what was begun can't be taken back: the client must see that it ends
        if request.transport is not None:
            request.transport.abort()
        raise
    return response


async def _carry(answer: UpstreamResponse, response: web.StreamResponse, begun: bytes) -> None:
    if begun:
        await response.write(begun)
    async for piece in answer.pieces:
        await response.write(piece)


async def shown(
    request: web.BaseRequest, answer: UpstreamResponse, listing: Listing
) -> web.StreamResponse:
    """Answer with what is left of a page, and return when the client has it."""
    if listing.body is None:
        return told(404, "There was nothing of this name at the date of this run.")
    headers = _kept(answer, without=_OF_THE_PAGE)
    headers["Content-Type"] = listing.content_type
    response = web.Response(body=listing.body, headers=headers)
    await response.prepare(request)
    await response.write_eof()
    return response


def told(status: int, text: str) -> web.Response:
    """Return an answer of the gate itself, in plain text."""
    return web.Response(status=status, text=f"{text}\n")


def _kept(answer: UpstreamResponse, without: Collection[str] = ()) -> CIMultiDict[str]:
    """Return the headers that concern the client."""
    return CIMultiDict(
        (name, value)
        for name, value in answer.headers.items()
        if name.lower() not in HOP and name.lower() not in without
    )
