"""Find a credential in what a registry answers to whoever has it, before a sandbox sees it. No IO.

Some registries show readers their own credential (Artifactory's `api/npm/auth`), and error pages
may repeat a request's headers.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from html.entities import html5
from string import ascii_letters, digits

_SHORTEST = 8
"""Bytes of a secret that is looked for alone: shorter ones are in pages by chance."""

_SHORTEST_USER = 20
"""Characters of a user's name that may be a token: names of people are in pages of packages."""

_SPACED = 4
"""The same of a character of its number, with what separates it from the next."""

_PIECE = 1 << 16
_WRITTEN = 24
"""Bytes that one byte of a secret takes at most, with two escapes in each other."""

_ESCAPED = re.compile(
    rb"[%\\&](?:(?<=%)([0-9A-Fa-f]{2})"
    rb"|(?<=\\)(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([nrt/\"'\\])|([0-3][0-7]{2}))"
    rb"|(?<=&)(?:#0{0,4}([0-9]{1,3});?|#[xX]0{0,4}([0-9A-Fa-f]{1,2});?|([A-Za-z]{2,31};)))"
)
"""Begins with a set of bytes, so that `re` passes quickly over all others."""

_QUOTED_PRINTABLE = re.compile(rb"=(?:([0-9A-F]{2})|\r?\n)")
"""An escape of a mail, or the end of a line that goes on."""

_FILLING = b"\r\n\t \0"
"""What wraps and indents a text, and fills the second bytes of UTF-16."""

_NOT_WRITTEN = bytes({*range(256)} - {*(ascii_letters + digits).encode()})
"""What stands between the numbers of bytes, and between groups of letters."""

_LOWER = bytes(range(256)).lower()
_NUMBERS = (
    *((between, "02x") for between in ("", "x", "0x")),
    ("", "d"),
    *((between, form) for between in ("", "0", "0o") for form in ("o", "03o")),
    *((between, "08b") for between in ("", "0b")),
)
"""How lists and dumps write bytes: what is before each that no separator is, and its number."""

_BASE32_HEX = bytes.maketrans(
    b"abcdefghijklmnopqrstuvwxyz234567", b"0123456789abcdefghijklmnopqrstuv"
)
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
        self._needles = _fewest(
            form.translate(None, _FILLING) for each in secrets for form in _forms(each)
        )
        self._written = _fewest(form for each in secrets for form in _written(each))
        self._overlap = max(
            _WRITTEN * max(map(len, self._needles)), _SPACED * max(map(len, self._written))
        )

    def check(self, text: bytes) -> None:
        """Look through a text as it is, and with its escapes read once and twice, or those of a mail.

        Raises:
            ShowsCredential: It has one of the forms.
        """
        once = _ESCAPED.sub(_unescaped, text)
        mail = _QUOTED_PRINTABLE.sub(_of_mail, text)
        for view in dict.fromkeys((text, once, _ESCAPED.sub(_unescaped, once), mail)):
            joined, written = view.translate(None, _FILLING), view.translate(_LOWER, _NOT_WRITTEN)
            if any(form in joined for form in self._needles) or any(
                form in written for form in self._written
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


def _fewest(forms: Iterable[bytes]) -> frozenset[bytes]:
    """Return the forms without those that have another one in them: where they are, it is too."""
    found: list[bytes] = []
    for form in sorted(set(forms), key=len):
        if not any(shorter in form for shorter in found):
            found.append(form)
    return frozenset(found)


def _forms(secret: bytes) -> Iterator[bytes]:
    """Return a secret as it is, within base64 of more, once or twice, and within base85."""
    yield secret
    for text in (secret, base64.b64encode(secret).rstrip(b"=")):
        for form in _within(text, base64.b64encode, 6):
            yield from (form, form.translate(_URL_SAFE))
    for before in range(4):  # each four bytes are written alone
        whole = secret[before : before + (len(secret) - before) // 4 * 4]
        if len(whole) >= _SHORTEST:
            yield from (base64.a85encode(whole), base64.b85encode(whole))


def _written(secret: bytes) -> Iterator[bytes]:
    """Return a secret as numbers of its bytes, and within base32 of more, in lower case."""
    for between, number in _NUMBERS:
        yield "".join(f"{between}{byte:{number}}" for byte in secret).encode()
    for form in _within(secret, base64.b32encode, 5):
        yield from (form.lower(), form.lower().translate(_BASE32_HEX))


def _within(text: bytes, encode: Callable[[bytes], bytes], bits: int) -> Iterator[bytes]:
    """Return the characters, of so many bits, that only depend on the text, wherever it begins."""
    for before in range(math.lcm(8, bits) // 8):
        written = encode(bytes(before) + text)
        yield written[-(-before * 8 // bits) : (before + len(text)) * 8 // bits]


def _of_mail(match: re.Match[bytes]) -> bytes:
    return bytes.fromhex(match[1].decode()) if match[1] else b""


def _unescaped(match: re.Match[bytes]) -> bytes:
    percent, point, byte, plain, octal, decimal, hexadecimal, name = match.groups()
    if octal:
        return bytes((int(octal, 8),))
    if percent or byte:
        return bytes.fromhex((percent or byte).decode())
    if plain:
        return {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(plain, plain)
    if name:
        return html5.get(name.decode(), f"&{name.decode()}").encode()
    number = int(decimal) if decimal else int(point or hexadecimal, 16)
    return chr(number).encode("utf-8", "replace")
