"""The first words of a tunnel: whom they are for, however they are cut, and what hides that."""

from __future__ import annotations

import asyncio
import ssl

import pytest

from sandbox.egress.server_name import FirstWords, UnreadableHello, extensions_of, first_words

NAME = "a.files.example"
_SERVER_NAME, _ECH, _ESNI = 0, 0xFE0D, 0xFFCE


def greeting(name: str | None = NAME) -> bytes:
    """Return what a client of TLS says first."""
    client = ssl.create_default_context()
    client.check_hostname = False
    out = ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        client.wrap_bio(ssl.MemoryBIO(), out, server_hostname=name).do_handshake()
    return out.read()


def with_extension(kind: int, content: bytes) -> bytes:
    """Return a greeting that has one more extension."""
    message = bytearray(greeting()[5:])
    at = 4 + 2 + 32
    at += 1 + message[at]
    at += 2 + int.from_bytes(message[at : at + 2], "big")
    at += 1 + message[at]
    more = kind.to_bytes(2, "big") + len(content).to_bytes(2, "big") + content
    length = int.from_bytes(message[at : at + 2], "big") + len(more)
    message[at : at + 2] = length.to_bytes(2, "big")
    message += more
    message[1:4] = (len(message) - 4).to_bytes(3, "big")
    return in_records(bytes(message), len(message))


def in_records(message: bytes, size: int) -> bytes:
    """Return a message in records of so many bytes."""
    pieces = [message[at : at + size] for at in range(0, len(message), size)]
    return b"".join(b"\x16\x03\x01" + len(piece).to_bytes(2, "big") + piece for piece in pieces)


async def heard(*pieces: bytes, ends: bool = True) -> FirstWords:
    """Return what is understood of pieces that arrive one after the other."""
    reader = asyncio.StreamReader()

    async def say() -> None:
        for piece in pieces:
            reader.feed_data(piece)
            await asyncio.sleep(0)
        if ends:
            reader.feed_eof()

    saying = asyncio.ensure_future(say())
    try:
        return await first_words(reader)
    finally:
        await saying


@pytest.mark.parametrize("name", [NAME, "A.Files.Example", "other.example", None])
async def test_a_greeting_names_its_host(name: str | None) -> None:
    """As policies know it, or none."""
    told = await heard(greeting(name))
    assert (told.is_tls, told.name) == (True, name.lower() if name else None)


@pytest.mark.parametrize("size", [1, 7, 200])
async def test_a_greeting_in_pieces(size: int) -> None:
    """In many reads and in many records it is the same greeting, and all of it goes on."""
    whole = greeting()
    cut = [whole[at : at + size] for at in range(0, len(whole), size)]
    assert await heard(*cut) == FirstWords(whole, is_tls=True, name=NAME)
    records = in_records(whole[5:], size)
    assert await heard(records) == FirstWords(records, is_tls=True, name=NAME)
    assert sorted(extensions_of(records)) == sorted(extensions_of(whole))


@pytest.mark.parametrize("kind", [_ECH, _ESNI])
async def test_a_hidden_name_is_refused(kind: int) -> None:
    """Such a greeting is for somebody else than the host that it names in the open."""
    with pytest.raises(UnreadableHello):
        await heard(with_extension(kind, b"\0" * 40))
    with pytest.raises(UnreadableHello):
        await heard(in_records(with_extension(kind, b"\0" * 40)[5:], 3))
    assert (await heard(with_extension(0x1234, b""))).name == NAME


@pytest.mark.parametrize(
    "said",
    [
        with_extension(_SERVER_NAME, b"\0\x08\0\0\x05b.com"),
        greeting()[:60],
        b"\x16\x03\x01\x00\x05hello",
        b"\x16" + b"\0" * 70_000,
        b"",
    ],
    ids=["two names", "cut off", "no greeting", "endless", "nothing"],
)
async def test_no_greeting(said: bytes) -> None:
    """What a server would not understand in one way alone is refused."""
    with pytest.raises(UnreadableHello):
        await heard(said)
