"""Vary the inputs of failing tests with and without a patch, in one sandbox, conditions settled or not.

The patched tree lies there. A process beside this one loads the changed modules as they were. Both
vary what stands in the tests; then they tell each other what came out of the calls from outside
into the changed functions, and vary those that the patch makes different.
"""

from __future__ import annotations

import os
import socket
import time
from functools import partial
from typing import Any, Callable, Dict, List, Tuple

from .audit_events import Audit, Heard
from .boundary_calls import Explorer, OwnCalls, Rounds
from .call_depth import CallsByLevel
from .conditions import Conditions
from .fork import Child, CpuBudget, Line, Send, limit_processor, patience, silence
from .live_code import load_changed
from .perturbation import ChosenTest, Perturber
from .protocol import AS_IT_IS, Collection, Settle
from .suite import Suite
from .suite_loading import open_suite
from .trace import Files

_LEVELS = 3
"""Which calls count: those of changed functions, of changed files, of the project."""

_TESTS = 3
"""Tests whose calls are varied."""

_CALLS = 2
"""Calls of each that are varied: the first that the patch makes different."""

_FIRST_ROUNDS = 2
"""Variants of each value of a call before it is asked whether more of them can tell anything."""

_ENOUGH = 24
"""Variants of a call from which it can be said that they tell nothing new."""

_FOR_TESTS = 0.4
"""Share of the time that varies what stands in tests; the rest varies calls."""

_PROCESSOR = 3.0
_SILENCE = 10.0
"""Seconds of processor time that a test may take, and of wall time where nobody else is at work."""

_GRACE = 20.0
"""Seconds that the other tree may need longer, to load its tests."""

_FUNCTION = 0x1
"""Flag of code that is a function's, and not a class's or module's."""

Answer = Dict[str, Any]
Wanted = Dict[str, List[Tuple[int, str]]]
"""By test, which of its calls are varied: how far in they lie, and what they are called."""

Telling = Dict[str, List[str]]
"""By call, the labels of the values that are varied further; all of them where a call is missing."""


def settle(tests: Collection, request: Settle, leave: Callable[[Answer], None]) -> None:
    """Leave what the tests, and calls of theirs, show on both trees, conditions settled or not.

    Args:
        tests: How they are collected.
        request: What is asked.
        leave: Takes it, and ends the process.
    """
    conditions = Conditions()
    conditions.offer()
    mine, theirs = socket.socketpair()
    if os.fork():
        theirs.close()
        open_suite(
            tests,
            lambda suite: leave(
                _Side(suite, tests.root, request, "after", conditions).compared(mine)
            ),
        )
        return
    try:
        mine.close()
        for path, text in request.before.items():
            load_changed(os.path.join(tests.root, path), text)
        open_suite(
            tests,
            lambda suite: _Side(suite, tests.root, request, "before", conditions).serve(theirs),
        )
    finally:
        os._exit(0)


class _Side:
    """The tests on one of the two trees."""

    def __init__(
        self, suite: Suite, root: str, request: Settle, name: str, conditions: Conditions
    ) -> None:
        self._perturber = Perturber(suite, root, request, conditions)
        self._conditions = conditions
        self._files = Files(root, suite.test_files)
        self._functions = {(item[0], item[1], item[2]) for item in request.functions[name]}
        self._changed = set(request.changed)
        self._brings = request.brings
        self._seed = request.seed
        self._seconds = float(request.seconds)
        self._whole: CpuBudget | None = None
        self._heard: list[Heard] = []

    def compared(self, line: socket.socket) -> Answer:
        """Return what both trees show; the other one is at the end of the line."""
        other = Line(line)
        tests, calls = self._tests(), self._calls()
        before = other.heard(self._seconds * patience() + _GRACE) or {"tests": {}, "calls": {}}
        wanted = _different(before["calls"], calls)
        old, new = self._on_both(other, wanted, (0, _FIRST_ROUNDS), {})
        open_yet = {
            test: [pair for pair in chosen if not self._is_decided(_name(test, pair), old, new)]
            for test, chosen in wanted.items()
        }
        if any(open_yet.values()):
            telling = self._telling(old, new)
            later = self._on_both(other, open_yet, (_FIRST_ROUNDS, None), telling)
            for told, more in zip((old, new), later):
                for name, records in more.items():
                    told.setdefault(name, []).extend(records[AS_IT_IS:])
        return {
            "before": {**before["tests"], **old},
            "after": {**tests, **new},
            "calls": sorted(new),
            "gained": _gained(before.get("heard", ()), self._heard),
        }

    def _telling(self, before: Answer, after: Answer) -> Telling:
        """Return by call the values of which a variant was decided in another way, where these are enough."""
        told = {
            name: sorted({_label(record) for record in records[AS_IT_IS:] if record["settled"]})
            for name, records in after.items()
            if not self._brings or _repairs(before.get(name, []), records)
        }
        return {name: labels for name, labels in told.items() if labels}

    def _on_both(
        self, other: Line, wanted: Wanted, rounds: Rounds, telling: Telling
    ) -> tuple[Answer, Answer]:
        """Return what variants of calls show there and here."""
        other.say({"wanted": wanted, "rounds": rounds, "telling": telling})
        new = self._explored(wanted, rounds, telling)
        told = other.heard(self._seconds * patience() + _GRACE) or {"calls": {}}
        return told["calls"], new

    def _is_decided(self, name: str, before: Answer, after: Answer) -> bool:
        """Whether more variants of a call can tell nothing new.

        No condition changes any of many, each value in turn; and if the patch brings values, there
        is an input near the tests' own that they repair as well.
        """
        old, new = before.get(name, []), after.get(name, [])
        variants = new[AS_IT_IS:]
        if len(variants) < _ENOUGH or any(variant["settled"] for variant in variants):
            return False
        return not self._brings or _repairs(old, new)

    def serve(self, line: socket.socket) -> None:
        """Tell the other tree what this one shows."""
        other = Line(line)
        tests, calls = self._tests(), self._calls()
        other.say({"tests": tests, "calls": calls, "heard": self._heard})
        while (asked := other.heard(2 * (self._seconds * patience() + _GRACE))) is not None:
            told = self._explored(asked["wanted"], asked["rounds"], asked["telling"])
            other.say({"calls": told})

    def _tests(self) -> Answer:
        return self._perturber.settled(self._seconds * _FOR_TESTS)

    def _calls(self) -> dict[str, list[dict[str, str]]]:
        """Return what came out of each call, by test and level; not of those that differ twice."""
        told = {}
        for test in self._perturber.chosen()[:_TESTS]:
            told[test.name] = [
                {name: key for name, key in first.items() if second.get(name) == key}
                for first, second in zip(self._own(test), self._own(test))
            ]
        return told

    def _own(self, test: ChosenTest) -> list[dict[str, str]]:
        def work(send: Send) -> None:
            levels = [OwnCalls(partial(self._is_inside, level=number)) for number in range(_LEVELS)]
            calls, audit = CallsByLevel(levels), Audit(self._files, self._changed)
            audit.start()
            self._run(test, calls)
            audit.stop()
            send({"outputs": calls.outputs, "heard": audit.heard})

        wait = silence(_PROCESSOR, _SILENCE)
        told = Child(work, wait).wait(time.monotonic() + wait)
        if not told:
            return []
        self._heard += [tuple(text) for text in told[-1]["heard"]]
        outputs: list[dict[str, str]] = told[-1]["outputs"]
        return outputs

    def _run(self, test: ChosenTest, calls: Any) -> None:
        limit_processor(_PROCESSOR)
        calls.start()
        try:
            self._perturber.as_it_is(test)
        finally:
            calls.stop()
            limit_processor(None)

    def _explored(self, wanted: Wanted, rounds: Rounds, telling: Telling) -> Answer:
        """Return what the variants of calls show, by test, level and number."""
        told: Answer = {}
        if self._whole is None:  # it begins with the first calls, and goes on for more of them
            self._whole = CpuBudget(self._seconds * (1 - _FOR_TESTS))
        whole, left = self._whole, sum(map(len, wanted.values()))
        for test in self._perturber.chosen()[:_TESTS]:
            for level, call in wanted.get(test.name, ()):
                name = _name(test.name, (level, call))
                told[name] = self._variants(
                    test, level, call, whole.left / left, rounds, telling.get(name)
                )
                left -= 1
        return told

    def _variants(
        self,
        test: ChosenTest,
        level: int,
        call: str,
        seconds: float,
        rounds: Rounds,
        labels: list[str] | None,
    ) -> list[Any]:
        def work(send: Send) -> None:
            explorer = Explorer(
                partial(self._is_inside, level=level),
                call,
                self._conditions,
                send,
                seed=f"{self._seed}",
                allowance=CpuBudget(seconds),
                rounds=rounds,
                labels=labels,
            )
            self._run(test, explorer)
            explorer.finish()

        wait = max(0.0, seconds) * patience() + silence(_PROCESSOR, _SILENCE)
        told = Child(work, wait).wait(time.monotonic() + wait)
        return told[-1] if told else []

    def _is_inside(self, code: Any, level: int) -> bool:
        name = self._files.name(code.co_filename)
        if name is None or not code.co_flags & _FUNCTION:
            return False
        if level == 0:
            return (name, code.co_firstlineno, code.co_name) in self._functions
        return level > 1 or name in self._changed


def _gained(before: Any, after: Any) -> list[Any]:
    """Return what was heard on one tree alone, each capability once."""
    known = {item[0] for item in before}
    gained: dict[str, Any] = {}
    for item in after:
        if item[0] not in known:
            gained.setdefault(item[0], item)
    return list(gained.values())


def _label(record: Any) -> str:
    return str(record["place"]).rpartition(":")[0]


def _name(test: str, call: tuple[int, str]) -> str:
    level, name = call
    return f"{test} call {level}.{name}"


def _repairs(before: list[Any], after: list[Any]) -> bool:
    """Whether the patch makes a difference for a variant, and not the test's own answer."""
    old = {item["place"]: item["outputs"] for item in before}
    own = after[0]["outputs"] if after else []
    return any(
        item["outputs"] not in (own, old[item["place"]])
        for item in after[AS_IT_IS:]
        if item["place"] in old
    )


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
