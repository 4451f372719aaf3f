"""Open the tests behind a command with the runner that it names."""

from __future__ import annotations

import os
import sys

from .protocol import Collection
from .suite import Act


def open_suite(tests: Collection, act: Act, only: set[str] | None = None) -> None:
    """Collect the tests of a command in this process and do `act` with them.

    Args:
        tests: How they are collected.
        act: Must not return before everything is done; the project's own code runs after it.
        only: Files outside of which nothing needs to be collected, or None.
    """
    os.chdir(tests.folder)
    sys.argv = list(tests.start)
    sys.path.append(sys.path.pop(0))  # ourselves: last, so that nothing of the project is hidden
    if tests.path is not None:
        sys.path.insert(0, tests.path)
    if tests.harness == "pytest":
        from .pytest_suite import collect

        collect(tests, act, only)
    else:
        from .unittest_suite import collect as collect_unittest

        collect_unittest(tests, act)
