"""Pages of package indexes that are written to take long to read, or much memory."""

from __future__ import annotations

import asyncio
import gzip
import json
from datetime import UTC, datetime

import pytest

from sandbox.egress.listings import Found, Listing, Page, Undated
from sandbox.egress.python_listings import SIMPLE_JSON
from sandbox.egress.registry_pages import SMALL, PageQuestion, looked_into

QUESTION = PageQuestion(SIMPLE_JSON, datetime(2023, 11, 8, tzinfo=UTC))
LITTLE = 2**28


def packed(body: bytes) -> Page:
    return Page(gzip.compress(body), "application/json", "/simple/x/", "gzip")


@pytest.mark.slow
async def test_the_event_loop_turns_while_a_page_is_read() -> None:
    """Kilobytes unpack to megabytes, which Python reads without a pause for anybody else."""
    turns = 0
    page = packed(b"[" + b"[]," * 4_000_000 + b"[]]")
    assert len(page.body) < SMALL
    reading = asyncio.create_task(looked_into(page, QUESTION, memory=LITTLE))
    while not reading.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 5
    assert await reading == Undated()


async def test_a_large_page_is_looked_into() -> None:
    """As a small one is: what was uploaded too late is left out."""
    files = [
        {"filename": f"a-{n}.tar.gz", "upload-time": f"{2020 + n % 8}-01-01T00:00:00Z", "size": n}
        for n in range(8000)
    ]
    found = await looked_into(packed(json.dumps({"files": files}).encode()), QUESTION)
    assert isinstance(found, Listing)
    assert found.body is not None
    assert len(json.loads(found.body)["files"]) == 4000


async def test_one_version_of_a_large_packument() -> None:
    """The process apart finds it, so that nobody has to read the whole of it again."""
    versions = {f"1.0.{n}": {"n": n, "text": "x" * 100} for n in range(4000)}
    page = {"dist-tags": {}, "versions": versions, "time": dict.fromkeys(versions, "2020-01-01")}
    question = PageQuestion("", QUESTION.before, "1.0.7")
    found = await looked_into(packed(json.dumps(page).encode()), question)
    assert found == Listing(json.dumps(versions["1.0.7"], separators=(",", ":")).encode())


@pytest.mark.parametrize("text", [b"[" * 100_000, b'{"a":' * 50_000])
async def test_nesting_without_end_is_no_listing(text: bytes) -> None:
    """In a small page and in a large one."""
    found: list[Found] = [
        await looked_into(packed(text), QUESTION),
        await looked_into(packed(text * 5), QUESTION),
    ]
    assert found == [Undated(), Undated()]
