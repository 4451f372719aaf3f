"""Tell by what a command starts and reads which files say how its tests run. Pure.

A Makefile, a script, a package's configuration: a program reads it, and then reads the tests or
starts what does. What is read below a program that has read tests belongs to what they test, and so
does what a program reads once it has loaded the project's own modules.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from bot.code.syntax import language_of
from bot.repair.workspace.programs import FileRead, Trace

_COMPILED = re.compile(r"(?:(?P<folder>.*)/)?__pycache__/(?P<name>[^./]+)\.[^/]*\.pyc")


@dataclass(frozen=True, slots=True)
class CommandFiles:
    """Files of a patch that a command read for itself.

    Attributes:
        own: Those that say how its tests run.
        undecided: Those that may: this run has nothing that came of them.
    """

    own: frozenset[str] = frozenset()
    undecided: frozenset[str] = frozenset()


def command_files(
    trace: Trace, changed: Collection[str], is_check: Callable[[str], bool]
) -> CommandFiles:
    """Return which changed files say how a command's tests run.

    Args:
        trace: Of the command.
        changed: Files of the patch.
        is_check: Whether a file holds tests.
    """
    reader = _Reader(trace, is_check)
    own, undecided = set[str](), set[str]()
    for at, read in enumerate(reader.reads):
        if read.path in changed and not is_check(read.path) and reader.is_setup(at):
            (own if reader.has_effect(at) else undecided).add(read.path)
    return CommandFiles(frozenset(own), frozenset(undecided - own))


def started_by_name(trace: Trace, changed: Collection[str]) -> bool:
    """Whether a command names a changed file to a program that it starts."""
    return any(
        _named(word, program.folder) in changed
        for program in trace.programs
        for word in (program.file, *program.arguments[1:])
    )


def _named(word: str, folder: str) -> str:
    return posixpath.normpath(posixpath.join(folder, word))


class _Reader:
    def __init__(self, trace: Trace, is_check: Callable[[str], bool]) -> None:
        self._programs = trace.programs
        self._is_check = is_check
        self.reads = [FileRead(source_of(read.path), read.by, read.started) for read in trace.reads]

    def is_setup(self, at: int) -> bool:
        """Whether a file is read outside of the program under test."""
        read = self.reads[at]
        line = self._line(read.by)
        before = self.reads[:at]
        if any(file_read.by in line and self._is_check(file_read.path) for file_read in before):
            return False
        if language_of(read.path) is not None:
            return self._is_main(read)
        return not any(
            file_read.by == read.by
            and language_of(file_read.path) is not None
            and not self._is_main(file_read)
            for file_read in before
        )

    def has_effect(self, at: int) -> bool:
        """Whether tests, or other programs of the project, run by what stands in a file."""
        read, after = self.reads[at], self.reads[at + 1 :]
        if any(
            self._is_check(file_read.path) and read.by in self._line(file_read.by)
            for file_read in after
        ):
            return True
        if language_of(read.path) is not None:
            return False
        if any(
            file_read.by != read.by and read.by in self._line(file_read.by) for file_read in after
        ):
            return True
        line = self._line(read.by)
        return not any(file_read.by in line for file_read in self.reads[:at])

    def _is_main(self, read: FileRead) -> bool:
        """Whether a program was started to run the file."""
        if read.by is None:
            return False
        program = self._programs[read.by]
        return any(_named(word, program.folder) == read.path for word in program.arguments)

    def _line(self, program: int | None) -> Sequence[int | None]:
        """Return a program and those that it was started by."""
        line = [program]
        while program is not None:
            program = self._programs[program].by
            line.append(program)
        return line


def source_of(path: str) -> str:
    """Return the module that a compiled file of Python was made of."""
    match = _COMPILED.fullmatch(path)
    return posixpath.join(match["folder"] or "", f"{match['name']}.py") if match else path
