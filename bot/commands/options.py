"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from bot.model.proposers import PROPOSERS


class SandboxChoice(StrEnum):
    """Which sandbox runs commands."""

    AUTO = "auto"
    E2B = "e2b"
    DOCKER = "docker"
    BUBBLEWRAP = "bubblewrap"


def _filled(given: str | list[str] | None) -> str | list[str] | None:
    """Refuse what is there and blank, as a variable of a script that was never set."""
    texts = [given] if isinstance(given, str) else given or []
    if not all(text.strip() for text in texts):
        raise typer.BadParameter("it is empty; leave the option out, or say what it should be.")
    return given


TestOption = Annotated[
    str | None, typer.Option(callback=_filled, help="Command that shows the failure.")
]

SetupOption = Annotated[
    list[str] | None,
    typer.Option(callback=_filled, help="Command that prepares; may be repeated."),
]

ProposersOption = Annotated[
    str | None,
    typer.Option(callback=_filled, help=f"Who may try, by commas: {','.join(PROPOSERS)}."),
]
