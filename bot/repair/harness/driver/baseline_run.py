"""Run every test once, each within its own time, in as few children as possible."""

from __future__ import annotations

import os
import time
from functools import partial
from typing import Any, Sequence

from .fork import Child, Send, limit_processor
from .isolation import memory
from .suite import Outcome, Suite, Took
from .trace import Noter

BAD = frozenset({"failed", "hanging", "crashed"})
"""Outcomes that a repair has to change."""

_SLOWER = 30
"""How much longer than its slowest neighbour a test may take, once one of them has not ended."""

_WALL = 4
"""Wall time that may pass for each second of processor time."""

_LEAST = 0.5
"""Seconds of processor time that every test may take."""


def nearest(suite: Suite, chosen: Sequence[int], near: set[str]) -> list[int]:
    """Return tests of these files first, then those of files beside them, then others."""
    folders = {os.path.dirname(file) for file in near}

    def distance(index: int) -> int:
        file = suite.files[index]
        return 0 if file in near else 1 if os.path.dirname(file) in folders else 2

    return sorted(chosen, key=distance)


class RollCall:
    """Runs the tests of a suite.

    Attributes:
        tests: By index, how each test ended that was come to in time.
        lines: By index, the lines of interest that a test ran; only where a noter is given.
        stateful: Whether tests leave something behind in the modules of the project.
        patience: Seconds of processor time after which a test counts as hanging.
    """

    def __init__(
        self, suite: Suite, root: str, patience: float, noter: Noter | None = None
    ) -> None:
        self.tests: dict[int, dict[str, Any]] = {}
        self.lines: dict[int, list[Any]] = {}
        self.stateful = False
        self.patience = patience
        self._suite = suite
        self._root = root
        self._noter = noter

    def run(self, chosen: Sequence[int], deadline: float) -> None:
        """Run these tests in their order, as far as the time reaches."""
        left = list(chosen)
        while left and time.monotonic() < deadline:
            running = left[0]
            child = Child(partial(self._outcomes, chosen=left), 2 + _WALL * self.patience)
            for value in child.wait(deadline):
                if "started" in value:
                    running = value["started"]
                elif "stateful" in value:
                    self.stateful = self.stateful or value["stateful"]
                else:
                    self.lines[value["index"]] = value.pop("lines")
                    self.tests[value["index"]] = value
            if child.killed or running not in self.tests:
                how = "hanging" if child.killed else "crashed"
                self.tests[running] = self._described(running, Outcome(how, Took(self.patience)))
            if child.killed:
                self.patience = min(self.patience, self._less_patience())
            left = [index for index in left[left.index(running) + 1 :] if index not in self.tests]

    def _less_patience(self) -> float:
        """Return how long to wait where one test has not ended: its neighbours may not either."""
        ended = [test["seconds"] for test in self.tests.values() if test["outcome"] == "passed"]
        return max(_LEAST, _SLOWER * max(ended, default=0.0))

    def _outcomes(self, send: Send, chosen: Sequence[int]) -> None:
        def finished(index: int, outcome: Outcome) -> bool:
            lines = self._noter.stop() if self._noter is not None else []
            send({**self._described(index, outcome), "lines": lines})
            return True

        def started(index: int) -> None:
            limit_processor(self.patience)
            send({"started": index})
            if self._noter is not None:
                self._noter.start()

        tests = self._suite.test_files
        before = memory(self._root, tests)
        self._suite.run(chosen, started, finished)
        limit_processor(None)
        send({"stateful": memory(self._root, tests) != before})

    def _described(self, index: int, outcome: Outcome) -> dict[str, Any]:
        return {
            "index": index,
            "id": self._suite.ids[index],
            "file": self._suite.files[index],
            "outcome": outcome.outcome,
            "seconds": round(outcome.took.seconds, 6),
            "waited": round(outcome.took.waited, 6),
            "error": outcome.failure.told(self._root) if outcome.failure else None,
        }
