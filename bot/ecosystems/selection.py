"""Run failing tests alone, by their runner's own way to select them. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

from bot.ecosystems.base import Select
from bot.ecosystems.commands.shell import simple_commands, within
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.invocations import Invocation, invocations
from bot.ecosystems.node.programs import (
    COVERAGE,
    WRAPPERS,
    ProgramKind,
    kind_of_program,
    program_name,
    through_manager,
)
from bot.ecosystems.node.select import may_choose
from bot.ecosystems.registry import ECOSYSTEMS, RUNNERS

_LONGEST = 8_000
"""Characters of a command that people still may read, and every shell takes."""

_PYTHON_VALUES = frozenset({"-W", "-X", "--check-hash-based-pycs"})
"""Options of Python that take the next word: https://docs.python.org/3/using/cmdline.html."""


def alone(
    command: str, tests: Sequence[str], paths: Sequence[str], read: Read, *, shortest: bool = False
) -> str | None:
    """Return the command that runs these tests alone, or None where no way is known.

    Args:
        command: Runs them among others.
        tests: Ids as the runner's report has them.
        paths: Of the work tree.
        read: Returns a file of it.
        shortest: Whether to leave out all that the command does behind them.
    """
    started = invocations(command, read)
    if shortest:
        started = _without_other_runners(started, tests, paths)
    front = _before_runner(started) if shortest else None
    if front is not None:
        started = tuple(item for item in started if _select(item) is not None)
    if not started or not tests or (select := _select(started[-1])) is None:
        return None
    invocation = started[-1]
    there = _below(invocation.folder, paths), _reading(invocation.folder, read)
    arguments = select(invocation.arguments, tests, *there)
    if arguments is None:
        return None
    narrowed = _narrowed(command, started, arguments, front, read)
    return narrowed if narrowed and len(narrowed) <= _LONGEST and narrowed != command else None


def _narrowed(
    command: str,
    started: Sequence[Invocation],
    arguments: tuple[str, ...],
    front: str | None,
    read: Read,
) -> str | None:
    """Return the command with other arguments for the runner, which it starts last."""
    measured = started[-1]
    runner = replace(measured, arguments=arguments, prefix=_unmeasured(measured.prefix))
    if front is not None:
        return within(runner.folder, f"{front} && {replace(runner, folder='').command()}")
    if len(started) == 1:
        return runner.command()
    if _only_builds_before(command, started[-1]):
        return f"{command} {shlex.join(arguments[len(started[-1].arguments) :])}"
    # what else the command runs, such as a linter, may be what somebody complains about
    through = through_manager(command, measured, arguments, read)
    return through if runner.prefix == measured.prefix else None


def _without_other_runners(
    started: tuple[Invocation, ...], tests: Sequence[str], paths: Sequence[str]
) -> tuple[Invocation, ...]:
    """Return what a command starts with one runner alone: the first that has these files."""
    runners = [invocation for invocation in started if _select(invocation) is not None]
    first = next((runner for runner in runners if may_choose(runner.arguments, tests, paths)), None)
    return tuple(
        invocation
        for invocation in started
        if first is None or invocation not in runners or invocation is first
    )


def _before_runner(started: Sequence[Invocation]) -> str | None:
    """Return what a package's script does before its only runner of tests, None where that isn't plain.

    Checks are left out; what may build or generate something that the tests need is not.
    """
    runners = [n for n, invocation in enumerate(started) if _select(invocation) is not None]
    if (
        len(started) == 1
        or len(runners) != 1
        or len({invocation.folder for invocation in started}) != 1
    ):
        return None
    if started[runners[0]].origin != "package.json":
        return None
    kept = [
        replace(invocation, folder="").command()
        for invocation in started[: runners[0]]
        if kind_of_program(invocation.tool, [*invocation.arguments]) is not ProgramKind.CHECK
    ]
    return " && ".join(('export PATH="$PWD/node_modules/.bin:$PATH"', *kept))


def _unmeasured(prefix: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is in front of a runner without the coverage that all tests have to reach."""
    begin = next((n for n, word in enumerate(prefix) if program_name(word) in COVERAGE), None)
    if begin is None:
        return prefix
    rest = prefix[begin + 1 :]
    end = next((n for n, word in enumerate(rest) if word in {"node", *WRAPPERS}), len(rest))
    return (*prefix[:begin], *rest[end:])


def _only_builds_before(command: str, last: Invocation) -> bool:
    """Whether a command only builds with CMake, and then runs its tests."""
    *before, tests = simple_commands(command)
    builds = bool(before) and all(simple_command.words[0] == "cmake" for simple_command in before)
    return builds and last.tool == "ctest" and tests.words == (last.program, *last.arguments)


def chosen_files(command: str, paths: Sequence[str], read: Read) -> tuple[str, ...]:
    """Return the test files that a command runs, where its runner can be given some of them.

    Args:
        command: As it runs.
        paths: Of the work tree.
        read: Returns a file of it.

    Returns:
        Relative to where the runner starts; none where they can't be told.
    """
    started = invocations(command, read)
    runner = started[-1] if started else None
    if runner is None:
        return ()
    known = RUNNERS.get(runner_of(runner))
    if known is None or known.files is None:
        return ()
    return known.files(runner.arguments, _below(runner.folder, paths))


def runs_apart(command: str, read: Read) -> bool:
    """Whether each test of a command has a program of its own, so that none can end another."""
    runners = [RUNNERS.get(runner_of(invocation)) for invocation in invocations(command, read)]
    return bool(runners) and all(runner is not None and runner.runs_apart for runner in runners)


def ids_of_files(files: Sequence[str], command: str, folder: str) -> list[str]:
    """Return what the tests of files go by where their names are not known yet.

    Args:
        files: Paths from the root of the repository.
        command: Runs them among others.
        folder: Of the package that it tests, "" for the repository.
    """
    inside = [path for path in files if path.startswith(f"{folder}/" if folder else "")]
    below = [path.removeprefix(f"{folder}/") for path in inside]
    known = (eco.ids_of_files(below, command) for eco in ECOSYSTEMS if eco.ids_of_files is not None)
    return next(filter(None, known), [])


def _select(invocation: Invocation) -> Select | None:
    runner = RUNNERS.get(runner_of(invocation))
    return runner.select if runner is not None else None


def runner_of(invocation: Invocation) -> str:
    """Return the name of the test runner that a tool is, or starts as a module; "" for another tool."""
    tool = invocation.tool
    if tool == "python":
        tool = _module(invocation.arguments)
    runner = RUNNERS.get(tool)
    return "" if runner is not None and not runner.runs_tests(invocation.arguments) else tool


def is_test_run(invocation: Invocation) -> bool:
    """Whether a tool is a test runner of some ecosystem, and told to run tests."""
    return runner_of(invocation) in RUNNERS


def _module(arguments: tuple[str, ...]) -> str:
    """Return the module that a Python behind options of its own runs, or ""."""
    words = iter(arguments)
    for word in words:
        if word == "-m":
            return next(words, "")
        if not word.startswith("-"):
            return ""
        if word in _PYTHON_VALUES:
            next(words, None)
    return ""


def _below(folder: str, paths: Sequence[str]) -> Sequence[str]:
    """Return the paths of a folder, relative to it."""
    if not folder:
        return paths
    front = f"{folder.removesuffix('/')}/"
    return [path.removeprefix(front) for path in paths if path.startswith(front)]


def _reading(folder: str, read: Read) -> Read:
    """Return what reads files of a folder by their paths in it."""
    return (lambda path: read(f"{folder.removesuffix('/')}/{path}")) if folder else read
