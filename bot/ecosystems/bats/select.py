"""How Bats is told to run some tests alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.ecosystems.commands.task_runners import Read


def bats(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by description: https://bats-core.readthedocs.io/en/stable/usage.html, `--filter`."""
    if any(not re.fullmatch(r"[\w ,:;/=@%!'\"<>&~#-]+", test) for test in tests):
        return None  # the filter is an expression of the shell's own kind
    return ("--filter", f"^({'|'.join(tests)})$", *arguments)
