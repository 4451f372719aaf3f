"""One thing that a tool of the project can repair by itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

_SHOWN = 200
"""Characters of a command: hooks are given every file by its name."""


class FixStage(IntEnum):
    """When a fix runs: formatters come last, because they tidy up after the others."""

    LOCK = 0
    GENERATE = 1
    LINT = 2
    IMPORTS = 3
    FORMAT = 4
    ALL = 5


@dataclass(frozen=True, slots=True)
class FixCommand:
    """A command that repairs.

    Attributes:
        command: For the shell, from the work tree's root.
        why: A sentence that tells a person why it is relevant.
        stage: When it runs.
    """

    command: str
    why: str
    stage: FixStage

    @property
    def shown(self) -> str:
        """The command for a person, cut to what fits into a line."""
        line = " ".join(self.command.split())
        return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
