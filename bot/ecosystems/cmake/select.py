"""How CTest is told to run some tests alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.ecosystems.commands.task_runners import Read


def ctest(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name: https://cmake.org/cmake/help/latest/manual/ctest.1.html#cmdoption-ctest-R."""
    if any(not re.fullmatch(r"[\w.-]+", test) for test in tests):
        return None
    return (*arguments, "-R", f"^({'|'.join(tests)})$")
