"""Files that hold the tests which failed, whatever they are called. Pure.

A project may call its tests as it likes (`python_files = check_*.py`), so names do not tell. What
ran does: a file of Python that defines a failing test, and that imports other modules of the
project, holds tests of these. A program that brings its own tests imports nothing of the project;
it may be what is to be repaired.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from bot.code.files import is_test_file

_CASE = re.compile(r"[\[(].*", re.DOTALL)
_SPECIAL = re.compile(r"([\\*?\[\]!# ])")


def places(tests: Iterable[str], paths: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the files of Python in which tests may be defined, with the names of these.

    Args:
        tests: Ids such as `checks.check_a.TestX::test_y[1]` and `checks.check_a.TestX.test_y`.
        paths: Of the work tree.
    """
    known = {path for path in paths if path.endswith(".py") and not is_test_file(path)}
    found: dict[str, frozenset[str]] = {}
    for test in tests:
        module, marked, name = _CASE.sub("", test).rpartition("::")
        if marked and "." in name:  # an example in documentation
            continue
        parts = f"{module}.{name}".strip(".").split(".")
        if path := _file(parts[:-1], known):
            found[path] = found.get(path, frozenset()) | {parts[-1]}
    return found


def _file(parts: list[str], known: set[str]) -> str | None:
    """Return the file of the longest front of a dotted name; a runner may leave out folders."""
    for count in range(len(parts), 0, -1):
        end = f"{'/'.join(parts[:count])}.py"
        matches = [path for path in known if path == end or path.endswith(f"/{end}")]
        if matches:
            return matches[0] if len(matches) == 1 else None
    return None


def files_with_tests(
    files: Mapping[str, bytes], defined: Mapping[str, frozenset[str]], paths: Sequence[str]
) -> tuple[str, ...]:
    """Return the files that define their failing tests and import other modules of the project.

    Args:
        files: Their content on the untouched tree.
        defined: The names of the tests in each, as `places` returns them.
        paths: Of the work tree.
    """
    modules = {part for path in paths if path.endswith(".py") for part in _top(path)}
    return tuple(
        sorted(
            path
            for path, data in files.items()
            if _tests_others(data, defined[path], modules - {PurePosixPath(path).stem})
        )
    )


def _top(path: str) -> tuple[str, ...]:
    """Return by what names a file's module may be imported from the roots that projects have."""
    parts = PurePosixPath(path).with_suffix("").parts
    return parts[:2] if parts[0] in {"src", "lib"} else (parts[0], parts[-1])


def _tests_others(data: bytes, names: frozenset[str], modules: set[str]) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    defined = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    return names <= defined and not modules.isdisjoint(_imported(tree))


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                yield from (alias.name.partition(".")[0] for alias in aliases)
            case ast.ImportFrom(module=module, level=0):
                yield (module or "").partition(".")[0]
            case ast.ImportFrom(module=module, names=aliases):
                yield from ((module or alias.name).partition(".")[0] for alias in aliases)
            case _:
                pass


def exactly(path: str) -> str:
    """Return the glob in the syntax of `.gitignore` that matches one path."""
    return "/" + _SPECIAL.sub(r"\\\1", path)
