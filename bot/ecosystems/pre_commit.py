"""pre-commit's hooks, where nothing else is tested."""

from __future__ import annotations

from bot.ecosystems.base import Detected, Ecosystem, manager_by_file
from bot.ecosystems.python.detect import environment
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection

HOOKS = ".pre-commit-config.yaml"


def find(tree: Tree, _: frozenset[str]) -> Detected | None:
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


PRE_COMMIT = Ecosystem(
    name="pre-commit",
    sought=HOOKS,
    detect=find,
    is_fallback=True,
    manager=manager_by_file({HOOKS: "pre-commit"}),
)
