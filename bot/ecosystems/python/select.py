"""Find the node ids of pytest's tests, and put them in the place of what a command collects. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.ecosystems.base import Runner
from bot.ecosystems.commands.task_runners import Read

_MOST_NODES = 60
_CONFIGURATION = ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini")
_WITHOUT_VALUE = frozenset(
    re.findall(
        r"[\w-]+",
        """--strict-markers --strict-config --strict --verbose --quiet --exitfirst --showlocals
    --disable-warnings --disable-pytest-warnings --doctest-modules --no-header --no-summary
    --no-cov --cov-append --cov-branch --pyargs --runslow --full-trace --setup-show
    --continue-on-collection-errors --failed-first --ff --last-failed --lf --new-first --nf
    --sw --stepwise""",
    )
)
"""Long options behind which a path is no value."""

_SHORT_WITH_VALUE = frozenset({"-k", "-m", "-p", "-c", "-o", "-r", "-W", "-n"})
"""Short options that take the next word, if nothing is behind them in their own."""


@dataclass(frozen=True, slots=True)
class _Node:
    """Where a test is.

    Attributes:
        path: Its file.
        root: pytest's root folder, "" for where it runs.
        names: Its classes, and its own name last; empty for a file that can't be collected.
    """

    path: str
    root: str
    names: tuple[str, ...]

    @property
    def id(self) -> str:
        return "::".join((self.path, *self.names))


def pytest_arguments(
    arguments: tuple[str, ...], tests: Sequence[str], paths: Sequence[str], read: Read
) -> tuple[str, ...] | None:
    """Return pytest's arguments for these tests alone, None where one of them is not found.

    Args:
        arguments: As they are.
        tests: Ids as pytest's JUnit report has them.
        paths: Below the folder where it runs.
        read: Returns a file there.
    """
    known = frozenset(paths)
    nodes = [_node(test, known) for test in tests]
    found = [node for node in nodes if node is not None]
    if len(found) < len(nodes) or len({node.root for node in found}) > 1:
        return None
    selected = dict.fromkeys(node.id for node in found)
    if len(selected) > _MOST_NODES:
        selected = dict.fromkeys(node.path for node in found)
    kept = options_alone(arguments, known)
    root = (
        ()
        if any(word.startswith("--rootdir") for word in kept)
        else (f"--rootdir={found[0].root or '.'}",)
    )
    coverage = ("--no-cov",) if _measures_coverage(kept, read) else ()
    return (*kept, *root, *coverage, *selected)


def node_ids(tests: Sequence[str], paths: Sequence[str]) -> tuple[str, ...]:
    """Return pytest's own ids of tests, those that are found."""
    known = frozenset(paths)
    return tuple(node.id for test in tests if (node := _node(test, known)) is not None)


def _node(test: str, paths: frozenset[str]) -> _Node | None:
    """Return the node of an id; its file is the longest part of it that is one."""
    dotted, separator, name = test.partition("::")
    bare, bracket, case = name.partition("[")
    exact = bool(bracket) and case.isascii() and case.isprintable() and "#x" not in case
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        file = "/".join(parts[:length]) + ".py"
        fitting = [path for path in paths if path == file or path.endswith(f"/{file}")]
        if file in fitting:
            fitting = [file]
        if len(fitting) == 1:
            own = (name if exact or not bracket else bare,) if separator else ()
            root = fitting[0].removesuffix(file).removesuffix("/")
            return _Node(fitting[0], root, (*parts[length:], *own))
    return None


def options_alone(arguments: tuple[str, ...], paths: frozenset[str]) -> list[str]:
    """Return the arguments without what is collected, and without what ends a run early."""
    kept: list[str] = []
    for word in arguments:
        previous = kept[-1] if kept else ""
        if _takes_value(previous):
            kept.append(word)
        elif word.startswith("-"):
            kept.append(unhurried(word))
        elif not _is_collected(word, paths):
            kept.append(word)
    return [word for word in kept if word]


def unhurried(option: str) -> str:
    """Return an option of pytest without the wish to stop at the first failure, "" if that is all."""
    if option in {"-x", "--exitfirst"} or option.startswith("--maxfail="):
        return ""
    letters = option[1:]
    if letters and set(letters) <= set("xvqsl"):
        return f"-{letters.replace('x', '')}"
    return option


def _takes_value(option: str) -> bool:
    if option.startswith("--"):
        return "=" not in option and option not in _WITHOUT_VALUE
    return option in _SHORT_WITH_VALUE


def _is_collected(word: str, paths: frozenset[str]) -> bool:
    path = word.partition("::")[0].removeprefix("./").rstrip("/")
    return path in {"", "."} or path in paths or any(item.startswith(f"{path}/") for item in paths)


def _measures_coverage(arguments: Sequence[str], read: Read) -> bool:
    """Whether pytest-cov may demand more than a few tests can reach.

    What the command puts in the place of `addopts` hides what the configuration has there; where
    pytest-cov isn't even installed, its option would end the run.
    """
    if any("--cov" in word for word in arguments):
        return True
    overridden = any(word.startswith(("addopts=", "-oaddopts=")) for word in arguments)
    return not overridden and any("--cov" in (read(name) or "") for name in _CONFIGURATION)


def unittest_arguments(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by `-k`: https://docs.python.org/3/library/unittest.html#cmdoption-unittest-k."""
    kept = tuple(word for word in arguments if word not in {"-f", "--failfast"})
    return (*kept, *(word for test in tests for word in ("-k", test)))


def ids_of_modules(files: Sequence[str], command: str) -> list[str]:
    """Return the dotted names of modules of tests, as far as what runs them needs."""
    modules = [path.removesuffix(".py") for path in files if path.endswith(".py")]
    if "pytest" not in command:  # others find a module by less of its name
        modules = [module.rpartition("/")[2] for module in modules]
    return list(dict.fromkeys(module.replace("/", ".") for module in modules))


RUNNERS = (
    Runner("pytest", select=pytest_arguments),
    Runner("py.test", select=pytest_arguments),
    Runner("unittest", select=unittest_arguments, stops_early=("-f", "--failfast")),
    Runner("nose2"),
)
