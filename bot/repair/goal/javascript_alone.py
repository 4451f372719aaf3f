"""How runners of JavaScript tests select some of them, without the coverage that all have to reach. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from bot.detect.scripts import Read
from bot.repair.goal.selecting import is_file

_SPECIAL = re.compile(r"[.*+?^${}()|\[\]\\/]")
_NO_TITLE = re.compile(r'"(?:before|after)(?: all| each)?" hook\b|^\S+\.\w+(?::\d+)?: ')
"""Hooks, and what linters that run in front of the tests report."""

_MAJOR = re.compile(r"\d+")

_TAP_DISABLES = 18
"""The version of tap whose option is `--disable-coverage`: https://node-tap.org/changelog/."""


_COVERAGE = re.compile(r"--(?:coverage|collectCoverage)(?:[.=].*)?", re.DOTALL)
_MEASURES = re.compile(r"\b(?:coverageThreshold|collectCoverage|coverage)['\"]?\s*:")
_CONFIGURATION = re.compile(
    r"(?:vitest|vite|jest)\.config\.[cm]?[jt]s|jest\.config\.json|package\.json"
)


def jest(
    arguments: tuple[str, ...], tests: Sequence[str], paths: Sequence[str], read: Read
) -> tuple[str, ...] | None:
    """Select by name; a file that can't be loaded has no tests by name."""
    arguments = _without_coverage(arguments, "--coverage=false", paths, read)
    if any(map(is_file, tests)):
        return (*arguments, "--runTestsByPath", *tests) if all(map(is_file, tests)) else None
    return (*arguments, "-t", _pattern([" ".join(test.split(" › ")) for test in tests]))  # noqa: RUF001 - jest prints it


def vitest(
    arguments: tuple[str, ...], tests: Sequence[str], paths: Sequence[str], read: Read
) -> tuple[str, ...] | None:
    """Select by file, and by name where they are known."""
    arguments = _without_coverage(arguments, "--coverage.enabled=false", paths, read)
    if all(map(is_file, tests)):
        return (*arguments, *tests)
    parts = [test.split(" > ") for test in tests]
    if any(len(part) == 1 for part in parts):
        return None
    files = dict.fromkeys(part[0] for part in parts)
    return (*arguments, *files, "-t", _pattern([" ".join(part[1:]) for part in parts]))


def mocha(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by full title: https://mochajs.org/#-grep-regexp-g-regexp."""
    chosen = any(word.startswith(("-g", "--grep", "-f", "--fgrep")) for word in arguments)
    if chosen or any(is_file(test) or _NO_TITLE.search(test) for test in tests):
        return None
    return (*arguments, "--grep", _pattern([" ".join(test.split(" > ")) for test in tests]))


def tap(
    arguments: tuple[str, ...], tests: Sequence[str], paths: Sequence[str], read: Read
) -> tuple[str, ...] | None:
    """Select by file; files that are named already would run, too."""
    files = dict.fromkeys(test.partition(" > ")[0] for test in tests)
    named = any(not word.startswith("-") and word not in {"run", "test"} for word in arguments)
    if named or not files.keys() <= {*paths}:
        return None
    newer = _major("tap", read) >= _TAP_DISABLES
    return (*arguments, "--disable-coverage" if newer else "--no-coverage", *files)


def _without_coverage(
    arguments: tuple[str, ...], off: str, paths: Sequence[str], read: Read
) -> tuple[str, ...]:
    """Return the arguments without coverage, where it may be measured: some tests never reach it all."""
    kept = tuple(word for word in arguments if not _COVERAGE.fullmatch(word))
    configured = any(
        _MEASURES.search(read(path) or "") for path in paths if _CONFIGURATION.fullmatch(path)
    )
    return (*kept, off) if configured or kept != arguments else arguments


def _major(package: str, read: Read) -> int:
    """Return the major version of a package that `package.json` asks for, 0 where it is not plain."""
    try:
        wanted = json.loads(read("package.json") or "{}")["devDependencies"][package]
    except (ValueError, KeyError, TypeError):
        return 0
    found = _MAJOR.search(wanted) if isinstance(wanted, str) else None
    return int(found[0]) if found else 0


def _pattern(names: Sequence[str]) -> str:
    """Return a regular expression of JavaScript for these names alone."""
    escaped = (_SPECIAL.sub(r"\\\g<0>", name) for name in names)
    return f"^({'|'.join(escaped)})$"
