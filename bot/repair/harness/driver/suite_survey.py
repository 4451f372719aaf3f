"""Find out how every test ends, what failing tests run, and which passing tests run it too."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import tokenize
from functools import partial
from typing import Any

from .baseline_run import BAD, RollCall, nearest
from .fork import Child, Send, limit_processor, stalled
from .isolation import TreeState
from .protocol import dotted
from .suite import Outcome, Suite, TestFailure
from .trace import Counter, Files, Noter

_RUN = 500
"""Tests that are run where it is known which ones fail: those, and those nearest to them."""

_COUNTED = 12
"""Failing tests whose lines are counted."""

_ENDLESS = 3
"""Of them, those that do not end."""

_NOTED = 400
"""Passing tests whose lines are noted, nearest to the failing ones first."""

_NOTING = 30.0
"""Seconds of processor time that all of them take when nobody looks."""

_SLOWER = 30
"""How much longer than untraced a test may take whose lines are counted or noted."""

_WALL = 4
"""Wall time that may pass for each second of processor time."""

_HOT = 0.25
"""Seconds after which it is known where a test that never ends spends its time."""

_AGAIN = 0.1
"""Seconds of wall time, at least, before another look at the clock."""

_PARTING = 5.0
"""Seconds of wall time for telling what was counted."""

_TEXT = 2**20
"""Characters of source that are sent along."""


class _TimeUp(BaseException):
    """Leaves a test that does not end."""


class Collector:
    """Collects for one request."""

    def __init__(self, suite: Suite, request: dict[str, Any]) -> None:
        self._suite = suite
        self._root = request["root"]
        self._deadline = time.monotonic() + float(request["seconds"])
        self._aside = frozenset(map(dotted, request["aside"]))
        self._failing = frozenset(map(dotted, request["failing"]))
        self._files = Files(self._root, suite.test_files)
        self._roll = RollCall(suite, self._root, float(request["patience"]))
        self._tests = self._roll.tests
        self._tree = TreeState(self._root)
        self._encodings: dict[str, str] = {}

    def collected(self) -> dict[str, Any]:
        """Return everything as JSON."""
        chosen = self._chosen()
        self._roll.run(chosen, self._deadline)
        writing = self._tree.look()
        self._tree.restore()
        failing = [
            n
            for n, test in self._tests.items()
            if test["outcome"] in BAD and dotted(self._suite.ids[n]) not in self._aside
        ]
        counted = [item for index in self._telling(failing) for item in self._count(index)]
        lines: dict[str, set[int]] = {}
        for item in counted:
            for file, counts in item["lines"].items():
                lines.setdefault(file, set()).update(int(line) for line in counts)
        return {
            "python": ".".join(map(str, sys.version_info[:3])),
            "tests": [self._tests[n] for n in sorted(self._tests)],
            "errors": [
                {"id": name, "error": failure.told(self._root)}
                for name, failure in self._suite.errors.items()
            ],
            "counted": counted,
            "noted": self._note(failing, lines),
            "sources": self._sources(lines),
            "encodings": self._encodings,
            "stateful": self._roll.stateful,
            "writing": writing,
            "missed": len(chosen) - len(self._tests),
        }

    def _chosen(self) -> list[int]:
        """Return the tests to run, in their order: all of them, where nobody knows which ones fail."""
        every = range(len(self._suite.ids))
        failing = {n for n in every if dotted(self._suite.ids[n]) in self._failing}
        near = {self._suite.files[n] for n in failing}
        others = [n for n in every if n not in failing]
        found = bool(failing) and len(failing) >= len(self._failing)
        most = max(0, _RUN - len(failing)) if found else len(others)
        return sorted([*failing, *nearest(self._suite, others, near)[:most]])

    def _telling(self, failing: list[int]) -> list[int]:
        """Return the failing tests whose lines are counted: few, and from as many files as can be.

        Tests that do not end cost most.
        """
        endless = [n for n in failing if self._tests[n]["outcome"] == "hanging"]
        rounds: dict[str, int] = {}
        ranked = []
        for index in failing:
            if index not in endless[_ENDLESS:]:
                file = self._suite.files[index]
                rounds[file] = rounds.get(file, 0) + 1
                ranked.append((rounds[file], index))
        return sorted(index for _, index in sorted(ranked)[:_COUNTED])

    def _count(self, index: int) -> list[dict[str, Any]]:
        """Return what a failing test runs, nothing where that can't be seen.

        One that does not end is stopped when it is hot.
        """
        seconds = self._traced(index)
        wall = 10 + _WALL * seconds + _WALL * self._tests[index]["waited"]
        if self._tests[index]["outcome"] == "hanging":
            seconds, wall = min(seconds, _HOT), _WALL * _HOT
        child = Child(lambda send: self._counts(send, index, seconds, wall), wall + _PARTING)
        values = child.wait(self._deadline + 10)
        self._tree.restore()
        return values[-1:]

    def _traced(self, index: int) -> float:
        """Return how much processor time a test may take while its lines are looked at."""
        return 1 + _SLOWER * float(self._tests[index]["seconds"])

    def _counts(self, send: Send, index: int, seconds: float, wall: float) -> None:
        counter = Counter(self._files)
        caught: list[TestFailure] = []
        began = time.monotonic() - stalled(os.getpid())

        def time_up(number: int, _: Any) -> None:
            left = wall - (time.monotonic() - stalled(os.getpid()) - began)
            if number == signal.SIGALRM and left > 0:  # others had the processors meanwhile
                signal.setitimer(signal.ITIMER_REAL, left + _AGAIN)
                return
            counter.stop()
            raise _TimeUp

        def finished(_: int, outcome: Outcome) -> bool:
            counter.stop()
            if outcome.failure is not None:
                caught.append(outcome.failure)
            return False

        signal.signal(signal.SIGPROF, time_up)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.signal(signal.SIGALRM, time_up)  # one that waits uses no processor
        signal.setitimer(signal.ITIMER_REAL, wall)
        counter.start()
        with contextlib.suppress(BaseException):  # whatever ends it, what was counted is of use
            self._suite.run([index], lambda _: None, finished)
        counter.stop()
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        send(
            {
                "index": index,
                "lines": counter.lines,
                "types": {
                    place: {name: sorted(types) for name, types in variables.items()}
                    for place, variables in counter.types.items()
                },
                "attributes": counter.attributes,
            }
        )

    def _note(self, failing: list[int], lines: dict[str, set[int]]) -> list[Any]:
        """Return which passing tests run the lines that failing ones run."""
        near = {self._suite.files[index] for index in failing}
        passing = [n for n, test in self._tests.items() if test["outcome"] == "passed"]
        left: list[int] = []
        seconds = 0.0
        for index in nearest(self._suite, passing, near)[:_NOTED] if lines else ():
            if seconds + self._tests[index]["seconds"] <= _NOTING:
                seconds += self._tests[index]["seconds"]
                left.append(index)
        noted: list[Any] = []
        while left and time.monotonic() < self._deadline:
            child = Child(
                partial(self._notes, chosen=left, lines=lines),
                2 + _WALL * max(map(self._traced, left)),
            )
            told = child.wait(self._deadline)
            noted += told
            left = left[len(told) + 1 :]  # the next one did not end
        self._tree.restore()
        return noted

    def _notes(self, send: Send, chosen: list[int], lines: dict[str, set[int]]) -> None:
        noter = Noter(self._files, lines)

        def finished(index: int, outcome: Outcome) -> bool:
            del outcome
            send({"index": index, "lines": noter.stop()})
            return True

        def started(index: int) -> None:
            limit_processor(self._traced(index))
            noter.start()

        self._suite.run(chosen, started, finished)

    def _sources(self, lines: dict[str, set[int]]) -> dict[str, str]:
        """Return the files that matter as text, those that failing tests run most of first."""
        wanted = sorted(lines, key=lambda file: -len(lines[file]))
        mentioned = [
            frame[0]
            for told in (
                *(test["error"] for test in self._tests.values()),
                *(failure.told(self._root) for failure in self._suite.errors.values()),
            )
            if told
            for frame in told["frames"]
        ]
        sources: dict[str, str] = {}
        left = _TEXT
        for file in dict.fromkeys([*wanted, *mentioned]):
            read = _read(os.path.join(self._root, file))
            if read is not None and len(read[0]) <= left:
                sources[file], self._encodings[file] = read
                left -= len(read[0])
        return sources


def _read(path: str) -> tuple[str, str] | None:
    """Return a source file's text and its encoding, as Python would read it."""
    try:
        with open(path, "rb") as file:
            encoding, _ = tokenize.detect_encoding(file.readline)
        with open(path, encoding=encoding, newline="") as file:
            return file.read(), encoding
    except (OSError, UnicodeDecodeError, SyntaxError):
        return None
