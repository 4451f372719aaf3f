"""Search in what earlier runs tried: by words, with FTS5 or `tsvector`, and by likeness of vectors.

https://sqlite.org/fts5.html#external_content_tables
https://www.postgresql.org/docs/current/textsearch-tables.html
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select, text

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

_FOUND_IN_SQLITE = text(
    """SELECT m.number FROM memory_words w JOIN memory_entries m ON m.number = w.rowid
       WHERE memory_words MATCH :query AND m.repository = :repository
         AND m.installation_id = :installation
       ORDER BY bm25(memory_words), m.number DESC LIMIT :most"""
)
_FOUND_IN_POSTGRESQL = text(
    """SELECT number FROM memory_entries
       WHERE repository = :repository AND installation_id = :installation
         AND to_tsvector('simple', words) @@ to_tsquery('simple', :query)
       ORDER BY ts_rank_cd(to_tsvector('simple', words), to_tsquery('simple', :query), 1) DESC,
         number DESC
       LIMIT :most"""
)


def make_index(connection: Connection) -> None:
    """Make what finds entries by their words, unless it is there."""
    statements = _SQLITE if connection.dialect.name == "sqlite" else _POSTGRESQL
    for statement in statements:
        connection.exec_driver_sql(statement)


def found_by_words(
    connection: Connection, words: Sequence[str], *, repository: str, installation: int, most: int
) -> list[int]:
    """Return the numbers of the entries that share words with these, the likest first.

    Args:
        connection: Of a transaction.
        words: ASCII letters and digits alone, as `search_words` returns them.
        repository: In lower case.
        installation: Of the App there.
        most: As many at most.
    """
    wanted = list(dict.fromkeys(words))[:MOST_QUERY_WORDS]
    if not wanted:
        return []
    in_file = connection.dialect.name == "sqlite"
    query = " OR ".join(f'"{word}"' for word in wanted) if in_file else " | ".join(wanted)
    statement = _FOUND_IN_SQLITE if in_file else _FOUND_IN_POSTGRESQL
    values = {"query": query, "repository": repository, "installation": installation, "most": most}
    return list(connection.scalars(statement, values))


def found_by_likeness(
    connection: Connection,
    embedder: str,
    vector: Vector,
    *,
    repository: str,
    installation: int,
    most: int,
) -> list[int]:
    """Return the numbers of the entries whose vectors are like this one, the likest first.

    All of a repository are compared, of which there are as many as may be kept.

    Args:
        connection: Of a transaction.
        embedder: That made the vector; those of others mean something else.
        vector: Of what is searched for.
        repository: In lower case.
        installation: Of the App there.
        most: As many at most.
    """
    statement = select(entries.c.number, entries.c.vector).where(
        entries.c.repository == repository,
        entries.c.installation_id == installation,
        entries.c.embedder == embedder,
    )
    near = [(likeness(vector, row.vector), row.number) for row in connection.execute(statement)]
    near.sort(reverse=True)
    return [number for score, number in near[:most] if score > 0]
