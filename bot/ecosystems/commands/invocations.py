"""Find the tools behind a command: through make, npm scripts, tox, hatch, nox and shell scripts."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.ecosystems.commands import task_runners as scripts
from bot.ecosystems.commands.node_programs import MANAGERS, program_name, words_in_front
from bot.ecosystems.commands.shell import SimpleCommand, is_assignment, name_value, simple_commands
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
# Programs that run the program named behind them; the prefix stays in front of a fix.
_RUNNERS = (
    ("uv", "run"),
    ("poetry", "run"),
    ("pdm", "run"),
    ("pipenv", "run"),
    ("rye", "run"),
    ("npx",),
    ("bunx",),
    ("pnpm", "exec"),
    ("pnpm", "dlx"),
    ("npm", "exec"),
    ("yarn", "exec"),
    ("env",),
    ("coverage", "run", "-m"),
)
# They run package.json's scripts by name, and installed tools by name when no script has it.
_SCRIPT_RUNNERS = frozenset({"yarn", "pnpm", "bun"})
_ON_PATH = frozenset({"node", "python", "python3", *MANAGERS, *(words[0] for words in _RUNNERS)})
NODE_TOOLS = frozenset(
    {"eslint", "prettier", "biome", "stylelint", "standard", "xo", "tsc"}
    | {"jest", "vitest", "mocha", "tap", "tape", "ava", "uvu", "borp", "jasmine", "qunit", "lab"}
)
"""Programs that npm packages install into `node_modules/.bin`."""


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
    """

    tool: str
    program: str
    arguments: tuple[str, ...]
    prefix: tuple[str, ...] = ()
    assignments: tuple[str, ...] = ()
    folder: str = ""
    origin: str = ""

    def command(self, tool: str | None = None, *arguments: str) -> str:
        """Return it as a shell command from the root, or another tool in the same surroundings."""
        name, given = (self.program, self.arguments) if tool is None else (tool, arguments)
        prefix = self.prefix
        is_found = prefix and prefix[0] in _ON_PATH
        if self.origin == "package.json" and not is_found and self.tool in NODE_TOOLS:
            # npm has `node_modules/.bin` on the PATH of scripts
            prefix = ("npx", "--no-install", *prefix)
        place = [f"cd {shlex.quote(self.folder)} &&"] if self.folder else []
        settings = [name_value(word) for word in self.assignments]
        return " ".join([*place, *settings, shlex.join([*prefix, name, *given])])


def invocations(command: str, read: Read) -> tuple[Invocation, ...]:
    """Return the tools that a command runs, in order.

    Args:
        command: A shell command.
        read: Returns a configuration file's text by its path, or None.
    """
    return tuple(each for each, is_last in _expanded(command, read, "", "", 0) if is_last)


def with_runners(command: str, read: Read) -> tuple[Invocation, ...]:
    """Return the same with the task runners and scripts on the way: make, tox, `script/test`."""
    return tuple(each for each, _ in _expanded(command, read, "", "", 0))


def _expanded(
    script: str,
    read: Read,
    folder: str,
    origin: str,
    depth: int,
    settings: tuple[str, ...] = (),
) -> Iterator[tuple[Invocation, bool]]:
    """Yield each invocation with the variables around it, and whether nothing is known behind it."""
    here = folder
    for simple in simple_commands(script):
        if simple.words[0] == "cd":
            here = _moved(folder, simple.words[1], origin) if len(simple.words) > 1 else folder
            continue
        bare = unwrapped(simple, here, origin)
        invocation = replace(bare, assignments=(*settings, *bare.assignments))
        inner = _behind(invocation, read)
        is_last = inner is None or depth >= _DEPTH
        yield invocation, is_last
        if inner is not None and not is_last:
            said = (*invocation.assignments, *filter(is_assignment, invocation.prefix))
            around = tuple(word for word in said if not {"$", "`"} & {*word})  # no shell reads it
            yield from _expanded(inner.text, read, here, inner.origin, depth + 1, around)


def _behind(invocation: Invocation, read: Read) -> scripts.Script | None:
    """Return what a task runner would run; in another folder, scripts of the package there alone."""
    folder, tool = invocation.folder.removesuffix("/"), invocation.tool
    if not folder:
        return scripts.behind(tool, invocation.arguments, read)
    if tool not in MANAGERS or folder.startswith(("/", "~", "$", "..")):
        return None
    return scripts.behind(tool, invocation.arguments, lambda path: read(f"{folder}/{path}"))


def _moved(folder: str, part: str, origin: str) -> str:
    """Return where a `cd` leads; a script often begins by going to its own folder's parent."""
    own = _OWN_FOLDER.sub(posixpath.dirname(origin) or ".", part)
    if own != part or _TOP.search(part):
        place = posixpath.normpath(_TOP.sub(".", own))
        return "" if place == "." else place
    return part if not folder or part.startswith("/") else f"{folder}/{part}"


def unwrapped(simple: SimpleCommand, folder: str = "", origin: str = "") -> Invocation:
    """Return a command as the tool that it runs: runners and `python -m` taken off its front.

    Args:
        simple: The command.
        folder: Where it runs, relative to the work tree's root.
        origin: The file that names it, or "".
    """
    words = list(simple.words)
    words[0] = _FOLDER_VARIABLE.sub("", words[0])
    prefix: list[str] = []
    while runner := next((r for r in _RUNNERS if tuple(words[: len(r)]) == r), None):
        length = len(runner) + _options(words[len(runner) :])
        if length >= len(words):
            break
        prefix += words[:length]
        words = words[length:]
    if len(words) > 2 and _PYTHON.fullmatch(words[0]) and words[1] == "-m":  # noqa: PLR2004 - python -m tool
        prefix += words[:2]
        words = words[2:]
    elif len(words) > 1 and words[0] in _SCRIPT_RUNNERS and words[1] in NODE_TOOLS:
        prefix += words[:1]
        words = words[1:]
    if started := words_in_front(words):
        prefix += words[:started]
        words = words[started:]
    return Invocation(
        tool=_name(words[0]),
        program=words[0],
        arguments=tuple(words[1:]),
        prefix=tuple(prefix),
        assignments=simple.assignments,
        folder=folder,
        origin=origin,
    )


def _name(program: str) -> str:
    """Return a program's name without its folder; a script of the project keeps its path."""
    program = program_name(program)
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
