"""What one ecosystem's files say about setup and tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.ecosystems.commands.task_runners import Read

ENVIRONMENT = "~/.venv"
"""Its `bin` is the first folder of every sandbox's `PATH`."""

MAKES_ENVIRONMENT = f"test -x {ENVIRONMENT}/bin/python || "
"""How the command begins that makes it."""


@dataclass(frozen=True, slots=True)
class Detected:
    """How one ecosystem of the repository is set up and tested.

    Attributes:
        ecosystem: `python`, `node`, `rust`, `go`, `maven`, `cmake`, `autotools`, `make`, `pre-commit`.
        setup: Shell commands, in order.
        test: The command that runs its tests, or None when there seem to be none.
        setup_why: One sentence per decision about the setup.
        test_why: The sentence about the test command.
        tools: Programs whose presence in a given command asks for this ecosystem.
        at_root: Whether `setup` runs at the root of the repository, where this is about a folder.
    """

    ecosystem: str
    setup: tuple[str, ...]
    test: str | None
    setup_why: tuple[str, ...] = ()
    test_why: str = ""
    tools: frozenset[str] = frozenset()
    at_root: bool = False


Select = Callable[[tuple[str, ...], Sequence[str], Sequence[str], Read], tuple[str, ...] | None]
"""From a runner's arguments, ids of tests, paths of the tree and its files to new arguments."""

_FILE = re.compile(r"[^\s<>]+\.[cm]?[jt]sx?")


def is_file(test: str) -> bool:
    """Whether an id is a file of JavaScript or TypeScript, as of one that can't be loaded."""
    return _FILE.fullmatch(test) is not None


_AHEAD = 600
"""Seconds for compiling ahead; what is done by then is kept, and tests compile the rest."""


def compiled_ahead(command: str) -> str:
    """Return a command that compiles, ended in time: tests compile what is left."""
    return f"timeout {_AHEAD} {command}"
