"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.model.proposers import PROPOSERS
from bot.settings.sandbox_kind import SandboxKind


def _filled(given: str | list[str] | None) -> str | list[str] | None:
    """Refuse a blank value, such as a variable that a script never set."""
    texts = [given] if isinstance(given, str) else given or []
    if not all(text.strip() for text in texts):
        raise typer.BadParameter("must not be empty; omit the option or give it a value.")
    return given


SandboxOption = Annotated[
    SandboxKind | None,
    typer.Option(
        help="Sandbox in which commands run; FIXPOINT_SANDBOX, or the first that works, if omitted."
    ),
]

AsOfOption = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="DATE",
        callback=_filled,
        help="Install packages as of this date; `commit` means the date of HEAD.",
    ),
]

TestOption = Annotated[
    str | None,
    typer.Option(
        metavar="COMMAND",
        callback=_filled,
        help="Command that reproduces the failure; detected if omitted.",
    ),
]

SetupOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COMMAND",
        callback=_filled,
        help="Setup command; may be repeated. Detected if omitted.",
    ),
]

ProposersOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        callback=_filled,
        help=f"Proposers, separated by commas; all if omitted: {', '.join(PROPOSERS)}.",
    ),
]

TimeoutOption = Annotated[float | None, typer.Option(min=1, metavar="SECONDS", help="Time limit.")]

RunTimeoutOption = Annotated[
    float | None,
    typer.Option(
        min=1,
        metavar="SECONDS",
        help="Time limit; `timeout` of the repo config, or 30 minutes, if omitted.",
    ),
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object to stdout.")]

ServerOption = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        help="URL of the server; FIXPOINT_URL or http://127.0.0.1:8080 if omitted. The key "
        "comes from FIXPOINT_API_KEY.",
    ),
]

BranchOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Commit the fix to a new branch with this name."),
]

PatchOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the fix to this file; - writes to stdout."),
]
