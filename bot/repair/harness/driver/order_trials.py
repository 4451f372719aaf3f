"""Run tests in a given order, each order in a child of its own on the work tree as it was."""

from __future__ import annotations

import random
import sys
import time
from functools import partial
from typing import Any, Callable, NamedTuple, Sequence

from .fork import Child, Send
from .isolation import TreeState
from .suite import Outcome, Suite

SILENT = 60.0
"""Seconds of wall time that a test may take."""


class TestEnd(NamedTuple):
    """How a test ended in an order.

    Attributes:
        test: Its index.
        outcome: `passed`, `failed`, `skipped`, or `died` where its process ended with it.
        failure: Type, message and frames; None unless it failed.
    """

    test: int
    outcome: str
    failure: dict[str, Any] | None

    @property
    def passed(self) -> bool:
        """Whether it passed."""
        return self.outcome == "passed"

    @property
    def failed(self) -> bool:
        """Whether it did not, and was not skipped."""
        return self.outcome in {"failed", "died"}


Hook = Callable[[int], None]
"""Told the place of each test of an order before it begins."""


class OrderTrials:
    """Runs orders of a suite's tests.

    Attributes:
        executions: Tests that were run so far.
        orders: Orders that were run so far.
    """

    def __init__(
        self, suite: Suite, root: str, seconds: float, outside: Sequence[str] = ()
    ) -> None:
        self.executions = 0
        self.orders = 0
        self.suite = suite
        self.root = root
        self.tree = TreeState(root, outside)
        self._deadline = time.monotonic() + seconds

    @property
    def late(self) -> bool:
        """Whether no other order is to be begun."""
        return time.monotonic() > self._deadline

    def run(self, order: Sequence[int], seed: int = 0) -> list[TestEnd]:
        """Return how the tests ended, as far as they were come to."""
        results, _ = self.run_telling(order, seed)
        return results

    def last(
        self, order: Sequence[int], seed: int = 0, hook: Callable[[Send], Hook] | None = None
    ) -> TestEnd:
        """Return how the last test of an order ended; one that was not come to has died."""
        results, _ = self.run_telling(order, seed, hook)
        reached = len(results) == len(order)
        return results[-1] if reached else TestEnd(order[-1], "died", None)

    def rerun(self, index: int) -> tuple[TestEnd | None, list[str]]:
        """Return how a test ends in a process of its own after one on the same files, and which those are.

        Nothing where the first leaves no files behind.
        """
        self.run_telling([index], leaves=True)
        left = self.tree.different()
        return (self.last([index]) if left else None), left

    def run_telling(
        self,
        order: Sequence[int],
        seed: int = 0,
        hook: Callable[[Send], Hook] | None = None,
        *,
        leaves: bool = False,
    ) -> tuple[list[TestEnd], list[Any]]:
        """Return how the tests ended, and what the hook told besides.

        Args:
            order: Indexes of the tests; one may come again.
            seed: Of the random numbers.
            hook: Made in the child; it is told the place of each test before that begins.
            leaves: Whether the files stay as the tests leave them.
        """
        child = Child(partial(self._act, order=order, seed=seed, hook=hook), SILENT)
        values = child.wait(self._deadline + SILENT)
        if not leaves:
            self.tree.restore()
        results = [TestEnd(*value["result"]) for value in values if "result" in value]
        self.executions += len(results)
        self.orders += 1
        if len(results) < len(order):
            results.append(TestEnd(order[len(results)], "died", None))
        return results, [value["told"] for value in values if "told" in value]

    def _act(
        self, send: Send, order: Sequence[int], seed: int, hook: Callable[[Send], Hook] | None
    ) -> None:
        place = -1
        _reseed(seed)
        tell = hook(lambda value: send({"told": value})) if hook is not None else None

        def started(index: int) -> None:
            nonlocal place
            del index
            place += 1
            if tell is not None:
                tell(place)

        def finished(index: int, outcome: Outcome) -> bool:
            failure = outcome.failure.told(self.root) if outcome.failure else None
            send({"result": [index, outcome.outcome, failure]})
            return True

        self.suite.run(order, started, finished)


def _reseed(seed: int) -> None:
    """Let the random numbers of this process begin with a seed: forks would all have the same."""
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "random"):
        numpy.random.seed(seed % 2**32)
