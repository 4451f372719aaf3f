"""How runners of JavaScript tests select some of them, without the coverage that all have to reach. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import PurePath

from pathspec import GitIgnoreSpec

from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.node.package_json import package_json

_NAMES_FILES = re.compile(r"\b(?:spec|files)\b")
_ADDING = (".mocharc.", ".borp.")
"""Configuration whose files run besides those of the command line."""

_DEFAULT_FILES = {
    "jest": ["**/__tests__/**", "*.test.*", "*.spec.*", "test.*", "spec.*"],
    "vitest": ["*.test.*", "*.spec.*"],
    "mocha": ["/test/*.*"],
    "jasmine": ["/spec/**/*[sS]pec.*"],
    "tape": [],
    "node": ["*[._-]test.*", "test-*.*", "test.*", "**/test/**"],
}
"""What runners take by themselves.

https://nodejs.org/docs/latest-v20.x/api/test.html#running-tests-from-the-command-line,
https://jestjs.io/docs/configuration#testmatch-arraystring, https://vitest.dev/config/#include,
https://mochajs.org/#the-test-directory, https://jasmine.github.io/setup/nodejs.html#configuration
"""
_CHOOSE_AMONG = frozenset({"jest", "vitest"})
"""Runners that take files of the command line for a choice among their own."""

_GLOB = re.compile(r"[*?{]")
_TAKE_FILES = frozenset(
    re.findall(
        r"\S+",
        """-r --require --import --loader --experimental-loader -c --config --file -i --ignore
    --exclude --package --opts --env-file --tsconfig --project""",
    )
)
"""Options of runners whose next word may look like a file, and chooses no test."""

_FILE = re.compile(r"[^\s<>]+\.[cm]?[jt]sx?")
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


def is_file(test: str) -> bool:
    """Whether an id is a file of JavaScript or TypeScript, as of one that can't be loaded."""
    return _FILE.fullmatch(test) is not None


def ids_of_scripts(files: Sequence[str], _: str) -> list[str]:
    """Return the files that may be tests: runners take their paths."""
    return [path for path in files if is_file(path)]


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
        return (*_without_files(arguments, paths), *tests)
    parts = [test.split(" > ") for test in tests]
    if any(len(part) == 1 for part in parts):
        return None
    files = dict.fromkeys(part[0] for part in parts)
    return (*arguments, *files, "-t", _pattern([" ".join(part[1:]) for part in parts]))


def mocha(
    arguments: tuple[str, ...], tests: Sequence[str], paths: Sequence[str], read: Read
) -> tuple[str, ...] | None:
    """Select by full title: https://mochajs.org/#-grep-regexp-g-regexp; or by file."""
    chosen = any(word.startswith(("-g", "--grep", "-f", "--fgrep")) for word in arguments)
    if all(map(is_file, tests)) and not chosen and not _configured(paths, read):
        return (*_without_files(arguments, paths), *tests)
    if chosen or any(is_file(test) or _NO_TITLE.search(test) for test in tests):
        return None
    return (*arguments, "--grep", _pattern([" ".join(test.split(" > ")) for test in tests]))


def by_files(
    arguments: tuple[str, ...], tests: Sequence[str], paths: Sequence[str], read: Read
) -> tuple[str, ...] | None:
    """Select by file alone: tape, ava, borp and the like."""
    if _configured(paths, read) or not all(map(is_file, tests)):
        return None
    return (*_without_files(arguments, paths), *tests)


def node(
    arguments: tuple[str, ...], tests: Sequence[str], paths: Sequence[str], read: Read
) -> tuple[str, ...] | None:
    """Select by file, and by name where one file is given: another may have the same names.

    Before Node.js 22 a name is compared without the blocks around it.
    """
    if all(map(is_file, tests)):
        return by_files(arguments, tests, paths, read)
    if any(map(is_file, tests)) or len([*_files(arguments, paths)]) != 1:
        return None
    parts = [test.split(" > ") for test in tests]
    names = dict.fromkeys(name for part in parts for name in (" ".join(part), part[-1]))
    place = arguments.index("--test") + 1
    pattern = f"--test-name-pattern={_pattern([*names])}"
    return (*arguments[:place], pattern, *arguments[place:])


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


def may_choose(arguments: tuple[str, ...], tests: Sequence[str], paths: Sequence[str]) -> bool:
    """Whether a runner with these arguments runs each of these files, as far as they tell."""
    specs = [word.removeprefix("./").rstrip("/") for word in _files(arguments, paths)]
    return not specs or all(any(_matches(test, spec) for spec in specs) for test in tests)


def chosen_files(runner: str, arguments: tuple[str, ...], paths: Sequence[str]) -> tuple[str, ...]:
    """Return the files that a runner tests, as far as its name and arguments tell; none for another.

    Args:
        runner: Its name.
        arguments: Those of its command.
        paths: Below the folder where it runs.
    """
    if runner not in _DEFAULT_FILES:
        return ()
    default = GitIgnoreSpec.from_lines(_DEFAULT_FILES[runner])
    named = bool([*_files(arguments, paths)]) and runner not in _CHOOSE_AMONG
    own = [path for path in paths if is_file(path) and "node_modules/" not in path]
    found = [path for path in own if named or default.match_file(path)]
    return tuple(path for path in found if may_choose(arguments, [path], paths))


def _matches(test: str, spec: str) -> bool:
    start, brace, _ = spec.replace("**/", "*").partition("{")
    pattern = f"{start}*" if brace else start
    return test.startswith(f"{spec}/") or fnmatchcase(test, pattern)


def _without_files(arguments: tuple[str, ...], paths: Sequence[str]) -> tuple[str, ...]:
    """Return the arguments without those by which they choose tests."""
    chosen = [*_files(arguments, paths)]
    return tuple(word for word in arguments if word not in chosen)


def _files(arguments: tuple[str, ...], paths: Sequence[str]) -> Iterator[str]:
    """Yield the files, folders and patterns by which arguments choose tests."""
    folders = (str(folder) for path in paths for folder in PurePath(path).parents)
    there = {"", ".", *paths, *folders}
    for option, word in pairwise(("", *arguments)):
        is_path = bool(_GLOB.search(word)) or word.removeprefix("./").rstrip("/") in there
        if is_path and not word.startswith("-") and option not in _TAKE_FILES:
            yield word


def _configured(paths: Sequence[str], read: Read) -> bool:
    """Whether a configuration chooses files, to which those of the command line only add."""
    own = package_json(read).get("mocha")
    files = (read(path) or "" for path in paths if path.startswith(_ADDING))
    return (isinstance(own, dict) and "spec" in own) or any(map(_NAMES_FILES.search, files))


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
