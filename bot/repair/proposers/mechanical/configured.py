"""Fixers that the project configures, for linters that can only complain (flake8, pylint, ...)."""

from __future__ import annotations

import re
import shlex

from bot.detect.invocations import Invocation
from bot.detect.scripts import Read, pyproject
from bot.repair.proposers.mechanical.fix import FixCommand, FixStage
from bot.reporting.reasons import mechanical

_COMPLAINERS = frozenset(
    {"flake8", "pycodestyle", "pyflakes", "pylint", "pydocstyle", "prospector"}
)


def fixes_for(step: Invocation, read: Read) -> tuple[FixCommand, ...]:
    """Return the configured fixers, on the files that the linter was given."""
    if step.tool not in _COMPLAINERS:
        return ()
    files = [word for word in step.arguments if not word.startswith("-")] or ["."]
    known = (
        ("ruff", ("check", "--fix"), FixStage.LINT),
        ("autoflake", ("--in-place", "--recursive"), FixStage.LINT),
        ("isort", (), FixStage.IMPORTS),
        ("black", (), FixStage.FORMAT),
    )
    return tuple(
        FixCommand(
            shlex.join([tool, *arguments, *files]),
            mechanical.configured(step.tool, fixer=tool, file=origin),
            stage,
        )
        for tool, arguments, stage in known
        if (origin := configured_in(tool, read))
    )


def configured_in(tool: str, read: Read) -> str | None:
    """Return the file that configures a tool, or None when none does."""
    if tool in pyproject(read).get("tool", {}):
        return "pyproject.toml"
    own = {"ruff": ("ruff.toml", ".ruff.toml"), "isort": (".isort.cfg",)}
    found = next((name for name in own.get(tool, ()) if read(name) is not None), None)
    if found:
        return found
    if re.search(rf"^\[(?:tool:)?{tool}\]", read("setup.cfg") or "", re.MULTILINE):
        return "setup.cfg"
    hooks = read(".pre-commit-config.yaml") or ""
    if re.search(rf"^[ \t]*-[ \t]+id:[ \t]*{tool}\b", hooks, re.MULTILINE):
        return ".pre-commit-config.yaml"
    return None
