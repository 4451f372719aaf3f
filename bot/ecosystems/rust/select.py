"""How `cargo test` is told to run some tests alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.ecosystems.commands.task_runners import Read

_ALL = "--no-fail-fast"


def cargo_test(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name: https://doc.rust-lang.org/rustc/tests/index.html#--exact."""
    if any(not re.fullmatch(r"[\w:]+", test) for test in tests):  # examples in documentation
        return None
    place = arguments.index("--") if "--" in arguments else len(arguments)
    front, behind = arguments[:place], arguments[place + 1 :]
    whole = () if _ALL in front else (_ALL,)  # the tests may be in several programs
    return (*front, *whole, "--", *behind, "--exact", *tests)
