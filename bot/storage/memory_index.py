"""Search in what earlier runs tried: by words, with FTS5 or `tsvector`, and by likeness of vectors.

https://sqlite.org/fts5.html#external_content_tables
https://www.postgresql.org/docs/current/textsearch-tables.html
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, column, select, table, text

from bot.model.embedding import Vector, likeness
from bot.storage.tables import memory_entries as entries

MOST_QUERY_WORDS = 64

_SQLITE = (
    """CREATE VIRTUAL TABLE IF NOT EXISTS memory_words
       USING fts5(words, content='memory_entries', content_rowid='number')""",
    """CREATE TRIGGER IF NOT EXISTS memory_words_new AFTER INSERT ON memory_entries BEGIN
         INSERT INTO memory_words(rowid, words) VALUES (new.number, new.words);
       END""",
    """CREATE TRIGGER IF NOT EXISTS memory_words_gone AFTER DELETE ON memory_entries BEGIN
         INSERT INTO memory_words(memory_words, rowid, words)
         VALUES ('delete', old.number, old.words);
       END""",
)
"""An entry's words never change, so an update needs no trigger."""

_POSTGRESQL = (
    """CREATE INDEX IF NOT EXISTS memory_entries_words
       ON memory_entries USING gin (to_tsvector('simple', words))""",
)

_IN_SQLITE = table("memory_words", column("rowid"))
_WORDS = "to_tsvector('simple', words)"
_QUERY = "to_tsquery('simple', :query)"

MOST_SHARED = 2000
"""Vectors of other repositories that are compared, the newest: as many as one repository may have."""


def make_index(connection: Connection) -> None:
    """Make what finds entries by their words, unless it is there."""
    statements = _SQLITE if connection.dialect.name == "sqlite" else _POSTGRESQL
    for statement in statements:
        connection.exec_driver_sql(statement)


def found_by_words(
    connection: Connection, words: Sequence[str], within: ColumnElement[bool], most: int
) -> list[int]:
    """Return the numbers of the entries that share words with these, the likest first.

    Args:
        connection: Of a transaction.
        words: ASCII letters and digits alone, as `search_words` returns them.
        within: The entries to look among.
        most: As many at most.
    """
    wanted = list(dict.fromkeys(words))[:MOST_QUERY_WORDS]
    if not wanted:
        return []
    found = select(entries.c.number).where(within)
    if connection.dialect.name == "sqlite":
        query = " OR ".join(f'"{word}"' for word in wanted)
        found = found.join(_IN_SQLITE, _IN_SQLITE.c.rowid == entries.c.number)
        found = found.where(text("memory_words MATCH :query"))
        rank = text("bm25(memory_words)")
    else:
        query = " | ".join(wanted)
        found = found.where(text(f"{_WORDS} @@ {_QUERY}"))
        rank = text(f"ts_rank_cd({_WORDS}, {_QUERY}, 1) DESC")
    statement = found.order_by(rank, entries.c.number.desc()).limit(most)
    return list(connection.scalars(statement, {"query": query}))


def found_by_likeness(
    connection: Connection,
    embedder: str,
    vector: Vector,
    within: tuple[ColumnElement[bool], ColumnElement[bool]],
    most: int,
) -> list[int]:
    """Return the numbers of the entries whose vectors are like this one, the likest first.

    All of a repository are compared, of which there are as many as may be kept.

    Args:
        connection: Of a transaction.
        embedder: That made the vector; those of others mean something else.
        vector: Of what is searched for.
        within: A repository's own entries, and those of others.
        most: As many at most.
    """
    mine, others = (
        select(entries.c.number, entries.c.vector).where(element, entries.c.embedder == embedder)
        for element in within
    )
    newest = others.order_by(entries.c.number.desc()).limit(MOST_SHARED)
    rows = [row for item in (mine, newest) for row in connection.execute(item)]
    near = [(likeness(vector, row.vector), row.number) for row in rows]
    near.sort(reverse=True)
    return [number for score, number in near[:most] if score > 0]
