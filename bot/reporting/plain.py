"""Text of strangers as one printable line, and tables as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.model.untrusted import strip_hidden

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDEST = 100_000
"""Characters of a line in a file or a pipe."""


def printable(text: str, limit: int = 400) -> str:
    """Return the text as one line that can't move a cursor or hide anything, cut to `limit`."""
    folded = " ".join(strip_hidden(text).split())
    return folded if len(folded) <= limit else f"{folded[: limit - 1].rstrip()}…"


def print_table(table: Table, console: Console) -> None:
    """Print a table; in a file or a pipe, a row is one line, however long, and ends with its text."""
    if console.is_terminal:
        console.print(table)
        return
    width, console.width = console.width, WIDEST
    with console.capture() as printed:
        console.print(table)
    console.width = width
    for line in printed.get().splitlines():
        console.out(line.rstrip(), highlight=False)
