"""Find tests whose outcome depends on which tests ran before them, and on which."""

from __future__ import annotations

import random
from typing import Any, NamedTuple, Sequence

from .deciding_state import DecidingState
from .delta_debugging import smallest
from .fork import Send
from .left_behind import ProcessState
from .order_trials import Hook, OrderTrials, TestEnd
from .protocol import Depend, dotted
from .suite import Suite

_CONFIRMED = 3
"""Runs that have to end the same way before a dependence is told."""

_FEW = 3
"""Tests that are asked about: for so many, the whole suite need not run behind them."""

_SURVEYED = 400
"""Tests of a suite after each of which it is looked at what they leave behind."""

_ALSO = 30
"""Tests of which it is told whether they do the same: those that leave something, and those beside it."""

_PAIRS = 400
"""Tests each of which runs before one that no order decides."""

_SEEDS = 5
"""Runs with the same random numbers, which have to end the same way."""

_MORE = 20
"""Runs of a test alone that both passes and fails."""


class Order(NamedTuple):
    """An order in which the tests ran.

    Attributes:
        name: `whole`, `reversed`, or `shuffled` and its seed.
        places: Indexes of the tests, in it.
        results: How they ended, by index.
    """

    name: str
    places: list[int]
    results: dict[int, TestEnd]

    def before(self, index: int) -> list[int]:
        """Return the tests that ran before one."""
        return self.places[: self.places.index(index)]


class OrderDependence:
    """Looks at the tests of one request."""

    def __init__(self, suite: Suite, root: str, asked: Depend) -> None:
        self._suite = suite
        self._asked = asked
        self._trials = OrderTrials(suite, root, asked.seconds, asked.outside)
        ProcessState(root, self._trials.tree)  # the children begin with the paths that it resolves
        wanted = frozenset(map(dotted, asked.tests))
        ids = enumerate(suite.ids)
        self._chosen = [n for n, name in ids if not wanted or dotted(name) in wanted]
        self._leaving: set[int] = set()
        self._orders: list[Order] = []

    def found(self) -> dict[str, Any]:
        """Return everything as JSON."""
        alone = {index: self._alone(index) for index in self._chosen}
        if self._chosen:
            self._run_orders(alone)
        told = [self._told(index, alone[index]) for index in self._chosen]
        return {
            "size": len(self._suite.ids),
            "errors": [
                {"id": name, "error": failure.told(self._trials.root)}
                for name, failure in self._suite.errors.items()
            ],
            "tests": told,
            "orders": [order.name for order in self._orders],
            "options": self._suite.options,
            "executions": self._trials.executions,
            "cut": self._trials.late,
        }

    def _alone(self, index: int) -> list[TestEnd]:
        results: list[TestEnd] = []
        for seed in range(self._asked.runs):
            if self._trials.late and results:
                break
            results.append(self._trials.last([index], seed))
            if not self._asked.orders and len({result.passed for result in results}) > 1:
                break  # a change with which a test both fails and passes decides nothing
        if self._asked.orders and len({result.passed for result in results}) > 1:
            results += [self._trials.last([index], seed) for seed in range(len(results), _MORE)]
        return results

    def _run_orders(self, alone: dict[int, list[TestEnd]]) -> None:
        every = list(range(len(self._suite.ids)))
        plans: list[tuple[str, list[int]]] = [("whole", every), ("reversed", every[::-1])]
        for seed in range(self._asked.orders - len(plans)):
            mixed = list(every)
            random.Random(seed).shuffle(mixed)  # noqa: S311 - no secret hangs on it
            plans.append((f"shuffled {seed}", mixed))
        for name, order in plans[: self._asked.orders]:
            open_ = [n for n in self._chosen if not self._decided(n, alone[n])]
            if self._trials.late or not (open_ or not self._asked.runs):
                break
            if open_ and len(self._chosen) <= _FEW:
                order = order[: 1 + max(map(order.index, open_))]  # noqa: PLW2901 - what comes later can't matter
            looks = name == "whole" and len(order) <= _SURVEYED
            results, told = self._trials.run_telling(order, hook=self._surveying if looks else None)
            self._leaving.update(order[place] for place in told)
            self._orders.append(Order(name, order, {result.test: result for result in results}))

    def _surveying(self, send: Send) -> Hook:
        """Return what tells the places of tests that leave something behind."""
        states = [ProcessState(self._trials.root, self._trials.tree)]

        def begin(place: int) -> None:
            now = ProcessState(self._trials.root, self._trials.tree)
            if place and states[-1].changes(now):
                send(place - 1)
            states[-1] = now

        return begin

    def _decided(self, index: int, alone: Sequence[TestEnd]) -> bool:
        """Whether an order made a test end otherwise than alone; of all tests, every order is seen."""
        if len(self._chosen) > _FEW or len({result.passed for result in alone}) != 1:
            return False
        return self._deciding_order(index, alone) is not None

    def _deciding_order(self, index: int, alone: Sequence[TestEnd]) -> Order | None:
        for order in self._orders:
            result = order.results.get(index)
            if result is not None and order.before(index) and _differs(alone[0], result):
                return order
        return None

    def _told(self, index: int, alone: list[TestEnd]) -> dict[str, Any]:
        failure = next((result.failure for result in alone if result.failed), None)
        failed = sum(result.failed for result in alone)
        told: dict[str, Any] = {
            "id": self._suite.ids[index],
            "file": self._suite.files[index],
            "alone": [failed, len(alone)],
            "skipped": bool(alone) and all(result.outcome == "skipped" for result in alone),
            "failure": failure,
            "orders": {
                order.name: order.results[index].outcome
                for order in self._orders
                if index in order.results
            },
            "found": [],
        }
        if self._trials.late or told["skipped"] or not self._asked.orders or not alone:
            return told
        if 0 < failed < len(alone):
            told["found"] = self._by_seed(index, alone)
            return told
        order = self._deciding_order(index, alone)
        if order is not None:
            told["found"] += self._by_order(index, order, "failed" if failed else "passed")
        if not failed:
            told["found"] += self._by_itself(index)
        if not told["found"] and len(self._chosen) <= _FEW:
            told["found"] = self._by_pairs(index, "failed" if failed else "passed")
        return told

    def _by_seed(self, index: int, alone: Sequence[TestEnd]) -> list[dict[str, Any]]:
        """Return whether the random numbers alone decide."""
        bad = next(seed for seed, result in enumerate(alone) if result.failed)
        good = next(seed for seed, result in enumerate(alone) if not result.failed)
        red = [self._trials.last([index], bad).failed for _ in range(_SEEDS)]
        green = [self._trials.last([index], good).failed for _ in range(_SEEDS)]
        if not all(red) or any(green):
            return []
        return [
            {
                "kind": "seed", "others": [], "seeds": [bad, good], "state": [], "seen": [],
                "failure": alone[bad].failure, "with": [len(red), len(red)], "without": [0, len(green)],
            }
        ]  # fmt: skip

    def _by_itself(self, index: int) -> list[dict[str, Any]]:
        """Return whether a test fails when it runs again in the same process."""
        if self._trials.last([index, index]).failed:
            return self._confirmed("non-idempotent", index, [index], "passed")
        return self._after_itself(index)

    def _after_itself(self, index: int) -> list[dict[str, Any]]:
        """Return whether a test fails on the files that an earlier run of it left."""
        runs: list[TestEnd] = []
        files: list[str] = []
        for _ in range(_CONFIRMED):
            end, files = self._trials.rerun(index)
            if end is None or not end.failed:
                return []
            runs.append(end)
        left = {"kind": "files", "name": ", ".join(files), "before": "", "after": "changed"}
        return [
            {
                "kind": "rerun", "others": [], "state": [left], "seen": [], "failure": runs[0].failure,
                "with": [len(runs), len(runs)], "without": [0, self._asked.runs],
            }
        ]  # fmt: skip

    def _by_order(self, index: int, order: Order, alone: str) -> list[dict[str, Any]]:
        """Return the tests before it that decide how a test ends."""
        kind = "victim" if alone == "passed" else "brittle"
        before = order.before(index)

        def decide(part: Sequence[int]) -> bool:
            if self._trials.late:
                return False
            result = self._trials.last([*part, index])
            return result.failed if kind == "victim" else result.passed

        leaving = [other for other in before if other in self._leaving]
        for few in (leaving[-1:], leaving):
            if few and len(few) < len(before) and decide(few):
                before = few
                break
        else:
            if not decide(before):
                return []
        return self._confirmed(kind, index, smallest(before, decide), alone)

    def _by_pairs(self, index: int, alone: str) -> list[dict[str, Any]]:
        """Return whether one test alone decides: in a whole order, later ones may undo what it did."""
        near = [n for n, file in enumerate(self._suite.files) if file == self._suite.files[index]]
        others = dict.fromkeys([*sorted(self._leaving), *near, *range(len(self._suite.ids))])
        kind, wanted = ("victim", "failed") if alone == "passed" else ("brittle", "passed")
        for other in [other for other in others if other != index][:_PAIRS]:
            if self._trials.late:
                break
            if getattr(self._trials.last([other, index]), wanted):
                return self._confirmed(kind, index, [other], alone)
        return []

    def _confirmed(
        self, kind: str, index: int, others: Sequence[int], alone: str
    ) -> list[dict[str, Any]]:
        """Return a dependence that shows every time, with the state behind it."""
        runs = [self._trials.last([*others, index]) for _ in range(_CONFIRMED)]
        wanted = "passed" if alone == "failed" else "failed"
        if not all(getattr(result, wanted) for result in runs):
            return []
        state, seen = DecidingState(self._trials, others, index, alone).found()
        also = self._also(index, others, wanted) if kind != "non-idempotent" else []
        failed = sum(result.failed for result in runs)
        return [
            {
                "kind": kind, "others": [self._suite.ids[other] for other in others],
                "files": [self._suite.files[other] for other in others],
                "also": also,
                "state": state, "seen": seen, "failure": runs[0].failure,
                "with": [failed, len(runs)], "without": [0 if alone == "passed" else self._asked.runs, self._asked.runs],
            }
        ]  # fmt: skip

    def _also(self, index: int, others: Sequence[int], wanted: str) -> list[list[str]]:
        """Return id and file of other tests any of which does the same alone."""
        if len(others) > 1:
            return []
        files = {self._suite.files[other] for other in others}
        near = [n for n, file in enumerate(self._suite.files) if file in files]
        more = [
            n for n in dict.fromkeys([*sorted(self._leaving), *near]) if n not in {index, *others}
        ]
        return [
            [self._suite.ids[other], self._suite.files[other]]
            for other in more[:_ALSO]
            if not self._trials.late and getattr(self._trials.last([other, index]), wanted)
        ]


def _differs(alone: TestEnd, result: TestEnd) -> bool:
    return (alone.passed and result.failed) or (alone.failed and result.passed)


def depended(suite: Suite, root: str, asked: Depend) -> dict[str, Any]:
    """Return on what the tests of a request depend, as JSON."""
    return OrderDependence(suite, root, asked).found()
