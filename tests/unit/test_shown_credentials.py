"""What a registry answers is searched for the credential that it was sent."""

from __future__ import annotations

import base64
import json
import quopri
import random
import re
from collections.abc import AsyncIterator, Callable
from urllib.parse import quote

import pytest

from sandbox.egress.credentials import registry_credential
from sandbox.egress.shown_credentials import CredentialSearch, ShowsCredential

PASSWORD = "un/told-4b7f91+x\u00e9"
SECRET = PASSWORD.encode()
PAIR = f"reader:{PASSWORD}".encode()
BASIC = registry_credential(f"https://reader:{quote(PASSWORD, safe='')}@npm.corp/x").authorization


def wrapped(data: bytes) -> bytes:
    return base64.encodebytes(b"a first line that is long enough " * 2 + data)


def mixed(data: bytes) -> bytes:
    written: tuple[Callable[[int], str], ...] = (
        lambda byte: f"%{byte:02x}",
        lambda byte: f"%{byte:02X}",
        lambda byte: chr(byte) if byte < 128 else f"%{byte:02x}",
    )
    return "".join(written[at % 3](byte) for at, byte in enumerate(data)).encode()


FORMS = {
    "raw": SECRET,
    "header": BASIC.encode(),
    **{f"base64-{at}": base64.b64encode(b"x" * at + PAIR + b"yy") for at in range(3)},
    **{f"url-safe-{at}": base64.urlsafe_b64encode(b"x" * at + PAIR) for at in range(3)},
    "password-alone": base64.b64encode(SECRET),
    "percent": quote(PASSWORD, safe="").encode(),
    "percent-lower": quote(PASSWORD, safe="").lower().encode(),
    "percent-mixed": mixed(SECRET),
    "percent-twice": quote(quote(PASSWORD, safe="")).encode(),
    "json": json.dumps(PASSWORD).encode(),
    "json-slash": json.dumps(PASSWORD).replace("/", "\\/").encode(),
    "json-all": "".join(f"\\u{ord(each):04x}" for each in PASSWORD).encode(),
    "html-decimal": "".join(f"&#{ord(each)};" for each in PASSWORD).encode(),
    "html-hex": "".join(f"&#x{ord(each):04X};" for each in PASSWORD).encode(),
    "html-names": PASSWORD.replace("/", "&sol;").replace("+", "&plus;").encode(),
    "hex": SECRET.hex().encode(),
    "hex-upper": SECRET.hex().upper().encode(),
    # five more that readers of credentials are shown
    "npmrc-in-json": json.dumps({"rc": f"_auth={base64.b64encode(PAIR).decode()}\n"}).encode(),
    "docker-secret": base64.b64encode(
        json.dumps({"auths": {"x": {"auth": base64.b64encode(PAIR).decode()}}}).encode()
    ),
    "url-in-url": quote(f"https://reader:{quote(PASSWORD, safe='')}@x", safe="").encode(),
    "wrapped-lines": wrapped(PAIR),
    "wrapped-in-json": json.dumps(wrapped(PAIR).decode()).encode(),
    "wrapped-and-indented": wrapped(PAIR).replace(b"\n", b"\r\n\t    "),
    "in-groups": b" ".join(base64.b64encode(PAIR)[at : at + 4] for at in range(0, 40, 4)),
    **{f"base32-{at}": base64.b32encode(b"x" * at + PAIR + b"yy") for at in range(5)},
    "base32-lower-wrapped": b"\n  ".join(re.findall(b".{1,16}", base64.b32encode(PAIR).lower())),
    "base32-hex": base64.b32hexencode(PAIR),
    **{f"ascii85-{at}": base64.a85encode(b"x" * at + PAIR + b"yy") for at in range(4)},
    "base85": base64.b85encode(PAIR),
    "octal-escapes": "".join(f"\\{byte:03o}" for byte in SECRET).encode(),
    "octal-of-some": SECRET.replace(b"\xc3\xa9", rb"\303\251"),
    "octal-dump": "  ".join(f"{byte:03o}" for byte in SECRET).encode(),
    "octal-literals": str([f"0o{byte:o}" for byte in SECRET]).encode(),
    "quoted-printable": quopri.encodestring(b"a line that is long enough to be cut off " + SECRET),
    "quoted-printable-all": "".join(f"={byte:02X}" for byte in SECRET).encode(),
    "decimals": str(list(SECRET)).encode(),
    "decimals-in-json-lines": json.dumps({"data": [*SECRET]}, indent=2).encode(),
    "hex-colons": SECRET.hex(":").encode(),
    "hex-dump": b"0000000 " + SECRET.hex(" ", 2).encode(),
    "hex-literals": ", ".join(f"0x{byte:02X}" for byte in SECRET).encode(),
    "binary": " ".join(f"{byte:08b}" for byte in SECRET).encode(),
    "utf-16": SECRET.decode().encode("utf-16-le"),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
async def test_no_form_passes_at_any_border(form: bytes) -> None:
    """Not even its first byte, in however many pieces it comes."""
    around = random.Random(7).randbytes(90_000).replace(b"%", b"_").replace(b"\\", b"_")
    text = around[:70_000] + b'\n"' + form + b'"\n' + around[70_000:]
    begin = 70_002
    step = max(1, len(form) // 16)
    borders = [
        *range(begin - 1, begin + len(form) + 1, step),
        begin + len(form) - 1,
        65_536,
        len(text) - 1,
    ]
    search = CredentialSearch(BASIC)
    for border in borders:
        assert len(await passed(search, text[:border], text[border:])) <= begin
    assert not await passed(search, *(form[at : at + 1] for at in range(len(form))))


async def test_all_else_passes_as_it_came() -> None:
    """Also pages that name the user, and much of it."""
    text = b"reader %41 \\u0041 &amp; " * 20_000
    cut = [text[at : at + 7_001] for at in range(0, len(text), 7_001)]
    assert (
        b"".join([piece async for piece in CredentialSearch(BASIC).checked(pieces(*cut))]) == text
    )


@pytest.mark.parametrize(
    ("address", "shown", "harmless"),
    [
        ("npm_0123456789abcdef", b"npm_0123456789abcdef", b"npm_0123"),
        ("reader:short", b"reader:short", b"short reader"),
        ("a:b", b"Basic YTpi", b"a:b"),
        ("token-0123456789abcdef:x-oauth-basic", b"token-0123456789abcdef", b"token"),
        ("0123456789:", b"0123456789", b"012345678"),
    ],
)
def test_short_secrets_are_looked_for_in_their_pair(
    address: str, shown: bytes, harmless: bytes
) -> None:
    """A user's name alone is a secret only if it may be a token."""
    search = CredentialSearch(registry_credential(f"https://{address}@npm.corp/x").authorization)
    search.check(harmless)
    with pytest.raises(ShowsCredential):
        search.check(b"<" + shown + b">")


async def passed(search: CredentialSearch, *parts: bytes) -> bytes:
    """Return what passes before the credential is found."""
    data = bytearray()
    with pytest.raises(ShowsCredential):
        await collect(search.checked(pieces(*parts)), data)
    return bytes(data)


async def collect(through: AsyncIterator[bytes], data: bytearray) -> None:
    async for piece in through:
        data += piece


async def pieces(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part
