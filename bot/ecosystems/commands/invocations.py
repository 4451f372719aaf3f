"""Find the tools behind a command: through make, npm scripts, tox, hatch, nox and shell scripts."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.ecosystems.commands import task_runners as scripts
from bot.ecosystems.commands.shell import (
    SimpleCommand,
    is_assignment,
    joined,
    name_value,
    simple_commands,
)
from bot.ecosystems.commands.task_runners import Read

_DEPTH = 6
_PYTHON = re.compile(r"(?:.*/)?(?:python[\d.]*|pypy[\d.]*)")
_OWN_FOLDER = re.compile(r"\$\(dirname (?:-- )?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?\)")
_FOLDER_VARIABLE = re.compile(r"^\$\{\w+\}(?=\w)")
"""`${PREFIX}black`: empty, or the folder of an environment."""
_TOP = re.compile(r"\$\(git rev-parse --show-toplevel\)")
_OPTIONS_WITH_VALUE = frozenset(
    {"--group", "--extra", "--with", "--python", "-p", "--project", "--package", "--only-group"}
)


@dataclass(frozen=True, slots=True)
class Launcher:
    """How a tool that is installed in the project's own folder is started from anywhere.

    Attributes:
        words: In front of it: `npx --no-install`.
        needless: Programs that find it without: what starts with one of them stays as it is.
    """

    words: tuple[str, ...]
    needless: frozenset[str]


@dataclass(frozen=True, slots=True)
class Programs:
    """How the programs of an ecosystem start others.

    Attributes:
        wrappers: Words that run the program named behind them: `uv run`, `bundle exec`.
        task_runners: Programs that run scripts of the project, each with what returns such a text.
        manifest: The file that has these scripts, where its folder may be another than the root:
            `package.json`. Its scripts find installed tools by their names.
        installed: Tools of the project's own folder that `launcher` starts from elsewhere.
        launcher: None where all tools are on the `PATH`.
        by_name: Task runners that also run `installed` by their names: `yarn jest`.
        in_front: Returns how many words are in front of the program that they start, 0 where that
            is not known: `nyc --reporter lcov mocha`.
        name_of: Returns the name of a program by the path that it is written with.
    """

    wrappers: tuple[tuple[str, ...], ...] = ()
    task_runners: Mapping[str, scripts.TaskRunner] = field(default_factory=dict)
    manifest: str = ""
    installed: frozenset[str] = frozenset()
    launcher: Launcher | None = None
    by_name: frozenset[str] = frozenset()
    in_front: Callable[[Sequence[str]], int] | None = None
    name_of: Callable[[str], str] | None = None


@dataclass(frozen=True, slots=True)
class Invocation:
    """A tool that a command runs in the end.

    Attributes:
        tool: Its name: `black`, `pytest`, `python` for any Python, `./run.sh` for a script.
        program: The same as it is written, folder and all.
        arguments: What it is given.
        prefix: What stands before it and must stay there: `("uv", "run")`, `("python", "-m")`.
        assignments: `NAME=value` words.
        folder: Where it runs, relative to the work tree's root; empty for the root.
        origin: The file that names it (`Makefile`, `package.json`), or empty.
        launcher: What starts it from outside of such a file, or None.
    """

    tool: str
    program: str
    arguments: tuple[str, ...]
    prefix: tuple[str, ...] = ()
    assignments: tuple[str, ...] = ()
    folder: str = ""
    origin: str = ""
    launcher: Launcher | None = None

    def command(self, tool: str | None = None, *arguments: str) -> str:
        """Return it as a shell command from the root, or another tool in the same surroundings."""
        name, given = (self.program, self.arguments) if tool is None else (tool, arguments)
        prefix = self.prefix
        if self.launcher and not (prefix and prefix[0] in self.launcher.needless):
            prefix = (*self.launcher.words, *prefix)
        place = [f"cd {shlex.quote(self.folder)} &&"] if self.folder else []
        settings = [name_value(word) for word in self.assignments]
        return " ".join([*place, *settings, joined([*prefix, name, *given])])


def expanded(
    command: str, read: Read, programs: Sequence[Programs]
) -> Iterator[tuple[Invocation, bool]]:
    """Yield what a command runs, in order, and whether nothing is known behind it.

    Args:
        command: A shell command.
        read: Returns a configuration file's text by its path, or None.
        programs: Of the ecosystems that may be meant.
    """
    return _Expansion(read, programs).run(command, "", "", 0, ())


@dataclass(frozen=True, slots=True)
class _Expansion:
    """Follows task runners to what they run."""

    read: Read
    programs: Sequence[Programs]

    def run(
        self, script: str, folder: str, origin: str, depth: int, settings: tuple[str, ...]
    ) -> Iterator[tuple[Invocation, bool]]:
        """Yield each invocation with the variables around it, and whether nothing is behind it."""
        here = folder
        for simple in simple_commands(script):
            if simple.words[0] == "cd":
                here = _moved(folder, simple.words[1], origin) if len(simple.words) > 1 else folder
                continue
            bare = unwrapped(simple, self.programs, here, origin)
            invocation = replace(bare, assignments=(*settings, *bare.assignments))
            inner = self._behind(invocation)
            is_last = inner is None or depth >= _DEPTH
            yield invocation, is_last
            if inner is not None and not is_last:
                around = (*invocation.assignments, *filter(is_assignment, invocation.prefix))
                plain = tuple(word for word in around if not {"$", "`"} & {*word})
                yield from self.run(inner.text, here, inner.origin, depth + 1, plain)

    def _behind(self, invocation: Invocation) -> scripts.Script | None:
        """Return what a task runner would run; in another folder, scripts of the package there."""
        folder, tool = invocation.folder.removesuffix("/"), invocation.tool
        if folder.startswith(("/", "~", "$", "..")):
            return None
        for known in self.programs:
            if tool in known.task_runners and (known.manifest or not folder):
                read = _reading(folder, self.read)
                return known.task_runners[tool](tool, invocation.arguments, read)
        return None if folder else scripts.behind(tool, invocation.arguments, self.read)


def _reading(folder: str, read: Read) -> Read:
    return (lambda path: read(f"{folder}/{path}")) if folder else read


def _moved(folder: str, part: str, origin: str) -> str:
    """Return where a `cd` leads; a script often begins by going to its own folder's parent."""
    own = _OWN_FOLDER.sub(posixpath.dirname(origin) or ".", part)
    if own != part or _TOP.search(part):
        place = posixpath.normpath(_TOP.sub(".", own))
        return "" if place == "." else place
    return part if not folder or part.startswith("/") else f"{folder}/{part}"


def unwrapped(
    simple: SimpleCommand, programs: Sequence[Programs], folder: str = "", origin: str = ""
) -> Invocation:
    """Return a command as the tool that it runs: runners and `python -m` taken off its front.

    Args:
        simple: The command.
        programs: Of the ecosystems that may be meant.
        folder: Where it runs, relative to the work tree's root.
        origin: The file that names it, or "".
    """
    words = list(simple.words)
    words[0] = _FOLDER_VARIABLE.sub("", words[0])
    prefix: list[str] = []
    wrappers = (("env",), *(wrapper for known in programs for wrapper in known.wrappers))
    while runner := next((w for w in wrappers if tuple(words[: len(w)]) == w), None):
        length = len(runner) + _options(words[len(runner) :])
        if length >= len(words):
            break
        prefix += words[:length]
        words = words[length:]
    if len(words) > 2 and _PYTHON.fullmatch(words[0]) and words[1] == "-m":  # noqa: PLR2004 - python -m tool
        prefix += words[:2]
        words = words[2:]
    elif len(words) > 1 and any(
        words[0] in known.by_name and words[1] in known.installed for known in programs
    ):
        prefix += words[:1]
        words = words[1:]
    for known in programs:
        if known.in_front is not None and (started := known.in_front(words)):
            prefix += words[:started]
            words = words[started:]
    tool = _name(words[0], programs)
    launchers = (
        known.launcher for known in programs if origin == known.manifest and tool in known.installed
    )
    return Invocation(
        tool=tool,
        program=words[0],
        arguments=tuple(words[1:]),
        prefix=tuple(prefix),
        assignments=simple.assignments,
        folder=folder,
        origin=origin,
        launcher=next(launchers, None),
    )


def _name(program: str, programs: Sequence[Programs]) -> str:
    """Return a program's name without its folder; a script of the project keeps its path."""
    for known in programs:
        program = known.name_of(program) if known.name_of is not None else program
    if _PYTHON.fullmatch(program):
        return "python"
    installed = program.startswith(("/", "~")) or "/bin/" in f"/{program}"
    return program.rpartition("/")[2] if installed else program


def _options(words: list[str]) -> int:
    """Return how many words at the front are the runner's own options."""
    count = 0
    while count < len(words) and words[count].startswith("-"):
        if words[count] == "--":
            return count + 1
        takes_value = words[count] in _OPTIONS_WITH_VALUE
        count += 2 if takes_value else 1
    return count
