"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperGroup, TyperOption

from bot.model.proposers import PROPOSERS
from bot.settings.sandbox_kind import SandboxKind


def _filled(given: str | list[str] | None) -> str | list[str] | None:
    """Refuse a blank value, such as a variable that a script never set."""
    texts = [given] if isinstance(given, str) else given or []
    if not all(text.strip() for text in texts):
        raise typer.BadParameter("must not be empty; omit the option or give it a value.")
    return given


class PlainGroup(TyperGroup):
    """Commands whose help calls values what people call them, not what their types are called."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        for parameter in _parameters(self):
            _say_plainly(parameter)


def _parameters(group: TyperGroup) -> Iterator[TyperOption | TyperArgument]:
    """Yield those of all commands of a group, and of the groups in it."""
    for command in group.commands.values():
        yield from (
            each for each in command.params if isinstance(each, TyperOption | TyperArgument)
        )
        if isinstance(command, TyperGroup):
            yield from _parameters(command)


def _say_plainly(parameter: TyperOption | TyperArgument) -> None:
    """Name the value of a parameter, and say in words between which numbers it may be."""
    kind = parameter.type_descriptor
    if isinstance(parameter, TyperArgument):
        parameter.metavar = parameter.metavar or str(parameter.name).upper()
        parameter.display_type_rich = _no_type  # type: ignore[method-assign] # it has no other switch
    elif parameter.metavar is None and not parameter.is_flag and not kind.is_choice:
        word = parameter.opts[-1].rpartition("-")[2].upper()
        parameter.metavar = "FILE" if kind.is_path else "NUMBER" if kind.is_ranged else word
    limits = _limits(parameter.min, parameter.max)
    if limits and parameter.help:
        parameter.help = f"{parameter.help} {limits}"
        parameter.min = parameter.max = None  # for the help alone: the type has them, too


def _no_type(ctx: object) -> None:  # noqa: ARG001 - as typer calls it
    return None


def _limits(least: float | None, most: float | None) -> str:
    if least is not None and most is not None:
        return f"From {least:g} to {most:g}."
    return f"At least {least:g}." if least is not None else ""


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
