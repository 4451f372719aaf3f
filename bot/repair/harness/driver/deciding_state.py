"""Find, by putting single parts back, what a test leaves behind that decides how another one ends."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from typing import Any, Callable, Sequence, Tuple

from .delta_debugging import smallest
from .fork import Send
from .left_behind import ProcessState
from .live_modules import is_own_path
from .order_trials import Hook, OrderTrials
from .state_readers import reader_of

FIXTURES = "fixtures"
"""Kind of what fixtures keep that live longer than a test."""

_MOST = 400
"""Parts among which those that decide are looked for."""

_SEEN = 6
"""Parts that are told where none of them is known to decide."""

_QUIET = frozenset({"module", "cache", "threads", "random numbers"})
"""Kinds that change with most tests, and say little where nothing shows that they decide."""

Part = Tuple[str, str]


class DecidingState:
    """What stays behind some tests, and decides how the test after them ends."""

    def __init__(self, trials: OrderTrials, before: Sequence[int], test: int, wanted: str) -> None:
        """Take the tests that leave it, the test that meets it, and how that ends without it."""
        self._trials = trials
        self._order = [*before, test]
        self._wanted = wanted

    def found(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the parts that decide, as JSON, and what else was seen where none is known to."""
        _, told = self._trials.run_telling(self._order, hook=self._telling)
        changes: list[dict[str, Any]] = told[0] if told else []
        parts = [(each["kind"], each["name"]) for each in changes if each.pop("movable")][:_MOST]
        by_part = {(each["kind"], each["name"]): each for each in changes}
        fixture = (FIXTURES, ", ".join(self._trials.suite.long_fixtures(self._order[-1])))
        if not self._decide(parts):
            parts = [*parts, fixture]
            if not self._decide(parts):
                return [], self._worth_telling(changes)
        deciding = smallest(parts, self._decide)
        found = [
            by_part.get(part, {"kind": part[0], "name": part[1], "before": "", "after": ""})
            for part in deciding
        ]
        told = [{**each, **self._place(each)} for each in found]
        return told, [] if fixture not in deciding else self._worth_telling(changes)

    def _worth_telling(self, changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        seen = [each for each in changes if each["kind"] not in _QUIET][:_SEEN]
        return [{**each, **self._place(each)} for each in seen]

    def _decide(self, parts: Sequence[Part]) -> bool:
        """Whether the test ends otherwise once these parts are put back."""
        if not parts or self._trials.late:
            return False
        hook = functools.partial(self._putting_back, parts=frozenset(parts))
        return self._trials.last(self._order, hook=hook).outcome == self._wanted

    def _state(self) -> ProcessState:
        return ProcessState(self._trials.root, self._trials.tree)

    def _telling(self, send: Send) -> Hook:
        states: list[ProcessState] = []

        def begin(place: int) -> None:
            if place == 0:
                states.append(self._state())
            if place == len(self._order) - 1:
                changes = states[0].changes(self._state())
                send([{**each.told(), "movable": each.put_back is not None} for each in changes])

        return begin

    def _putting_back(self, send: Send, *, parts: frozenset[Part]) -> Hook:
        del send
        states: list[ProcessState] = []

        def begin(place: int) -> None:
            if place == 0:
                states.append(self._state())
            if place == len(self._order) - 1:
                if any(kind == FIXTURES for kind, _ in parts):
                    self._trials.suite.release()
                for change in states[0].changes(self._state()):
                    if change.key in parts and change.put_back is not None:
                        with contextlib.suppress(Exception):  # the project's own classes may refuse
                            change.put_back()

        return begin

    def _place(self, part: dict[str, Any]) -> dict[str, Any]:
        """Return the file and the line that left a part as it is; nothing where that was not seen."""
        hook = functools.partial(self._watching, part=part)
        _, told = self._trials.run_telling(self._order, hook=hook)
        return {"file": told[-1][0], "line": told[-1][1]} if told else {"file": "", "line": 0}

    def _watching(self, send: Send, *, part: dict[str, Any]) -> Hook:
        watch: list[LineWatch] = []

        def begin(place: int) -> None:
            if place == 0:
                read = reader_of(part["kind"], part["name"], self._trials.tree)
                if read is not None:
                    watch.append(LineWatch(read, self._trials.root))
                    sys.settrace(watch[0].trace)
            if place == len(self._order) - 1:
                sys.settrace(None)
                if watch and watch[0].place is not None:
                    send(watch[0].place)

        return begin


class LineWatch:
    """Tells after which line of the project a part of the state was another one.

    Attributes:
        place: File, relative to the root, and line of the last change; None where none was seen.
    """

    def __init__(self, read: Callable[[], str], root: str) -> None:
        self.place: list[Any] | None = None
        self._read = read
        self._root = root
        self._text = read()
        self._last: list[Any] | None = None
        self._own: dict[str, bool] = {}

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        """Look before each line and at the end of each function of the project."""
        del argument
        name = frame.f_code.co_filename
        if name not in self._own:
            self._own[name] = is_own_path(name, self._root)
        if not self._own[name]:
            return None
        text = self._read()
        if text != self._text:
            self._text = text
            self.place = self._last or self.place
        self._last = [os.path.relpath(os.path.realpath(name), self._root), frame.f_lineno]
        if event == "return" and frame.f_back is not None:
            back = frame.f_back
            self._last = self._placed(back) or self._last
        return self.trace

    def _placed(self, frame: Any) -> list[Any] | None:
        name = frame.f_code.co_filename
        if not self._own.get(name):
            return None
        return [os.path.relpath(os.path.realpath(name), self._root), frame.f_lineno]
