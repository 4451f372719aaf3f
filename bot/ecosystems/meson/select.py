"""How Meson is told to run some tests alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.ecosystems.commands.task_runners import Read


def meson_test(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name, `project:test`: https://mesonbuild.com/Unit-tests.html#testing-tool."""
    if any(not re.fullmatch(r"[\w.+-]+(?::[\w.+-]+)?", test) for test in tests):
        return None
    return (*arguments, *tests)
