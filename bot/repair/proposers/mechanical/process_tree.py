"""Find the tools behind a failing command among the programs that it was seen to start.

A Makefile, a script or a task runner says in its own language what it may start. Here is what it
did start: with the arguments that came of variables and globs, in the folder where it ran.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.ecosystems.commands.shell import SimpleCommand
from bot.ecosystems.invocations import Invocation, unwrapped
from bot.ecosystems.selection import is_test_run
from bot.model import StartedProgram
from bot.repair.proposers.mechanical.fix_modes import fix_for
from sandbox.base import WORKSPACE

_INTERPRETER = re.compile(r"python[\d.]*|node|ruby")
_INSTALLED = re.compile(r"^/.*/\.?bin/[\w.-]+$")
"""A tool's script behind its interpreter, as pre-commit starts them."""

_SHELLS = frozenset({"sh", "bash", "dash", "zsh"})
_MOST_WORDS = 60
"""Characters of a program's command line that are shown."""


@dataclass(frozen=True, slots=True)
class SeenTool:
    """A tool with a fix mode that the failing command started.

    Attributes:
        invocation: How to start it again from the work tree's root.
        through: Command lines of what it was started by, outermost first, shells left out.
        inner: Whether another such tool started it: what `pre-commit run` starts is its own.
    """

    invocation: Invocation
    through: tuple[str, ...]
    inner: bool


def seen_tools(programs: Sequence[StartedProgram], root: str = WORKSPACE) -> tuple[SeenTool, ...]:
    """Return the tools with a fix mode among the programs, in order, none twice.

    Args:
        programs: As an observation has them.
        root: The work tree's folder in the sandbox.
    """
    found: dict[Invocation, SeenTool] = {}
    outer: dict[int, str] = {}
    tests: set[int] = set()
    for n, program in enumerate(programs):
        above = list(_above(programs, program))
        invocation = _invocation(program, root)
        tools = {outer[number] for number, _ in above if number in outer}
        # what tests start is theirs: a program under test, not one that verifies the project
        if is_test_run(invocation) or any(number in tests for number, _ in above):
            tests.add(n)
        elif not posixpath.isabs(program.folder) and fix_for(invocation) is not None:
            outer[n] = invocation.tool
            if invocation.tool not in tools:  # `python -m ruff` starts the program ruff
                through = tuple(
                    _line(started_program)
                    for _, started_program in reversed(above)
                    if not _is_shell(started_program)
                )
                found.setdefault(invocation, SeenTool(invocation, through, inner=bool(tools)))
    return tuple(found.values())


def _above(
    programs: Sequence[StartedProgram], program: StartedProgram
) -> Iterator[tuple[int, StartedProgram]]:
    """Yield what started a program, what started that, and so on."""
    while program.by is not None:
        number, program = program.by, programs[program.by]
        yield number, program


def _invocation(program: StartedProgram, root: str) -> Invocation:
    """Return how to start the very same program from the work tree's root."""
    script = program.arguments[1] if len(program.arguments) > 1 else ""
    if _INSTALLED.search(script) and _INTERPRETER.fullmatch(posixpath.basename(program.file)):
        words = (_place(script, program.folder, root), *program.arguments[2:])
    elif program.on_path:
        words = (posixpath.basename(program.file), *program.arguments[1:])
    else:
        words = (_place(program.file, program.folder, root), *program.arguments[1:])
    return unwrapped(SimpleCommand(words), program.folder)


def _place(file: str, folder: str, root: str) -> str:
    """Return a file as it is called in a folder of the work tree; outside of it by its path."""
    if not file.startswith(f"{root}/") or posixpath.isabs(folder):
        return file
    relative = posixpath.relpath(file, posixpath.join(root, folder))
    return relative if "/" in relative else f"./{relative}"


def _is_shell(program: StartedProgram) -> bool:
    """Whether a program only carries out text that another one has (`sh -c`)."""
    name = posixpath.basename(program.file)
    return name in _SHELLS and any(word.startswith("-") for word in program.arguments[1:2])


def _line(program: StartedProgram) -> str:
    """Return a program as a person would type it, without its folder, cut to a line's length."""
    line = " ".join((posixpath.basename(program.file), *program.arguments[1:])).replace("\n", " ")
    return line if len(line) <= _MOST_WORDS else f"{line[: _MOST_WORDS - 1]}…"
