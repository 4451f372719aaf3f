"""Give a test runner more arguments through the package manager that starts it. Pure.

What its script runs before the tests, such as a build, runs as ever.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from bot.detect.invocations import Invocation, unwrapped
from bot.detect.node_programs import MANAGERS
from bot.detect.scripts import Read, package_scripts
from bot.detect.shell import name_value, simple_commands

_RUN = frozenset({"run", "run-script"})
_TEST = {"t": "test", "tst": "test"}


def through_manager(
    command: str, runner: Invocation, arguments: Sequence[str], read: Read
) -> str | None:
    """Return a script's command with more arguments for the runner at its end, None if it has another.

    Args:
        command: Such as `npm test`.
        runner: What it runs last.
        arguments: What the runner is to be given, the ones that it has in front.
        read: Returns a file of the work tree.
    """
    more = arguments[len(runner.arguments) :]
    simple = simple_commands(command)
    if len(simple) != 1 or tuple(arguments[: len(runner.arguments)]) != runner.arguments:
        return None
    manager, *words = simple[0].words
    name = _script(manager, words)
    scripts = package_scripts(read)
    last = simple_commands(scripts.get(name, ""))[-1:]
    ends_with_it = bool(last) and unwrapped(last[0]).tool == runner.tool
    if not ends_with_it or f"post{name}" in scripts or runner.folder:
        return None
    between = ["--"] if manager == "npm" and "--" not in words else []
    settings = [name_value(word) for word in simple[0].assignments]
    return " ".join([*settings, shlex.join([manager, *words, *between, *more])])


def _script(manager: str, words: Sequence[str]) -> str:
    """Return the name of the script that a package manager runs, "" where it is no plain one."""
    if manager not in MANAGERS or not words:
        return ""
    named = words[1:] if words[0] in _RUN else words
    plain = bool(named) and not named[0].startswith("-")
    if not plain or (manager == "npm" and words[0] not in {*_RUN, "test", *_TEST}):
        return ""
    return _TEST.get(named[0], named[0])
