"""The commands by which a person sees that some tests, in this order, fail. Pure."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Sequence

from bot.ecosystems.python.select import options_alone
from bot.repair.flaky.interventions import Intervention
from bot.repair.harness.suite_command import SuiteCommand

_AGAIN = "import sys, pytest; pytest.main(sys.argv[1:]); sys.exit(pytest.main(sys.argv[1:]))"
_TWICE = """\
import copy, sys, pytest
class Twice:
    def pytest_collection_modifyitems(self, items):
        for item in list(items):
            items.append(copy.copy(item))
            items[-1]._initrequest()
sys.exit(pytest.main(sys.argv[1:], plugins=[Twice()]))"""
"""Most versions of pytest run a test once that is named twice."""

_RUNS = {
    "pytest": "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))",
    "unittest": "import unittest; unittest.main(None)",
}


class ShowingCommands:
    """Makes the commands of one suite."""

    def __init__(self, suite: SuiteCommand, options: Sequence[str], paths: frozenset[str]) -> None:
        """Take how the tests are started, what keeps plugins from interfering, and the tree's paths."""
        self._suite = suite
        self._options = [*options_alone(suite.arguments, paths), *options]

    def in_order(self, tests: Sequence[str], change: Intervention | None = None) -> str:
        """Return the command that runs these tests in this order, in a process that may be changed."""
        front = change.front if change is not None else ""
        first = change.program(self._suite.harness) if change is not None else ""
        start = self._after(first) if first else f"-m {self._suite.harness}"
        return self._with(front, start, self._named(tests))

    def again(self, test: str) -> str:
        """Return the command that runs a test in one process after another."""
        command = self.in_order([test])
        return f"{command}; {command}"

    def twice(self, test: str) -> tuple[str, ...]:
        """Return commands that may run a test twice in one process, the plainest first."""
        named = self._named([test, test])
        plain = self._with("", f"-m {self._suite.harness}", named)
        if self._suite.harness == "unittest":
            return (plain,)
        return (
            plain,
            self._with("", f"-c {shlex.quote(_AGAIN)}", named[:1]),
            self._with("", f"-c {shlex.quote(_TWICE)}", named[:1]),
        )

    def seeded(self, test: str, seed: int) -> str:
        """Return the command that runs a test with a seed of the random numbers."""
        return self._with(
            "", self._after(f"import random; random.seed({seed}); "), self._named([test])
        )

    def _after(self, program: str) -> str:
        """Return how the tests are started after something else that their process does."""
        return f"-c {shlex.quote(program + _RUNS[self._suite.harness])}"

    def _with(self, front: str, start: str, words: Sequence[str]) -> str:
        python = self._suite.python
        if (
            "faketime" in front or "taskset" in front
        ):  # they take no variables, with which some begin
            python = f"env {python}" if "=" in python.split(" ", 1)[0] else python
        command = f"{front} {python} {start} {shlex.join([*self._options, *words])}".strip()
        return (
            f"cd {shlex.quote(self._suite.folder)} && {command}" if self._suite.folder else command
        )

    def _named(self, tests: Sequence[str]) -> list[str]:
        """Return pytest's ids with the file as it is called in the folder of the command."""
        folder = self._suite.folder
        if not folder or self._suite.harness != "pytest":
            return list(tests)
        split = [test.partition("::") for test in tests]
        return [f"{posixpath.relpath(path, folder)}{dots}{name}" for path, dots, name in split]
