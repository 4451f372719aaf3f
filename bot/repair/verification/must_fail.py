"""Have tests that passed fail on purpose, and see whether the run says so. Pure.

A test and the code that it tests run in one process, which also writes the report and ends with
the exit status. So code can write both by itself. What it can't know is that a test must fail this
time: each of them raises at its end, however it got there. A run in which they pass is forged.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.model import Observation

MOST_FILES = 5
MOST_CONTROLS = 5
_MOST_BYTES = 2**20
_CASE = re.compile(r"[\[( ].*", re.DOTALL)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Chain = tuple[str, ...]
"""Names of the classes around a function, and its own."""


@dataclass(frozen=True, slots=True)
class Sentinels:
    """Test files in which some tests can't pass.

    Attributes:
        files: Their content, by path.
        doomed: Names of the tests that failed without the patch and must fail now.
        controls: Names of others that passed without the patch and must fail too.
    """

    files: Mapping[str, bytes]
    doomed: frozenset[str]
    controls: frozenset[str]


def name_of(identity: str) -> str:
    """Return a test's dotted name, without its parameters: `tests.test_a.TestX.test_y`."""
    return _CASE.sub("", identity).replace("::", ".")


def doomed_by(red: Observation, green: Observation) -> frozenset[str]:
    """Return the names of the tests that failed without a patch and passed with it.

    A module that could not be loaded stands for all of its tests. A runner that names no passing
    test is believed that those which failed passed.
    """
    failed = {name_of(test) for test in red.failing_ids - {red.command}}
    passed = {name_of(test) for test in green.passed}
    if not passed:
        return frozenset(failed)
    return frozenset(
        name for name in passed if name in failed or any(name.startswith(f"{f}.") for f in failed)
    )


def candidate_files(paths: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """Return the Python files that may hold tests of these names."""
    modules = {module for name in names for module in _prefixes(name)}
    return tuple(
        path
        for path in paths
        if path.endswith(".py") and any(tail in modules for tail in _tails(path))
    )[: MOST_FILES * 4]


def sentinels(
    sources: Mapping[str, bytes], red: Observation, green: Observation
) -> Sentinels | None:
    """Return the test files with tests that can't pass, or None where no test was found.

    Args:
        sources: Of `candidate_files`, by path.
        red: The command without the patch.
        green: The same with it.
    """
    wanted = doomed_by(red, green)
    steady = {name_of(test) for test in red.passed & green.passed} - wanted
    files: dict[str, bytes] = {}
    doomed: set[str] = set()
    controls: set[str] = set()
    for path, source in sources.items():
        broken = _broken(path, source, wanted, steady)
        if broken is None or len(files) == MOST_FILES:
            continue
        files[path] = broken.source
        doomed |= broken.doomed
        controls |= broken.controls
    if not doomed:
        return None
    return Sentinels(files, frozenset(doomed), frozenset(controls))


def forged(planted: Sentinels, seen: Observation) -> tuple[str, ...]:
    """Return the names of the tests that a run claims to have passed although they can't.

    Args:
        planted: What was put into the tree.
        seen: The command's run with it.
    """
    said = {name_of(test) for test in seen.passed} - {name_of(test) for test in seen.failing_ids}
    lies = planted.doomed & said
    if not lies and seen.ok:
        lies = planted.doomed - {name_of(test) for test in seen.skipped}
    return tuple(sorted(lies))


def without_effect(planted: Sentinels, untouched: Observation) -> bool:
    """Whether the raising tests are not what the command runs: they pass without the patch too.

    Args:
        planted: What was put into the tree.
        untouched: The command's run with it, without the patch.
    """
    said = {name_of(test) for test in untouched.passed}
    return bool(planted.controls & said)


@dataclass(frozen=True, slots=True)
class _Broken:
    source: bytes
    doomed: frozenset[str]
    controls: frozenset[str]


def _broken(
    path: str, source: bytes, wanted: Iterable[str], steady: Iterable[str]
) -> _Broken | None:
    """Return a module whose tests of these names raise, or None when it has none of them."""
    if len(source) > _MOST_BYTES:
        return None
    try:
        module = _parsed(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a newer Python, or none
        return None
    tests = dict(_tests(module.body, ()))
    doomed = _found(path, wanted, tests)
    if not doomed:
        return None
    controls = dict(sorted(_found(path, steady, tests).items())[:MOST_CONTROLS])
    for function in {id(one): one for one in (*doomed.values(), *controls.values())}.values():
        _doom(function)
    text = ast.unparse(ast.fix_missing_locations(module))
    return _Broken(text.encode("utf-8"), frozenset(doomed), frozenset(controls))


def _parsed(source: bytes) -> ast.Module:
    """Parse; twice, as two threads that do so at once may disturb each other.

    Python 3.11 has mended that in 3.11.8 (https://github.com/python/cpython/issues/106905).
    """
    try:
        return ast.parse(source)
    except SystemError:
        return ast.parse(source)


def _tests(statements: Sequence[ast.stmt], around: _Chain) -> Iterator[tuple[_Chain, _Function]]:
    """Yield the functions of a module and of its classes."""
    for one in statements:
        match one:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield (*around, one.name), one
            case ast.ClassDef():
                yield from _tests(one.body, (*around, one.name))
            case ast.If() | ast.Try() | ast.With():
                yield from _tests(
                    [s for s in ast.iter_child_nodes(one) if isinstance(s, ast.stmt)], around
                )
            case _:
                pass


def _found(
    path: str, names: Iterable[str], tests: Mapping[_Chain, _Function]
) -> dict[str, _Function]:
    """Return the functions of a file that tests of these names are."""
    found = {}
    for name in names:
        for tail in _tails(path):
            if name.startswith(f"{tail}."):
                chain = tuple(name.removeprefix(f"{tail}.").split("."))
                function = tests.get(chain) or _inherited(chain, tests)
                if function is not None:
                    found[name] = function
                break
    return found


def _inherited(chain: _Chain, tests: Mapping[_Chain, _Function]) -> _Function | None:
    """Return the only test of that name in the file: its class may have it from another one."""
    same = [test for other, test in tests.items() if other[-1] == chain[-1] and len(other) > 1]
    return same[0] if len(same) == 1 and len(chain) > 1 else None


def _doom(function: _Function) -> None:
    """Let a test raise at its end, by whatever way it comes there."""
    start = 1 if ast.get_docstring(function, clean=False) is not None else 0
    body = function.body[start:] or [ast.Pass()]
    end = ast.Raise(exc=ast.Name("AssertionError", ast.Load()))
    function.body[start:] = [ast.Try(body=body, handlers=[], orelse=[], finalbody=[end])]


def _tails(path: str) -> list[str]:
    """Return a file's module as any folder above it may name it, the longest first."""
    parts = path.removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return [".".join(parts[n:]) for n in range(len(parts))]


def _prefixes(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts))]
