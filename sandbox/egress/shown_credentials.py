"""Find a credential in what a registry answers to whoever has it, before a sandbox sees it. No IO.

Some registries show readers their own credential (Artifactory's `api/npm/auth`), and error pages
may repeat a request's headers.
"""

from __future__ import annotations

import base64
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from html.entities import html5

_SHORTEST = 8
"""Bytes of a secret that is looked for alone: shorter ones are in pages by chance."""

_SHORTEST_USER = 20
"""Characters of a user's name that may be a token: names of people are in pages of packages."""

_PIECE = 1 << 16
_WRITTEN = 24
"""Bytes that one byte of a secret takes at most, with two escapes in each other."""

_ESCAPED = re.compile(
    rb"[%\\&](?:(?<=%)([0-9A-Fa-f]{2})"
    rb"|(?<=\\)(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([nrt/\"'\\]))"
    rb"|(?<=&)(?:#0{0,4}([0-9]{1,3});?|#[xX]0{0,4}([0-9A-Fa-f]{1,2});?|([A-Za-z]{2,31};)))"
)
"""Begins with a set of bytes, so that `re` passes quickly over all others."""

_FILLING = b"\r\n\t \0"
"""What wraps and indents a text, and fills the second bytes of UTF-16."""

_URL_SAFE = bytes.maketrans(b"+/", b"-_")


class ShowsCredential(Exception):
    """An answer has, or may have, the credential that was sent with its request."""


class CredentialSearch:
    """Knows the forms of what `Authorization` headers and those of proxies say.

    Args:
        authorizations: Their values.
    """

    def __init__(self, *authorizations: str) -> None:
        secrets = tuple(secret for each in authorizations for secret in _secrets(each))
        self._needles = frozenset(
            form.translate(None, _FILLING) for each in secrets for form in _forms(each)
        )
        self._hex = frozenset(each.hex().encode() for each in secrets)
        self._overlap = _WRITTEN * max(map(len, self._needles | self._hex))

    def check(self, text: bytes) -> None:
        """Look through a text as it is, and with its escapes read once and twice.

        Raises:
            ShowsCredential: It has one of the forms.
        """
        views = {text.translate(None, _FILLING): None}
        for _ in range(2):
            text = _ESCAPED.sub(_unescaped, text)
            views[text.translate(None, _FILLING)] = None
        for view in views:
            lower = view.lower()
            if any(form in view for form in self._needles) or any(
                form in lower for form in self._hex
            ):
                raise ShowsCredential("with the credential of its reader, which no sandbox may see")

    async def checked(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Yield a body, of which what may be the beginning of a form waits for what follows.

        Raises:
            ShowsCredential: It has one of the forms, of which no byte was yielded.
        """
        held, seen = bytearray(), 0
        async for piece in pieces:
            held += piece
            if len(held) - seen >= max(self._overlap, _PIECE):
                self.check(bytes(held))
                ready = bytes(held[: -self._overlap])
                del held[: len(ready)]
                seen = len(held)
                if ready:
                    yield ready
        self.check(bytes(held))
        if held:
            yield bytes(held)


def _secrets(authorization: str) -> Iterator[bytes]:
    """Return what must not be shown: the token, or the password and the pair that it is part of."""
    yield authorization.encode()
    scheme, _, value = authorization.partition(" ")
    long = [value.encode()]
    if scheme == "Basic":
        pair = base64.b64decode(value)
        user, _, password = pair.partition(b":")
        is_token = len(user) >= _SHORTEST_USER and b"@" not in user
        long = [pair, password, *([user] if is_token or not password else [])]
    for secret in long:
        yield from {each for each in (secret, _latin(secret)) if len(each) >= _SHORTEST}


def _latin(secret: bytes) -> bytes:
    return secret.decode("utf-8", "replace").encode("latin-1", "replace")


def _forms(secret: bytes) -> Iterator[bytes]:
    """Return a secret as it is, and within base64 of more, once or twice."""
    yield secret
    for text in (secret, base64.b64encode(secret).rstrip(b"=")):
        for form in _within_base64(text):
            yield from (form, form.translate(_URL_SAFE))


def _within_base64(text: bytes) -> Iterable[bytes]:
    """Return the characters that only depend on the text, wherever it begins."""
    for before, skipped in ((0, 0), (1, 2), (2, 3)):
        written = base64.b64encode(bytes(before) + text)
        yield written[skipped : (before + len(text)) * 8 // 6]


def _unescaped(match: re.Match[bytes]) -> bytes:
    percent, point, byte, plain, decimal, hexadecimal, name = match.groups()
    if percent or byte:
        return bytes.fromhex((percent or byte).decode())
    if plain:
        return {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(plain, plain)
    if name:
        return html5.get(name.decode(), f"&{name.decode()}").encode()
    number = int(decimal) if decimal else int(point or hexadecimal, 16)
    return chr(number).encode("utf-8", "replace")
