"""pre-commit's hooks, where nothing else is tested."""

from __future__ import annotations

from bot.ecosystems.base import Ecosystem, manager_by_file
from bot.ecosystems.pre_commit.detect import HOOKS, find

PRE_COMMIT = Ecosystem(
    name="pre-commit",
    sought=HOOKS,
    detect=find,
    is_fallback=True,
    manager=manager_by_file({HOOKS: "pre-commit"}),
)
