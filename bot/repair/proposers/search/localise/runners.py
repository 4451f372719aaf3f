"""Which code of a project runs its tests: that of a test runner, or of a part of one.

It runs other lines when a test fails, whatever the fault is; and an edit there can keep the runner
from seeing failures.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.guards import is_test_file
from bot.repair.proposers.search.evidence import Error, Evidence, Frame

Place = tuple[str, int]
"""A file and a line of it."""


def running(evidence: Evidence) -> frozenset[Place]:
    """Return the lines of the functions that call tests, and that no test calls where it fails."""
    around: set[Frame] = set()
    called: set[tuple[str, str]] = set()
    for error in evidence.errors:
        first = _first_of_test(error)
        around |= set(error.frames[:first])
        called |= {(one.file, one.function) for one in error.frames[first:]}
    callers = {one for one in around if (one.file, one.function) not in called}
    return frozenset(place for one in callers for place in _function(evidence, one))


def _first_of_test(error: Error) -> int:
    """Return which frame is the first one of a test, 0 where none is."""
    files = [one.file for one in error.frames]
    return next((n for n, file in enumerate(files) if is_test_file(file)), 0)


def _function(evidence: Evidence, frame: Frame) -> Iterator[Place]:
    """Yield the lines of the function that a frame is in."""
    try:
        tree = ast.parse(evidence.sources.get(frame.file, ""))
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == frame.function:
            last = node.end_lineno or node.lineno
            if node.lineno <= frame.line <= last:
                yield from ((frame.file, line) for line in range(node.lineno, last + 1))
