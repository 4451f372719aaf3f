"""Fallbacks for repositories in which no language shows any tests: make and pre-commit."""

from __future__ import annotations

from bot.detect import makefile
from bot.detect.finding import Detected
from bot.detect.python import environment
from bot.detect.tree import Tree
from bot.reporting.reasons import detection

_TARGETS = ("test", "tests", "check", "ci", "lint")
HOOKS = ".pre-commit-config.yaml"


def find_make(tree: Tree) -> Detected | None:
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


def find_hooks(tree: Tree) -> Detected | None:
    """Return pre-commit's hooks as the tests, or None when there are none."""
    if not tree.exists(HOOKS):
        return None
    make, why = environment(tree)
    return Detected(
        ecosystem="pre-commit",
        setup=(
            make,
            "uv pip install --python ~/.venv pre-commit || pip install pre-commit",
            "pre-commit install-hooks",
        ),
        test="pre-commit run --all-files",
        setup_why=(why, detection.hooks_installed(HOOKS)),
        test_why=detection.only_hooks(HOOKS),
        tools=frozenset({"pre-commit"}),
    )
