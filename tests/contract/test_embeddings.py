"""Vectors from an OpenAI-compatible server over real HTTP, and what happens without one."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from bot.errors import ProviderError
from bot.llm.embeddings import OpenAIEmbedder
from bot.model import Patch
from bot.model.embedding import likeness
from bot.model.memory import Became, FailureSignature, MemoryLimits, TriedRepair
from bot.model.repository import Repo
from bot.reporting.reasons.memory import shown_attempts
from bot.storage.database import open_database
from bot.storage.memory import MemoryStore


@asynccontextmanager
async def server(answer: Any, status: int = 200) -> AsyncIterator[tuple[str, list[Any]]]:
    """Serve one answer to all questions, and remember these."""
    asked: list[Any] = []

    async def answered(request: web.Request) -> web.Response:
        body = json.loads(await request.read())
        asked.append((request.headers["Authorization"], body))
        data = answer(body) if callable(answer) else answer
        return web.json_response(data, status=status)

    app = web.Application()
    app.router.add_post("/v1/embeddings", answered)
    running = TestServer(app)
    await running.start_server()
    try:
        yield str(running.make_url("/v1")), asked
    finally:
        await running.close()


def by_length(body: dict[str, Any]) -> dict[str, Any]:
    """Return vectors in another order than asked for, as a server may."""
    data = [
        {"object": "embedding", "index": n, "embedding": [len(text) / 10, 1.0 - n]}
        for n, text in enumerate(body["input"])
    ]
    return {"object": "list", "data": data[::-1], "model": body["model"]}


async def test_texts_become_vectors_in_their_order() -> None:
    """One request for all of them, with the key; an empty text is asked as a blank."""
    async with server(by_length) as (url, asked):
        embedder = OpenAIEmbedder("small", base_url=url, api_key=SecretStr("key"))
        one, two = await embedder.embed(["aaaaa", ""])
    assert asked == [("Bearer key", {"model": "small", "input": ["aaaaa", " "]})]
    assert likeness(one, bytes([64, 127])) == pytest.approx(1)
    assert two == bytes([127, 0])
    assert embedder.name == "small"


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({"error": {"message": "no"}}, 500),
        ({"data": []}, 200),
        ({"data": [{"index": 0}]}, 200),
        ([], 200),
    ],
)
async def test_another_answer_is_a_provider_error(answer: Any, status: int) -> None:
    """Whatever it says."""
    async with server(answer, status) as (url, _):
        with pytest.raises(ProviderError):
            await OpenAIEmbedder("small", base_url=url).embed(["a"])
    with pytest.raises(ProviderError):
        await OpenAIEmbedder("small", base_url="http://127.0.0.1:9/v1").embed(["a"])


async def test_without_the_server_what_was_tried_is_kept_and_found_by_its_words(
    tmp_path: Path,
) -> None:
    """A service that is away must not cost a run its memory."""
    signature = FailureSignature("KeyError: 'knot'", "KeyError", (), "make", "make")
    entry = TriedRepair(
        "a-1", "a", signature, "agent", "", Patch(b"+x\n", ("x",), 1, 0), (),
        Became.REJECTED, datetime.now(UTC),
    )  # fmt: skip
    away = OpenAIEmbedder("small", base_url="http://127.0.0.1:9/v1")
    async with await open_database(SecretStr(f"sqlite:///{tmp_path}/fixpoint.db")) as database:
        store, repo = MemoryStore(database, away), Repo("a/b", 1)
        assert await store.keep(repo, [entry], MemoryLimits()) == 1
        found = await store.similar(repo, signature, 3)
    assert ([repair.id for repair in found.entries], found.embedder) == (["a-1"], "")
    assert "words alone, because the embedding service did not answer" in shown_attempts(found)
