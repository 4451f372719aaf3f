"""Fixers that the project configures, for linters that can only complain (flake8, pylint, ...)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace

from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.invocations import Invocation
from bot.ecosystems.python.task_runners import pyproject
from bot.model import Observation
from bot.repair.proposers.mechanical.fix import FixCommand, FixStage
from bot.reporting.reasons import mechanical

_COMPLAINERS = frozenset(
    {"flake8", "pycodestyle", "pyflakes", "pylint", "pydocstyle", "prospector"}
)


_MOST_FILES = 200


def fixes_for(
    step: Invocation, observation: Observation | None, read: Read
) -> tuple[FixCommand, ...]:
    """Return the configured fixers, on what the linter complains of."""
    if step.tool not in _COMPLAINERS:
        return ()
    complaints = [
        failure.file for failure in (observation.failing if observation else ()) if failure.file
    ]
    files = targets(step, complaints)
    known = (
        ("ruff", ("check", "--fix"), FixStage.LINT),
        ("autoflake", ("--in-place", "--recursive"), FixStage.LINT),
        ("isort", (), FixStage.IMPORTS),
        ("black", (), FixStage.FORMAT),
    )
    return tuple(
        FixCommand(
            replace(step, prefix=(), assignments=()).command(tool, *arguments, *files),
            mechanical.configured(step.tool, fixer=tool, file=origin),
            stage,
        )
        for tool, arguments, stage in known
        if (origin := configured_in(tool, read))
    )


def targets(step: Invocation, complaints: Sequence[str]) -> list[str]:
    """Return the files and folders that a linter was given, as far as it complains of them.

    Which words are values of options, only the linter knows; in a value it finds nothing to complain
    of. It may also be given modules instead of files, or nothing; then the files count.

    Args:
        step: The linter as it was started.
        complaints: Files that it names, relative to the work tree or to its folder.
    """
    named = dict.fromkeys(_below(step.folder, file) for file in complaints)
    words = [word for word in step.arguments if not word.startswith("-")]
    if not named:
        pairs = zip(("", *step.arguments), step.arguments, strict=False)
        return [word for before, word in pairs if _is_target(before, word)] or ["."]
    given = [word for word in words if any(_holds(word, file) for file in named)]
    return given or list(named)[:_MOST_FILES]


def _below(folder: str, file: str) -> str:
    return file.removeprefix(f"{folder}/") if folder else file


def _holds(word: str, file: str) -> bool:
    place = posixpath.normpath(word)
    return place in {".", file} or file.startswith(f"{place}/")


def _is_target(before: str, word: str) -> bool:
    """Whether a word can't be the value of the option before it, which may have one of its own."""
    may_take_it = before.startswith("-") and before != "--" and "=" not in before
    return not word.startswith("-") and not may_take_it


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
