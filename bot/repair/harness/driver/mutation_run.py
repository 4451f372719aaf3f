"""Find out which mutants of a patched program its tests notice, each in a fork of this process."""

from __future__ import annotations

import os
import time
from functools import partial
from typing import Any, Sequence

from .fork import Child, CpuBudget, Send, limit_processor
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


_TO_LOOK = 0.5
"""Share of the time in which the tests run without a mutant: those that look at the patch first."""


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
    Where the time is short for all tests, only what those notice that ran is told.

    Args:
        suite: What was collected.
        root: Of the work tree.
        request: What is asked.
    """
    budget, tree, places = CpuBudget(float(request.seconds)), TreeState(root), _Places()
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
    order = sorted(range(len(suite.ids)), key=lambda n: _is_behind(suite.ids[n], request.first))
    look = _TO_LOOK * budget.left
    everything = Child(partial(_passing, suite, order, noter, root, look), budget.wall)
    told = everything.wait(time.monotonic() + _TO_LOOK * budget.wall)
    if not told or tree.look():
        tree.restore()
        return {"noticed": {}}
    complete = told[-1] is None
    outcomes = told[:-1] if complete else told
    passing = [index for index, _, _ in outcomes]
    seconds = sum(spent for _, spent, _ in outcomes)
    places.ran = {index: {(file, line) for file, line in lines} for index, _, lines in outcomes}
    limit = max(_LEAST, _SLOWER * seconds)
    found: dict[str, bool] = {}
    for number, file, edit, lines in edits:
        patched = _patched(modules[file], edit)
        if patched is None or budget.over or not passing:
            continue
        near = places.tests_of(file, lines, passing)
        chosen = [*near, *(index for index in passing if index not in set(near))]
        chosen = chosen if complete and seconds <= _BRIEF else near
        child = Child(partial(_survives, suite, chosen, patched, limit), limit * _WALL)
        is_noticed = child.wait(time.monotonic() + budget.wall + limit * _WALL)[-1:] != [True]
        if is_noticed or complete:
            found[str(number)] = is_noticed
    ran = sorted({place for places_ in places.ran.values() for place in places_})
    return {"noticed": {} if tree.look() else found, "ran": ran if complete else None}


def _patched(module: Module, edit: MutantEdit) -> Patched | None:
    try:
        return module.patched([edit])
    except (Invalid, Unchanged, Cold):
        return None


def _is_behind(identity: str, first: Sequence[str]) -> bool:
    return not any(identity.endswith(item) for item in first)


def _passing(
    suite: Suite, indices: Sequence[int], noter: Noter, root: str, limit: float, send: Send
) -> None:
    """Tell of each test that passes its processor time and which lines it ran; at the end None."""
    began = time.process_time()
    limit_processor(limit)
    noter.listen(root)

    def started(_: int) -> None:
        nonlocal began
        began = time.process_time()
        noter.start()

    def finished(index: int, outcome: Outcome) -> bool:
        lines = noter.stop()
        if outcome.outcome == "passed":
            send([index, time.process_time() - began, lines])
        return True

    suite.run(list(indices), started, finished)
    limit_processor(None)
    send(None)


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
