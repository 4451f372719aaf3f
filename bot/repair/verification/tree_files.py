"""Let a pure decision read the files of a tree that it asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sandbox.git import ObjectStore

_ROUNDS = 8
"""Scripts that name scripts: more levels than anybody has."""

T = TypeVar("T")


async def decided(
    decision: Callable[[Callable[[str], str | None]], T], store: ObjectStore, tree: str
) -> T | None:
    """Return what a decision says once it has every file that it asks for; None if it never has."""
    known: dict[str, str | None] = {}
    for _ in range(_ROUNDS):
        wanted: list[str] = []

        def read(path: str, wanted: list[str] = wanted) -> str | None:
            if path not in known:
                wanted.append(path)
            return known.get(path)

        said = decision(read)
        if not wanted:
            return said
        there = await store.files(tree, wanted)
        for path in wanted:
            data = there.get(path)
            known[path] = data.decode("utf-8", "replace") if data is not None else None
    return None
