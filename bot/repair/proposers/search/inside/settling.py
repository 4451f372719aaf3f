"""Vary the inputs of failing tests with and without a patch, in one sandbox, conditions settled or not.

The patched tree lies there. A process beside this one loads the changed modules as they were. Both
vary what stands in the tests; then they tell each other what came out of the calls from outside
into the changed functions, and vary those that the patch makes different.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import time
from functools import partial
from typing import Any, Callable, Dict, List, Tuple

from .children import Allowance, Child, Send, limit_processor, patience
from .conditions import Conditions
from .crossings import Explorer, OwnCalls
from .levels import CallsByLevel
from .live import load_changed
from .opening import open_suite
from .perturbing import ChosenTest, Perturber
from .suite import Suite
from .tracing import Files

_LEVELS = 3
"""Which calls count: those of changed functions, of changed files, of the project."""

_TESTS = 3
"""Tests whose calls are varied."""

_CALLS = 2
"""Calls of each that are varied: the first that the patch makes different."""

_FOR_TESTS = 0.4
"""Share of the time that varies what stands in tests; the rest varies calls."""

_PROCESSOR = 3.0
_SILENCE = 10.0
"""Seconds of processor time, and of wall time, that a test may take."""

_GRACE = 20.0
"""Seconds that the other tree may need longer, to load its tests."""

_FUNCTION = 0x1
"""Flag of code that is a function's, and not a class's or module's."""

Answer = Dict[str, Any]
Wanted = Dict[str, List[Tuple[int, str]]]
"""By test, which of its calls are varied: how far in they lie, and what they are called."""


def settle(request: dict[str, Any], leave: Callable[[Answer], None]) -> None:
    """Leave what the tests, and calls of theirs, show on both trees, conditions settled or not.

    Args:
        request: With `before`, the texts of the changed modules without the patch, and `functions`,
            the changed functions of each tree: file, line, name.
        leave: Takes it, and ends the process.
    """
    conditions = Conditions()
    conditions.offer()
    mine, theirs = socket.socketpair()
    if os.fork():
        theirs.close()
        open_suite(
            request, lambda suite: leave(_Side(suite, request, "after", conditions).compared(mine))
        )
        return
    try:
        mine.close()
        for path, text in request["before"].items():
            load_changed(os.path.join(request["root"], path), text)
        open_suite(request, lambda suite: _Side(suite, request, "before", conditions).serve(theirs))
    finally:
        os._exit(0)


class _Side:
    """The tests on one of the two trees."""

    def __init__(
        self, suite: Suite, request: dict[str, Any], name: str, conditions: Conditions
    ) -> None:
        self._perturber = Perturber(suite, request, conditions)
        self._conditions = conditions
        self._files = Files(request["root"], suite.test_files)
        self._functions = {(one[0], one[1], one[2]) for one in request["functions"][name]}
        self._changed = set(request["changed"])
        self._seed = request["seed"]
        self._seconds = float(request["seconds"])

    def compared(self, line: socket.socket) -> Answer:
        """Return what both trees show; the other one is at the end of the line."""
        other = _Line(line)
        tests, calls = self._tests(), self._calls()
        before = other.heard(self._seconds * patience() + _GRACE) or {"tests": {}, "calls": {}}
        different = _different(before["calls"], calls)
        other.say({"wanted": different})
        explored = self._explored(different)
        old = other.heard(self._seconds * patience() + _GRACE) or {"calls": {}}
        return {
            "before": {**before["tests"], **old["calls"]},
            "after": {**tests, **explored},
            "calls": sorted(explored),
        }

    def serve(self, line: socket.socket) -> None:
        """Tell the other tree what this one shows."""
        other = _Line(line)
        other.say({"tests": self._tests(), "calls": self._calls()})
        asked = other.heard(self._seconds * patience() + _GRACE)
        if asked is not None:
            other.say({"calls": self._explored(asked["wanted"])})

    def _tests(self) -> Answer:
        return self._perturber.settled(self._seconds * _FOR_TESTS)

    def _calls(self) -> dict[str, list[dict[str, str]]]:
        """Return what came out of each call, by test and level; not of those that differ twice."""
        told = {}
        for test in self._perturber.chosen()[:_TESTS]:
            told[test.name] = [
                {name: one for name, one in first.items() if second.get(name) == one}
                for first, second in zip(self._own(test), self._own(test))
            ]
        return told

    def _own(self, test: ChosenTest) -> list[dict[str, str]]:
        def work(send: Send) -> None:
            levels = [OwnCalls(partial(self._is_inside, level=one)) for one in range(_LEVELS)]
            calls = CallsByLevel(levels)
            self._run(test, calls)
            send(calls.outputs)

        told = Child(work, _SILENCE).wait(time.monotonic() + _SILENCE)
        return told[-1] if told else []

    def _run(self, test: ChosenTest, calls: Any) -> None:
        limit_processor(_PROCESSOR)
        calls.start()
        try:
            self._perturber.as_it_is(test)
        finally:
            calls.stop()
            limit_processor(None)

    def _explored(self, wanted: Wanted) -> Answer:
        """Return what the variants of calls show, by test, level and number."""
        told: Answer = {}
        whole, left = Allowance(self._seconds * (1 - _FOR_TESTS)), sum(map(len, wanted.values()))
        for test in self._perturber.chosen()[:_TESTS]:
            for level, call in wanted.get(test.name, ()):
                name = f"{test.name} call {level}.{call}"
                told[name] = self._variants(test, level, call, whole.left / left)
                left -= 1
        return told

    def _variants(self, test: ChosenTest, level: int, call: str, seconds: float) -> list[Any]:
        def work(send: Send) -> None:
            explorer = Explorer(
                partial(self._is_inside, level=level),
                call,
                self._conditions,
                send,
                seed=f"{self._seed}",
                allowance=Allowance(seconds),
            )
            self._run(test, explorer)
            explorer.finish()

        wait = max(0.0, seconds) * patience() + _SILENCE
        told = Child(work, wait).wait(time.monotonic() + wait)
        return told[-1] if told else []

    def _is_inside(self, code: Any, level: int) -> bool:
        name = self._files.name(code.co_filename)
        if name is None or not code.co_flags & _FUNCTION:
            return False
        if level == 0:
            return (name, code.co_firstlineno, code.co_name) in self._functions
        return level > 1 or name in self._changed


def _different(before: Any, after: Any) -> Wanted:
    """Return by test which calls come out differently: level and name."""
    wanted: Wanted = {}
    for test, levels in after.items():
        for level, (old, new) in enumerate(zip(before.get(test, ()), levels)):
            calls = [name for name, now in new.items() if now and old.get(name, now) != now]
            if calls:
                wanted[test] = [(level, name) for name in calls[:_CALLS]]
                break
    return wanted


class _Line:
    """A line to the process with the other tree."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._rest = b""

    def say(self, value: Any) -> None:
        """Send a value; nobody may listen any more."""
        with contextlib.suppress(OSError):
            self._end.sendall(json.dumps(value).encode() + b"\n")

    def heard(self, seconds: float) -> Any:
        """Return the next value, None where none comes in time."""
        until = time.monotonic() + seconds
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._end], [], [], max(0.0, until - time.monotonic()))
            piece = self._end.recv(2**20) if ready else b""
            if not piece:
                return None
            self._rest += piece
        value, _, self._rest = self._rest.partition(b"\n")
        return json.loads(value)
