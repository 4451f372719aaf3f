"""Bring files from the sandbox to the rules, and what the rules make of them back."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterable

from bot.ci.failures import REGISTRY
from bot.limited_process import TooMuch, run_limited
from bot.model import Failure, Observation
from bot.model.steps import Steps
from bot.repair.proposers.mechanical.configuration import FILE_LIMIT, read_files
from bot.repair.proposers.mechanical.rules import application
from bot.repair.proposers.mechanical.rules.application import Applied
from bot.repair.proposers.mechanical.rules.packages import marker
from bot.repair.proposers.mechanical.rules.project import ProjectNames
from bot.repair.workspace.base import Workbench

_MOST_FILES = 100
"""Files that one round repairs."""

_MOST_OTHERS = 200
"""Files that are asked how they import a name: enough to see what is usual."""


async def repair(
    observation: Observation, workbench: Workbench, steps: Steps, *, name: str, seconds: float
) -> tuple[Applied, ...]:
    """Repair in the sandbox what the rules know to repair, and return what was done.

    Args:
        observation: What the failing command reports of the sandbox's files.
        workbench: Has the files.
        steps: What touches them goes through these.
        name: Front of the steps' names.
        seconds: Time limit of a command.
    """
    tests = observation.counts is not None
    more = () if tests else await _reported(observation.output)
    found = application.answered((*observation.failing, *more))
    paths = tuple(path for path in found if _is_inside(path))[:_MOST_FILES]
    if not paths:
        return ()
    texts = await steps(f"{name}: read", current, workbench, paths)
    markers = tuple({marker(path) for path in paths if path.endswith((".py", ".pyi"))})
    others = await steps(f"{name}: read packages", current, workbench, markers)
    words = application.words(found)
    if words:
        others |= await steps(f"{name}: look up", _naming, workbench, words, seconds)
    repaired = application.repaired(found, texts, ProjectNames(others))
    for path, text in repaired.texts.items():
        await steps(f"{name}: write {path}", workbench.write_file, path, text.encode())
    return repaired.applied


async def _reported(output: str) -> tuple[Failure, ...]:
    """Return what tools report, read in a process apart; nothing where that takes too much."""
    try:
        return await run_limited(_all_reported, output, imports=REGISTRY)
    except TooMuch:
        return ()


def _all_reported(output: str) -> tuple[Failure, ...]:
    from bot.ci.failures.registry import reported

    return reported(output)


def _is_inside(path: str) -> bool:
    return not path.startswith(("/", "..")) and posixpath.normpath(path) == path


async def current(workbench: Workbench, paths: tuple[str, ...]) -> dict[str, str]:
    """Return the texts of the sandbox's files, without those that are missing, big or no text."""
    texts = {}
    for path in paths:
        try:
            data = await workbench.read_file(path)
            if len(data) <= FILE_LIMIT:
                texts[path] = data.decode()
        except (FileNotFoundError, IsADirectoryError, UnicodeDecodeError):
            continue
    return texts


async def _naming(workbench: Workbench, words: Iterable[str], seconds: float) -> dict[str, str]:
    """Return the project's Python files that have one of the words."""
    patterns = " ".join(f"-e {shlex.quote(word)}" for word in words)
    command = (
        f"git grep -lwF {patterns} -- '*.py' 2>/dev/null"
        f" || grep -rlwF --include='*.py' {patterns} . | sed 's,^[.]/,,'"
    )
    listed = await workbench.run(command, seconds)
    paths = tuple(sorted(line for line in listed.output.split("\n") if line.endswith(".py")))
    read = await read_files(workbench, paths[:_MOST_OTHERS])
    return {path: text for path, text in read.items() if text is not None}
