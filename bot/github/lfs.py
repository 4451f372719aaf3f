"""Read objects that Git LFS keeps, over its batch API.

Formats: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md (pointers) and docs/api/batch.md.
The token goes to GitHub alone, which names a signed address for each object. What comes from there
is believed for its SHA-256: no size that anybody claims is.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from pydantic import SecretStr

from bot.errors import GitHubError

LONGEST_POINTER = 1024
"""Bytes; a file with more is no pointer."""

_MEDIA = "application/vnd.git-lfs+json"
_BATCH = 100
_LARGEST_ANSWER = 2**20
_PIECE = 2**18
_SECONDS = 300.0
_POINTER = re.compile(
    rb"version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v1\n"
    rb"(?:ext-[^\n]*\n)*oid sha256:(?P<oid>[0-9a-f]{64})\nsize (?P<size>[0-9]{1,15})\n"
)


@dataclass(frozen=True, slots=True)
class LfsPointer:
    """What stands in a commit for a file: SHA-256 and size of its content."""

    oid: str
    size: int


@dataclass(frozen=True, slots=True)
class _Address:
    """Where an object is, and the headers that the storage wants."""

    url: str
    headers: Mapping[str, str]


def read_pointer(content: bytes) -> LfsPointer | None:
    """Return the pointer that a file is, or None when it is none."""
    found = _POINTER.fullmatch(content) if len(content) <= LONGEST_POINTER else None
    return LfsPointer(found["oid"].decode(), int(found["size"])) if found else None


async def read_objects(
    session: aiohttp.ClientSession,
    clone_url: str,
    token: SecretStr,
    wanted: Sequence[LfsPointer],
    folder: Path,
) -> None:
    """Put objects into a folder, named by their ids; those that can't be had are not there then.

    Raises:
        GitHubError: GitHub doesn't answer, or not in this format.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(wanted), _BATCH):
        part = wanted[start : start + _BATCH]
        addresses = await _ask(session, clone_url, token, part)
        for pointer in part:
            if (address := addresses.get(pointer.oid)) is not None:
                await _download(session, address, pointer, folder)


async def _ask(
    session: aiohttp.ClientSession,
    clone_url: str,
    token: SecretStr,
    wanted: Sequence[LfsPointer],
) -> dict[str, _Address]:
    asked = {
        "operation": "download",
        "transfers": ["basic"],
        "objects": [{"oid": pointer.oid, "size": pointer.size} for pointer in wanted],
    }
    try:
        async with session.post(
            f"{clone_url}/info/lfs/objects/batch",
            data=json.dumps(asked).encode(),
            headers={
                "Accept": _MEDIA,
                "Content-Type": _MEDIA,
                "Authorization": aiohttp.encode_basic_auth(
                    "x-access-token", token.get_secret_value()
                ),
            },
            timeout=aiohttp.ClientTimeout(total=_SECONDS),
            allow_redirects=False,
        ) as response:
            if response.status != HTTPStatus.OK:
                raise GitHubError(f"GitHub's LFS answered with status {response.status}.")
            answer = json.loads(await _bounded(response.content))
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        raise GitHubError(f"GitHub's LFS can't be read: {type(error).__name__}.") from error
    return dict(_addresses(answer, urlsplit(clone_url).scheme))


async def _bounded(stream: aiohttp.StreamReader) -> bytes:
    data = bytearray()
    async for piece in stream.iter_chunked(_PIECE):
        data += piece
        if len(data) > _LARGEST_ANSWER:
            raise ValueError("too much")
    return bytes(data)


def _addresses(answer: Any, scheme: str) -> Iterator[tuple[str, _Address]]:
    objects = answer.get("objects") if isinstance(answer, dict) else None
    for item in objects if isinstance(objects, list) else ():
        try:
            oid, action = item["oid"], item["actions"]["download"]
            url, headers = action["href"], action.get("header") or {}
            if urlsplit(url).scheme not in {"https", scheme}:
                continue
            yield str(oid), _Address(url, {str(name): str(text) for name, text in headers.items()})
        except (KeyError, TypeError, AttributeError, ValueError):
            continue  # an error takes the place of the actions


async def _download(
    session: aiohttp.ClientSession, address: _Address, pointer: LfsPointer, folder: Path
) -> None:
    """Put an object into the folder if it is what its pointer says."""
    making = folder / f"{pointer.oid}.{os.urandom(8).hex()}"
    limit = aiohttp.ClientTimeout(total=_SECONDS, sock_read=60)
    try:
        async with session.get(
            address.url, headers=address.headers, timeout=limit, allow_redirects=False
        ) as response:
            if response.status == HTTPStatus.OK and await _written(
                response.content, making, pointer
            ):
                making.rename(folder / pointer.oid)
    except (aiohttp.ClientError, TimeoutError, ValueError):
        pass  # the caller sees what is missing
    finally:
        making.unlink(missing_ok=True)


async def _written(stream: aiohttp.StreamReader, file: Path, pointer: LfsPointer) -> bool:
    """Write an object, up to the size that it has to have; return whether it is the right one."""
    digest, size = hashlib.sha256(), 0
    with file.open("wb") as opened:
        async for piece in stream.iter_chunked(_PIECE):
            size += len(piece)
            if size > pointer.size:
                return False
            digest.update(piece)
            await asyncio.to_thread(opened.write, piece)
    return size == pointer.size and digest.hexdigest() == pointer.oid
