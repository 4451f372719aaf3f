"""End a command that can't do what was asked, with a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

UNUSABLE = 2
"""Exit code of a command that was not used as it can be."""


def refuse(sentence: str) -> NoReturn:
    """Say why, and exit."""
    typer.echo(f"fixpoint: {sentence}", err=True)
    raise typer.Exit(UNUSABLE)


@contextmanager
def usage_errors() -> Iterator[None]:
    """Refuse what the body can't do because of what it was given, or of the database."""
    from bot.errors import StorageError, UsageError

    try:
        yield
    except (UsageError, StorageError) as error:
        refuse(str(error))
