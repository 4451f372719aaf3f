"""Find out which mutants of a patched program its tests notice, each in a fork of this process."""

from __future__ import annotations

import os
import time
from functools import partial
from typing import Dict, Sequence

from .fork import Child, Send, limit_processor
from .isolation import TreeState
from .mutants import Cold, Invalid, Module, MutantEdit, Patched, Unchanged
from .protocol import Notice
from .suite import Outcome, Suite

_SLOWER = 10
"""How much more processor time than without a mutant the tests may take."""

_LEAST = 2.0
"""Seconds of processor time that they may take in any case."""

_WALL = 20
"""Wall time that may pass for each second of processor time, on a machine that does much else."""

Told = Dict[str, bool]


def noticed(suite: Suite, root: str, request: Notice) -> Told:
    """Return by number whether tests fail with a mutant; nothing of those that take an import.

    Tests that fail in a fork without any mutant are left out. Where tests write into the work tree,
    nothing is told: they might see each other's files.

    Args:
        suite: What was collected.
        root: Of the work tree.
        request: What is asked.
    """
    deadline = time.monotonic() + float(request.seconds)
    tree = TreeState(root)
    began = time.monotonic()
    everything = Child(partial(_passing, suite, range(len(suite.ids))), deadline - began)
    told = everything.wait(deadline)
    if not told or tree.look():
        tree.restore()
        return {}
    seconds, passing = told[-1]
    passing.sort(key=lambda index: _is_behind(suite.ids[index], request.first))
    limit = max(_LEAST, _SLOWER * seconds)
    modules = {
        file: Module(os.path.join(root, file), text) for file, text in request.sources.items()
    }
    found: Told = {}
    for number, file, start, end, text in request.mutants:
        patched = _patched(modules[file], MutantEdit(start, end, text))
        if patched is None or time.monotonic() > deadline or not passing:
            continue
        child = Child(partial(_survives, suite, passing, patched, limit), limit * _WALL)
        found[str(number)] = child.wait(deadline + limit * _WALL)[-1:] != [True]
    return {} if tree.look() else found


def _patched(module: Module, edit: MutantEdit) -> Patched | None:
    try:
        return module.patched([edit])
    except (Invalid, Unchanged, Cold):
        return None


def _is_behind(identity: str, first: Sequence[str]) -> bool:
    return not any(identity.endswith(item) for item in first)


def _passing(suite: Suite, indices: Sequence[int], send: Send) -> None:
    """Tell how much processor time the tests take, and which of them pass."""
    passed: list[int] = []

    def finished(index: int, outcome: Outcome) -> bool:
        if outcome.outcome == "passed":
            passed.append(index)
        return True

    began = time.process_time()
    suite.run(list(indices), lambda _: None, finished)
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
