"""The programs that a failing command started, as `--json` prints them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from bot.model import StartedProgram


class ProgramPart(BaseModel):
    """A program that the failing command started, directly or through other programs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field(description="Its path in the sandbox.")
    arguments: tuple[str, ...] = Field(description="Its arguments, starting with its own name.")
    folder: str = Field(
        description="Where it ran: relative to the work tree, empty for its root; otherwise absolute."
    )
    by: int | None = Field(
        description="Index in this list of the program that started it; null for the first."
    )


def program_part(program: StartedProgram) -> dict[str, Any]:
    """Return a program as `ProgramPart` has it."""
    return {
        "file": program.file,
        "arguments": program.arguments,
        "folder": program.folder,
        "by": program.by,
    }
