"""How shell programs with tests for Bats are tested."""

from __future__ import annotations

from bot.ecosystems.base import Detected
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
