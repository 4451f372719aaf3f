"""A Makefile with a target for tests, where no language shows any."""

from __future__ import annotations

from bot.ecosystems.base import Detected, Ecosystem
from bot.ecosystems.commands import makefile
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection

_TARGETS = ("test", "tests", "check", "ci", "lint")


def find(tree: Tree, _: frozenset[str]) -> Detected | None:
    """Return the Makefile's test target, or None when it has none."""
    path = next((name for name in makefile.NAMES if tree.exists(name)), None)
    if path is None:
        return None
    found = makefile.targets(tree.read(path) or "")
    goal = next((name for name in _TARGETS if name in found), None)
    if goal is None:
        return None
    return Detected(
        ecosystem="make",
        setup=(),
        test=f"make {goal}",
        test_why=detection.make_target(path, goal),
        tools=frozenset({"make", "gmake"}),
    )


MAKE = Ecosystem(name="make", sought="Makefile with a test target", detect=find, is_fallback=True)
