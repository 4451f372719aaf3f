"""Keep outlines by the content of their files: a commit is read once, and the next one's rest."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from heapq import nsmallest
from pathlib import Path
from posixpath import splitext

from bot.code.files import is_test_file
from bot.code.syntax import language_of
from bot.limited_process import Allowance, TooMuch, run_limited
from bot.repair.symbols import repo_map
from bot.repair.symbols.outline import MOST_BYTES, Outline, Symbol, outlined
from sandbox.git import GitError, ObjectStore

_FORM = "1"
"""Of what is kept; raised when outlines change."""
_MOST_FILES = 5_000
_BATCH = 200
"""Files that are read at once, and kept together: so many a crash costs at most."""
_MOST_BYTES = 256 * 2**20
"""Of the database; a larger one begins anew."""
_SECONDS = 30.0
"""For reading one commit; what is not read by then is read for the next run."""
_AT_ONCE = Allowance(seconds=30)
_DRAWING = Allowance(seconds=30)
_NOT_OURS = frozenset({"node_modules", "vendor", "third_party", "dist", "build", "_vendor"})

_TABLE = "CREATE TABLE IF NOT EXISTS outlines (key TEXT PRIMARY KEY, outline TEXT) WITHOUT ROWID"


class SymbolIndex:
    """The outlines of all commits that were read on this machine, one row for each content."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "symbols.db"

    async def draw(self, store: ObjectStore, tree: str, told: str, tokens: int) -> str:
        """Return the map of a tree, or "" where none can be drawn; see `repo_map.drawn`."""
        try:
            outlines = await self.outlines(store, tree)
            tests = tuple(path for path in outlines if is_test_file(path))
            return await run_limited(
                repo_map.drawn, outlines, told, tokens, tests, allowance=_DRAWING
            )
        except (GitError, TooMuch):
            return ""

    async def outlines(self, store: ObjectStore, tree: str) -> dict[str, Outline]:
        """Return the outline of every file of a tree that is worth one, by path."""
        contents = await store.contents(tree)
        chosen = nsmallest(_MOST_FILES, filter(_is_worth_it, contents), key=_depth)
        keys = {path: f"{_FORM} {contents[path]} {splitext(path)[1].lower()}" for path in chosen}
        known = await asyncio.to_thread(self._read, tuple(keys.values()))
        missing = [path for path, key in keys.items() if key not in known]
        until = time.monotonic() + _SECONDS
        for start in range(0, len(missing), _BATCH):
            if time.monotonic() > until:
                break
            some = missing[start : start + _BATCH]
            made = await _made(store, tree, some)
            fresh = {keys[path]: made.get(path, Outline()) for path in some}
            await asyncio.to_thread(self._keep, fresh)
            known |= fresh
        found = ((path, known.get(key)) for path, key in keys.items())
        return {path: outline for path, outline in found if outline is not None and outline.symbols}

    def _read(self, keys: Sequence[str]) -> dict[str, Outline]:
        found: dict[str, Outline] = {}
        with contextlib.suppress(sqlite3.Error), self._opened() as database:
            for start in range(0, len(keys), _BATCH):
                some = keys[start : start + _BATCH]
                marks = ",".join("?" * len(some))
                rows = database.execute(
                    f"SELECT key, outline FROM outlines WHERE key IN ({marks})",  # noqa: S608 - marks alone
                    some,
                )
                found |= {key: _loaded(text) for key, text in rows}
        return found

    def _keep(self, outlines: Mapping[str, Outline]) -> None:
        """Write outlines, all or none; what can't be kept is made again."""
        rows = [(key, _dumped(outline)) for key, outline in outlines.items()]
        with contextlib.suppress(sqlite3.Error), self._opened() as database:
            if self._file.stat().st_size > _MOST_BYTES:
                database.execute("DELETE FROM outlines")
            database.executemany("INSERT OR REPLACE INTO outlines VALUES (?, ?)", rows)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Yield the database; what is written is committed at the end."""
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.closing(sqlite3.connect(self._file, timeout=10)) as database, database:
            database.execute("PRAGMA journal_mode=WAL")
            database.execute(_TABLE)
            yield database


async def _made(store: ObjectStore, tree: str, paths: Sequence[str]) -> dict[str, Outline]:
    """Return the outlines of some files, made in a process apart."""
    files = await store.files(tree, paths, longest=MOST_BYTES)
    try:
        return await run_limited(outlined_all, files, allowance=_AT_ONCE)
    except TooMuch:
        return {}


def outlined_all(files: Mapping[str, bytes]) -> dict[str, Outline]:
    """Return the outline of each file."""
    return {path: outlined(path, data) for path, data in files.items()}


def _is_worth_it(path: str) -> bool:
    return language_of(path) is not None and _NOT_OURS.isdisjoint(path.split("/"))


def _depth(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _dumped(outline: Outline) -> str:
    symbols = [
        (symbol.name, symbol.line, symbol.last, symbol.depth, symbol.head)
        for symbol in outline.symbols
    ]
    return json.dumps([symbols, outline.used], separators=(",", ":"))


def _loaded(text: str) -> Outline:
    symbols, used = json.loads(text)
    return Outline(
        tuple(Symbol(*symbol) for symbol in symbols), tuple((name, count) for name, count in used)
    )
