"""Find the pytest or unittest run behind a command, through make, tox and the like."""

from __future__ import annotations

import posixpath
import shlex
from dataclasses import dataclass

from bot.ecosystems.commands.shell import name_value
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.invocations import Invocation, invocations
from bot.repair.harness.driver.protocol import Collection
from sandbox.base import WORKSPACE

_MODULE = ("python", "-m")
_MEASURED = ("coverage", "run", "-m")
_TOX_PYTHON = '"$(ls -d .tox/*/bin/python 2>/dev/null | head -n 1 | grep . || echo python)"'


@dataclass(frozen=True, slots=True)
class SuiteCommand:
    """How tests are started from Python.

    Attributes:
        harness: `pytest` or `unittest`.
        start: `sys.argv` of the run; begins with `-m` for `python -m unittest`.
        arguments: pytest's own.
        folder: Where it runs, relative to the work tree.
        path: What Python puts at the front of `sys.path`, relative to the work tree; None: nothing.
        python: Shell words that start the Python which has the project's dependencies.
    """

    harness: str
    start: tuple[str, ...]
    arguments: tuple[str, ...]
    folder: str
    path: str | None
    python: str

    @property
    def is_script(self) -> bool:
        """Whether it is a script of the project, which may do anything."""
        return self.start[0].endswith(".py")

    def collection(self, root: str = WORKSPACE) -> Collection:
        """Return how the tests are collected in a work tree."""
        return Collection(
            harness=self.harness,
            start=self.start,
            arguments=self.arguments,
            folder=posixpath.join(root, self.folder) if self.folder else root,
            path=None if self.path is None else posixpath.normpath(f"{root}/{self.path}"),
            root=root,
        )


def suite_command(command: str, read: Read) -> SuiteCommand | None:
    """Return the first test run behind a command, or None when there is none that is known.

    Any script may be one, so a runner of tests goes before it: `make check` may start generators, too.
    """
    found = [item for each in invocations(command, read) if (item := _read(each)) is not None]
    runners = (item for item in found if not item.is_script)
    return next(runners, next(iter(found), None))


def _read(invocation: Invocation) -> SuiteCommand | None:
    tool, arguments = invocation.tool, invocation.arguments
    module = invocation.prefix[-1:] == ("-m",)
    if tool == "python":
        plain = tuple(word for word in arguments if word in {"-B", "-bb", "-b", "-Wd", "-We"})
        arguments = arguments[len(plain) :]
        if arguments[:1] == ("-m",) and len(arguments) > 1:
            tool, arguments, module = arguments[1], arguments[2:], True
    python = _python(invocation)
    folder = invocation.folder
    if tool in {"pytest", "py.test"}:
        return SuiteCommand(
            "pytest", ("pytest", *arguments), arguments, folder, folder if module else None, python
        )
    if tool == "unittest" and module:
        return SuiteCommand("unittest", ("-m", "unittest", *arguments), (), folder, folder, python)
    if tool == "python" and arguments[:1] and arguments[0].endswith(".py"):
        path = posixpath.join(folder, posixpath.dirname(arguments[0]))
        return SuiteCommand("unittest", arguments, (), folder, path, python)
    return None


def _python(invocation: Invocation) -> str:
    """Return the shell words that start the same Python."""
    words = [name_value(word) for word in invocation.assignments]
    prefix = invocation.prefix
    for runner in (_MEASURED, _MODULE):
        if prefix[-len(runner) :] == runner:
            prefix = prefix[: -len(runner)]
    if prefix[-1:] == ("-m",):  # behind a Python of another name
        prefix = prefix[:-2]
    named = invocation.program if invocation.tool == "python" else ""
    if invocation.prefix[-1:] == ("-m",) and "python" in invocation.prefix[-2]:
        named = invocation.prefix[-2]
    elif "/" in invocation.program and not named:
        named = posixpath.join(posixpath.dirname(invocation.program), "python")
    words += [shlex.quote(word) for word in prefix]
    if invocation.origin == "tox.ini" and not named.startswith("/"):
        return " ".join([*words, _TOX_PYTHON])
    return " ".join([*words, shlex.quote(named or "python")])
