"""Find out which mutants of a patched program its tests notice, each in a fork of this process."""

from __future__ import annotations

import os
import time
from functools import partial
from typing import Any, Sequence

from .fork import Child, Send, limit_processor
from .isolation import TreeState
from .mutants import Cold, Invalid, Module, MutantEdit, Patched, Unchanged
from .protocol import Notice
from .suite import Outcome, Suite
from .trace import Files, Noter

_SLOWER = 10
"""How much more processor time than without a mutant the tests may take."""

_LEAST = 2.0
"""Seconds of processor time that they may take in any case."""

_WALL = 20
"""Wall time that may pass for each second of processor time, on a machine that does much else."""

_BRIEF = 1.0
"""Seconds of processor time of a suite that is run as a whole for what a part of it does not notice:
what a fixture ran for one test may decide on another."""


class _Places:
    """Which lines of interest the tests run."""

    def __init__(self) -> None:
        self.wanted: dict[str, set[int]] = {}
        self.ran: dict[int, set[tuple[str, int]]] = {}

    def tests_of(self, file: str, lines: range, passing: list[int]) -> list[int]:
        """Return the tests that run one of some lines, in their order."""
        places = {(file, line) for line in lines}
        return [index for index in passing if places & self.ran.get(index, set())]


def noticed(suite: Suite, root: str, request: Notice) -> dict[str, Any]:
    """Return by number whether tests fail with a mutant, and which of the lines in question they run.

    Nothing is told of mutants that take an import. Tests that fail in a fork without any mutant are
    left out. Where tests write into the work tree, nothing is told: they might see each other's files.

    Args:
        suite: What was collected.
        root: Of the work tree.
        request: What is asked.
    """
    deadline = time.monotonic() + float(request.seconds)
    tree, places = TreeState(root), _Places()
    places.wanted = {file: set(lines) for file, lines in request.lines.items()}
    modules = {
        file: Module(os.path.join(root, file), text) for file, text in request.sources.items()
    }
    edits = []
    for number, file, start, end, text in request.mutants:
        edit = MutantEdit(start, end, text)
        try:
            first, last = modules[file].extent(edit)
        except Cold:
            continue
        places.wanted.setdefault(file, set()).update(range(first, last + 1))
        edits.append((number, file, edit, range(first, last + 1)))
    noter = Noter(Files(root, suite.test_files), places.wanted)
    everything = Child(
        partial(_passing, suite, range(len(suite.ids)), noter), deadline - time.monotonic()
    )
    told = everything.wait(deadline)
    if not told or tree.look():
        tree.restore()
        return {"noticed": {}}
    seconds, outcomes = told[-1]
    passing = [index for index, _ in outcomes]
    passing.sort(key=lambda index: _is_behind(suite.ids[index], request.first))
    places.ran = {index: {(file, line) for file, line in lines} for index, lines in outcomes}
    limit = max(_LEAST, _SLOWER * seconds)
    found: dict[str, bool] = {}
    for number, file, edit, lines in edits:
        patched = _patched(modules[file], edit)
        if patched is None or time.monotonic() > deadline or not passing:
            continue
        near = places.tests_of(file, lines, passing)
        chosen = [*near, *(index for index in passing if index not in set(near))]
        chosen = chosen if seconds <= _BRIEF else near
        child = Child(partial(_survives, suite, chosen, patched, limit), limit * _WALL)
        found[str(number)] = child.wait(deadline + limit * _WALL)[-1:] != [True]
    ran = sorted({place for places_ in places.ran.values() for place in places_})
    return {"noticed": {} if tree.look() else found, "ran": ran}


def _patched(module: Module, edit: MutantEdit) -> Patched | None:
    try:
        return module.patched([edit])
    except (Invalid, Unchanged, Cold):
        return None


def _is_behind(identity: str, first: Sequence[str]) -> bool:
    return not any(identity.endswith(item) for item in first)


def _passing(suite: Suite, indices: Sequence[int], noter: Noter, send: Send) -> None:
    """Tell how much processor time the tests take, and which of them pass by running which lines."""
    passed: list[Any] = []

    def finished(index: int, outcome: Outcome) -> bool:
        lines = noter.stop()
        if outcome.outcome == "passed":
            passed.append([index, lines])
        return True

    began = time.process_time()
    suite.run(list(indices), lambda _: noter.start(), finished)
    send([time.process_time() - began, passed])


def _survives(
    suite: Suite, indices: Sequence[int], patched: Patched, limit: float, send: Send
) -> None:
    """Tell whether all tests pass with a mutant; a process that ends before has noticed it."""
    ended: list[bool] = []

    def finished(_: int, outcome: Outcome) -> bool:
        ended.append(outcome.outcome == "passed")
        return ended[-1]

    patched.apply()
    limit_processor(limit)
    suite.run(list(indices), lambda _: None, finished)
    limit_processor(None)
    send(len(ended) == len(indices) and all(ended))
