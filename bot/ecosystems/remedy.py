"""What to do about something that is missing, and how it changes the commands of a repository."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bot.ecosystems.commands.shell import simple_commands, within
from bot.model import Commands

_SHELL = frozenset(";&|<>$`(){}*\n~")
"""With one of these a command is more than variables, a program and its arguments."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """One change of the setup, or the reason why there is none.

    Attributes:
        missing: What it is about.
        way: Tells two remedies for the same thing apart; no run tries one of them twice.
        why: One sentence for a person.
        setup: Commands to run after the setup commands, with the package registries in reach.
        first: Whether `setup` goes before the setup commands, so that all of them run again.
        instead: A setup command, and the one that replaces it.
        variables: What the tests must see in their environment.
        before: Shell text that makes ready what the tests connect to or read; each command begins
            with it.
        judge: Shell text that reads what the tests print, passes it on, and fails where it should.
        outside: Whether what is missing is no part of the project, so that it is never its fault.
        keeps_out: Whether it installs an older version than the project asks for.
        guesses: Whether a value in it is made up: it is tried where nothing else is to be done, and
            stays only if something else happens with it.
        only_now: Whether it is a way around what is out of reach today, and nothing to be kept.
    """

    missing: str
    why: str
    setup: tuple[str, ...] = ()
    first: bool = False
    instead: tuple[str, str] | None = None
    variables: tuple[tuple[str, str], ...] = ()
    way: str = ""
    before: str = ""
    judge: str = ""
    outside: bool = False
    only_now: bool = False
    keeps_out: bool = False
    guesses: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """What a run keeps in mind of it."""
        return self.missing, self.way

    @property
    def deed(self) -> tuple[object, ...]:
        """What it does, whatever it is about."""
        return self.setup, self.first, self.instead, self.variables, self.before, self.judge

    @property
    def helps(self) -> bool:
        """Whether there is something to do; else it only says what is missing."""
        return any((self.setup, self.instead, self.variables, self.before, self.judge))

    @property
    def fits_config(self) -> bool:
        """Whether the repo config can hold what it does, `setup` and `test` and no database, and should."""
        changes = (self.setup, self.instead, self.variables, self.judge)
        return any(changes) and not self.only_now

    @property
    def adds_only(self) -> bool:
        """Whether what is set up already stays as it is."""
        return not self.first and self.instead is None

    def located(self, folder: str) -> Remedy:
        """Return it for the package in a folder: its files are named from there."""
        if not folder or self.first:
            return self
        return replace(self, setup=tuple(within(folder, item) for item in self.setup))

    def ahead_of(self, command: str) -> Remedy:
        """Return it so that what it adds is there before a setup command needs it."""
        if not (self.setup and self.adds_only):
            return self
        together = " && ".join((*self.setup, f"{{ {command}; }}"))
        return replace(self, setup=(), instead=(command, together))


def applied(remedy: Remedy, commands: Commands) -> Commands:
    """Return the commands of the repository with a remedy."""
    setup = commands.setup
    if remedy.instead is not None:
        old, new = remedy.instead
        setup = tuple(new if command == old else command for command in setup)
    setup = (*remedy.setup, *setup) if remedy.first else (*setup, *remedy.setup)
    front = within(commands.folder, ":").removesuffix(":")
    test, failing = (
        front + _judged(with_variables(command.removeprefix(front), remedy.variables), remedy.judge)
        for command in (commands.test, commands.failing)
    )
    return replace(
        commands,
        setup=setup,
        test=test,
        failing=failing,
        before="\n".join(filter(None, (commands.before, remedy.before))),
        explanation=(*commands.explanation, remedy.why),
        healed=(*commands.healed, remedy.why) if remedy.fits_config else commands.healed,
    )


def with_variables(command: str, variables: Iterable[tuple[str, str]]) -> str:
    """Return a command that sees these variables; in front where it is a program and no more."""
    words = [f"{name}={shlex.quote(value)}" for name, value in variables]
    if not words:
        return command
    if len(simple_commands(command)) == 1 and not _SHELL & set(command):
        return " ".join([*words, command])
    return f"export {' '.join(words)}; {command}"


def _judged(command: str, judge: str) -> str:
    """Return a command that fails by itself, or where what it prints says so."""
    return f"(set -o pipefail; {{ {command}; }} 2>&1 | {judge})" if judge else command


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern, the first one of each text alone."""
    seen: set[str] = set()
    for match in pattern.finditer(text):
        if match[0] not in seen:
            seen.add(match[0])
            yield match


@dataclass(frozen=True, slots=True)
class Symptoms:
    """A command that failed, or passed and left tests out, and its output.

    Attributes:
        command: As a person would type it.
        output: What it printed, with the messages of failed tests.
        in_setup: Whether it is a setup command.
        left_out: Whether it passed and skipped tests: they may want what is not installed.
        setup: The commands that ran before.
        counted: What it printed where it passed and no runner that is known counted its tests.
    """

    command: str
    output: str
    in_setup: bool = False
    left_out: bool = False
    setup: tuple[str, ...] = ()
    counted: str = ""
