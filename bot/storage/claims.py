"""Rows that one server at a time works on: its claims hold until it gives them up, or is no more.

Their tables have a column `claimed_by`.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, Update, or_, update

from bot.storage.servers import LIVING


def free(table: Table, server_id: str) -> ColumnElement[bool]:
    """Return what picks the rows that are a server's own, or those of none which lives."""
    claimed_by = table.c.claimed_by
    return or_(claimed_by.is_(None), claimed_by == server_id, claimed_by.not_in(LIVING))


def claim(
    connection: Connection, wanted: Select[Any], table: Table, server_id: str
) -> list[Row[Any]]:
    """Claim the free ones of some rows for a server, and return them as they were.

    Args:
        connection: Of a transaction.
        wanted: Whole rows of the table.
        table: With the rows.
        server_id: Of the server.
    """
    found = wanted.where(free(table, server_id)).with_for_update(skip_locked=True)
    rows = list(connection.execute(found))
    for row in rows:
        same = (column == getattr(row, column.name) for column in table.primary_key)
        connection.execute(update(table).where(*same).values(claimed_by=server_id))
    return rows


def released(table: Table, server_id: str) -> Update:
    """Return the statement by which a server gives up what it has claimed."""
    return update(table).where(table.c.claimed_by == server_id).values(claimed_by=None)
