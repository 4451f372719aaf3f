"""Run failing tests alone, by their runner's own way to select them. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from bot.ecosystems.base import Select, is_file
from bot.ecosystems.commands.invocations import Invocation, invocations
from bot.ecosystems.commands.node_programs import (
    COVERAGE,
    WRAPPERS,
    Kind,
    kind_of_program,
    program_name,
)
from bot.ecosystems.commands.shell import simple_commands, within
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.node.select import (
    by_files,
    jest,
    may_choose,
    mocha,
    tap,
    through_manager,
    vitest,
)
from bot.ecosystems.node.select import chosen_files as files_of
from bot.ecosystems.python.select import pytest_arguments

_LONGEST = 8_000
"""Characters of a command that people still may read, and every shell takes."""

GO_TEST = re.compile(r"\.(?P<name>(?:Test|Example|Fuzz)\w*)(?:/.*)?$", re.DOTALL)
_PYTHON_VALUES = frozenset({"-W", "-X", "--check-hash-based-pycs"})
"""Options of Python that take the next word: https://docs.python.org/3/using/cmdline.html."""

_ALL = "--no-fail-fast"


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
        if kind_of_program(invocation.tool, [*invocation.arguments]) is not Kind.CHECK
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
    return files_of(runner_of(runner), runner.arguments, _below(runner.folder, paths))


def runs_apart(command: str, read: Read) -> bool:
    """Whether each test of a command has a program of its own, so that none can end another."""
    return {runner_of(each) for each in invocations(command, read)} == {"ctest"}


def ids_of_files(files: Sequence[str], command: str, folder: str) -> list[str]:
    """Return what the tests of files go by where their names are not known yet.

    Args:
        files: Paths from the root of the repository.
        command: Runs them among others.
        folder: Of the package that it tests, "" for the repository.
    """
    inside = [path for path in files if path.startswith(f"{folder}/" if folder else "")]
    below = [path.removeprefix(f"{folder}/") for path in inside]
    modules = [path.removesuffix(".py") for path in below if path.endswith(".py")]
    if "pytest" not in command:  # others find a module by less of its name
        modules = [module.rpartition("/")[2] for module in modules]
    dotted = [module.replace("/", ".") for module in modules]
    return list(dict.fromkeys(dotted)) or [path for path in below if is_file(path)]


def _select(invocation: Invocation) -> Select | None:
    return _RUNNERS.get(runner_of(invocation))


def runner_of(invocation: Invocation) -> str:
    """Return the name of the test runner that a tool is, or starts as a module; "" for another tool."""
    tool, first = invocation.tool, invocation.arguments[:1]
    if tool == "python":
        tool = _module(invocation.arguments)
    if tool in {"go", "cargo"} and first != ("test",):
        return ""
    if tool == "node" and not _tests_itself(invocation.arguments):
        return ""
    return tool


def _tests_itself(arguments: tuple[str, ...]) -> bool:
    """Whether Node.js runs tests, and no program that has an option of that name."""
    front = arguments[: arguments.index("--test")] if "--test" in arguments else ("",)
    return all(
        item.startswith("-") or before.startswith("-") for before, item in pairwise(("", *front))
    )


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


def _unittest(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by `-k`: https://docs.python.org/3/library/unittest.html#cmdoption-unittest-k."""
    kept = tuple(word for word in arguments if word not in {"-f", "--failfast"})
    return (*kept, *(word for test in tests for word in ("-k", test)))


def _go(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    matches = [GO_TEST.search(test) for test in tests]
    names = dict.fromkeys(match["name"] for match in matches if match)
    if not all(matches) or any(word.startswith(("-run", "--run")) for word in arguments):
        return None
    kept = (word for word in arguments if word.lstrip("-") != "failfast")
    return (*kept, "-run", f"^({'|'.join(names)})$")


def _cargo(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    if any(not re.fullmatch(r"[\w:]+", test) for test in tests):  # examples in documentation
        return None
    place = arguments.index("--") if "--" in arguments else len(arguments)
    front, behind = arguments[:place], arguments[place + 1 :]
    whole = () if _ALL in front else (_ALL,)  # the tests may be in several programs
    return (*front, *whole, "--", *behind, "--exact", *tests)


def _ctest(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name: https://cmake.org/cmake/help/latest/manual/ctest.1.html#cmdoption-ctest-R."""
    if any(not re.fullmatch(r"[\w.-]+", test) for test in tests):
        return None
    return (*arguments, "-R", f"^({'|'.join(tests)})$")


_RUNNERS: dict[str, Select] = {
    "pytest": pytest_arguments,
    "py.test": pytest_arguments,
    "unittest": _unittest,
    "go": _go,
    "cargo": _cargo,
    "jest": jest,
    "vitest": vitest,
    "mocha": mocha,
    "tap": tap,
    **dict.fromkeys(("node", "tape", "ava", "borp", "jasmine", "qunit", "lab", "poku"), by_files),
    "ctest": _ctest,
}
