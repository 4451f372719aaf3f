"""Shell, tested by Bats: https://bats-core.readthedocs.io."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.ecosystems.base import Detected, Ecosystem, Runner
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection

_FOLDERS = ("test", "tests")
_OWN = "bats/bin/bats"
"""Where the manual has a project keep Bats as a submodule, below its tests:
https://bats-core.readthedocs.io/en/stable/tutorial.html#quick-installation"""


def find(tree: Tree, _: frozenset[str]) -> Detected | None:
    """Return how they are tested; by their own Bats, if they bring one."""
    for folder in _FOLDERS:
        nested = tree.glob(f"{folder}/*/*.bats")
        if not nested and not tree.glob(f"{folder}/*.bats"):
            continue
        own = f"{folder}/{_OWN}"
        program = f"./{own}" if tree.exists(own) else "bats"
        recursive = " --recursive" if nested else ""
        return Detected(
            ecosystem="bats",
            setup=(),
            test=f"{program}{recursive} {folder}",
            test_why=detection.bats_tests(folder),
            tools=frozenset({"bats"}),
        )
    return None


def bats(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by description: https://bats-core.readthedocs.io/en/stable/usage.html, `--filter`."""
    if any(not re.fullmatch(r"[\w ,:;/=@%!'\"<>&~#-]+", test) for test in tests):
        return None  # the filter is an expression of the shell's own kind
    return ("--filter", f"^({'|'.join(tests)})$", *arguments)


BATS = Ecosystem(
    name="bats",
    sought="tests for Bats in test/ or tests/",
    detect=find,
    is_fallback=True,  # where a Makefile runs them, it knows how
    toolchains={"bats": "Bats"},
    runners=(Runner("bats", select=bats),),
)
