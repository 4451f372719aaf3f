"""Find the functions that tests of some names are. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bot.repair.verification.forgery.repeated_failure import Function

MOST_FILES = 5
_CASE = re.compile(r"[\[( ].*", re.DOTALL)
_Chain = tuple[str, ...]
"""Names of the classes around a function, and its own."""


def name_of(identity: str) -> str:
    """Return a test's dotted name, without its parameters: `tests.test_a.TestX.test_y`."""
    return _CASE.sub("", identity).replace("::", ".")


def candidate_files(paths: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """Return the Python files that may hold tests of these names."""
    modules = {module for name in names for module in _prefixes(name)}
    return tuple(
        path
        for path in paths
        if path.endswith(".py") and any(tail in modules for tail in _tails(path))
    )[: MOST_FILES * 4]


def functions_of(path: str, module: ast.Module, names: Iterable[str]) -> dict[str, Function]:
    """Return the functions of a file that tests of these names are."""
    tests = dict(_tests(module.body, ()))
    classes = {node.name: node for node in ast.walk(module) if isinstance(node, ast.ClassDef)}
    found = {}
    for name in names:
        for tail in _tails(path):
            if name.startswith(f"{tail}."):
                chain = tuple(name.removeprefix(f"{tail}.").split("."))
                function = tests.get(chain) or _inherited(chain, tests, classes)
                if function is not None:
                    found[name] = function
                break
    return found


def _tests(statements: Sequence[ast.stmt], around: _Chain) -> Iterator[tuple[_Chain, Function]]:
    """Yield the functions of a module and of its classes."""
    for statement in statements:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield (*around, statement.name), statement
            case ast.ClassDef():
                yield from _tests(statement.body, (*around, statement.name))
            case ast.If() | ast.Try() | ast.With():
                yield from _tests(
                    [s for s in ast.iter_child_nodes(statement) if isinstance(s, ast.stmt)], around
                )
            case _:
                pass


def _inherited(
    chain: _Chain, tests: Mapping[_Chain, Function], classes: Mapping[str, ast.ClassDef]
) -> Function | None:
    """Return the test that a class has from another one of the file."""
    waiting, seen = [*chain[-2:-1]], set[str]()
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        own = (test for other, test in tests.items() if other[-2:] == (name, chain[-1]))
        if (test := next(own, None)) is not None:
            return test
        if name in classes:
            waiting += [ast.unparse(base).rpartition(".")[2] for base in classes[name].bases]
    return None


def _tails(path: str) -> list[str]:
    """Return a file's module as any folder above it may name it, the longest first."""
    parts = path.removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return [".".join(parts[n:]) for n in range(len(parts))]


def _prefixes(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts))]
