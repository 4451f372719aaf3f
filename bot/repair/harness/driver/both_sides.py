"""Run changed functions on both sides of a change, on inputs grown from the calls of all tests.

The head's files lie in the work tree. A process beside this one puts the base's files there, loads
the tests with them, and waits; then this one puts the head's back. Both make the same calls.
"""

from __future__ import annotations

import base64
import contextlib
import os
import socket
import sys
import time
from functools import partial
from itertools import zip_longest
from typing import Any, Callable

from .call_answers import PROCESSOR, Answer, CallSide
from .call_copies import restored
from .call_recorder import Recorded, RecordedCall, recorded
from .call_target import CallTarget, defaults_of
from .fork import Child, Send, TreeLink, silence
from .grown_inputs import OWN, TESTED, GrownCall, grown
from .grown_values import constants_in
from .protocol import Collection, Compare, dotted
from .readable import readable
from .suite import Suite
from .suite_loading import open_suite

_INPUTS = 1_200
"""Inputs of all functions together."""

_OF_EACH = 320
"""Inputs of one function."""

_SILENCE = 5.0
"""Wall time that a call may take where nobody else is at work."""

_ENDLESS = 3
"""Calls of one function without an end before no more are made."""

_RECORDING = 0.5
"""Share of the time in which the tests' calls are recorded."""

_DIFFERENT = 400
"""Differences that are looked at again, each in a process of its own."""

_REPEATED = 16
"""Inputs of the tests that turn green which are given again and again, of each function in turn."""

_COLLECTING = 60.0
"""Seconds that the other side may take to load the tests."""

ENDLESS: Answer = {
    "kind": "endless", "text": "does not end", "says": True, "files": False, "edges": [],
}  # fmt: skip


def compare_sides(
    tests: Collection, request: Compare, leave: Callable[[dict[str, Any]], None]
) -> None:
    """Leave where both sides answer differently.

    Args:
        tests: How they are collected.
        request: What is asked.
        leave: Takes it, and ends the process.
    """
    mine, theirs = socket.socketpair()
    if os.fork() == 0:
        mine.close()
        try:
            _serve(tests, request, TreeLink(theirs))
        finally:
            os._exit(0)
    theirs.close()
    other = TreeLink(mine)
    ready = other.heard(_COLLECTING) is not None
    _lay(tests.root, request.after)
    if not ready:
        leave({"unloaded": True})
    open_suite(tests, lambda suite: leave(_Head(suite, tests.root, request, other).compared()))


def _lay(root: str, files: dict[str, str | None]) -> None:
    """Put files into the work tree, or take them away."""
    for path, data in files.items():
        place = os.path.join(root, path)
        with contextlib.suppress(OSError):
            if data is None:
                os.unlink(place)
            else:
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file:
                    file.write(base64.b64decode(data))


def _serve(tests: Collection, request: Compare, line: TreeLink) -> None:
    """Be the side without the change."""
    _lay(tests.root, request.before)

    def act(_: Suite | None) -> None:
        line.say({"ready": True})
        begun = line.heard(request.seconds * 60 + _COLLECTING)
        if begun is None:
            return
        modules = {int(number): name for number, name in begun["modules"].items()}
        for path in begun["path"]:
            if path not in sys.path:
                sys.path.append(path)
        side = _Side(tests.root, request, "before", modules)
        line.say({"constants": side.constants(), "there": side.there()})
        while (asked := line.heard(request.seconds * 60)) is not None:
            side.caller.defaults = {
                int(n): restored(_bytes(d)) for n, d in asked["defaults"].items()
            }
            inputs = _inputs(asked["inputs"])
            line.say(
                {"answers": side.answers(inputs, follow=asked["follow"], again=asked["again"])}
            )

    with contextlib.suppress(Exception, SystemExit):
        open_suite(tests, act)
    act(None)  # the tests can't be collected without the change: its modules are enough


class _Side:
    """One of the two trees, loaded."""

    def __init__(self, root: str, request: Compare, name: str, modules: dict[int, str]) -> None:
        targets = [
            CallTarget(item["file"], item["name"], item["kind"], item[name])
            for item in request.targets
        ]
        changed: dict[str, list[int]] = request.lines[name]
        self.lines = {os.path.join(root, file): set(numbers) for file, numbers in changed.items()}
        self.caller = CallSide(root, targets, modules, self.lines)
        self._deadline = time.monotonic() + request.seconds
        self._root = root

    def there(self) -> list[int]:
        """Return the numbers of the functions that live here."""
        numbers = range(len(self.caller.targets))
        return [n for n in numbers if self.caller.function(n) is not None]

    def constants(self) -> dict[str, list[Any]]:
        """Return the numbers and texts in each function, by its number."""
        found = {}
        for number in self.there():
            function = self.caller.function(number)
            made = getattr(function, "__init__", None) if isinstance(function, type) else function
            code = getattr(made, "__code__", None)
            if code is not None:
                known = constants_in(code, getattr(made, "__globals__", {}))
                found[str(number)] = [item for item in known if isinstance(item, (int, float, str))]
        return found

    def answers(
        self, inputs: list[tuple[int, bytes]], *, follow: bool, again: bool = False
    ) -> list[Answer | None]:
        """Return the answers to inputs; None: no time.

        Those that are followed, or given `again` and again, have a process of their own each.
        """
        if follow or again:
            return [self._alone(item, again=again) for item in inputs]
        answers: list[Answer | None] = []
        endless: dict[int, int] = {}
        while len(answers) < len(inputs):
            left = inputs[len(answers) :]
            if time.monotonic() > self._deadline:
                break
            work = partial(self._tell, inputs=left, follow=False)
            answers += Child(work, silence(PROCESSOR, _SILENCE)).wait(self._deadline)
            if len(answers) < len(inputs):
                number = inputs[len(answers)][0]
                endless[number] = endless.get(number, 0) + 1
                answers.append(ENDLESS if time.monotonic() < self._deadline else None)
                if endless[number] >= _ENDLESS:
                    inputs = [
                        (-1, data) if n >= len(answers) and it == number else (it, data)
                        for n, (it, data) in enumerate(inputs)
                    ]
        return answers + [None] * (len(inputs) - len(answers))

    def _alone(self, item: tuple[int, bytes], *, again: bool) -> Answer | None:
        if time.monotonic() > self._deadline:
            return None
        work = partial(self._tell, inputs=[item], follow=True)
        if again:
            work = partial(self.caller.repeat, *item)
        told = Child(work, silence(PROCESSOR, _SILENCE)).wait(time.monotonic() + 4 * _SILENCE)
        return told[0] if told else ENDLESS

    def _tell(self, send: Send, *, inputs: list[tuple[int, bytes]], follow: bool) -> None:
        for number, data in inputs:
            if number < 0:
                send({**ENDLESS, "says": False})
            else:
                self.caller.tell([(number, data)], send, follow=follow)


class _Head:
    """The side with the change; it leads."""

    def __init__(self, suite: Suite, root: str, request: Compare, other: TreeLink) -> None:
        self._suite = suite
        self._root = root
        self._request = request
        self._other = other

    def compared(self) -> dict[str, Any]:
        """Return what both sides answer, as JSON."""
        request, began = self._request, time.monotonic()
        side = _Side(self._root, request, "after", {})
        wanted = set(request.proving)
        proving = [n for n, name in enumerate(self._suite.ids) if _is_one_of(name, wanted)]
        found = recorded(
            self._suite, self._root, side.caller.targets, proving, side.lines,
            began + _RECORDING * request.seconds,
        )  # fmt: skip
        modules = {call.target: call.module for call in found.calls}
        side = _Side(self._root, request, "after", modules)
        self._other.say({"modules": modules, "path": sys.path})
        told = self._other.heard(_COLLECTING) or {"constants": {}, "there": []}
        there = set(side.there()) & set(told["there"])
        constants = _merged(side.constants(), told["constants"])
        inputs = self._grown(found, there, constants)
        defaults = self._defaults(side, there)
        answer = self._answered(side, inputs, defaults, found)
        return {
            **answer,
            "recorded": found.tests,
            "all": len(self._suite.ids),
            "proving": len(proving),
            "called": sorted(found.called),
            "calls": {n: sum(call.target == n for call in found.calls) for n in found.called},
            "uncopied": found.uncopied,
            "there": sorted(there),
            "way": sorted(found.way),
        }

    def _grown(
        self, found: Recorded, there: set[int], constants: dict[int, list[Any]]
    ) -> list[GrownCall]:
        by_target: dict[int, list[RecordedCall]] = {}
        for call in found.calls:
            if call.target in there:
                by_target.setdefault(call.target, []).append(call)
        most = min(_OF_EACH, _INPUTS // max(1, len(by_target)))
        inputs: list[GrownCall] = []
        for number, calls in sorted(by_target.items()):
            pairs = [(call.data, call.proving) for call in calls]
            inputs += grown(number, pairs, constants.get(number, []), most)
        return inputs

    def _defaults(self, side: _Side, there: set[int]) -> dict[int, str]:
        from .call_copies import NotCopied, copied

        found = {}
        for number in there:
            side.caller.defaults[number] = defaults_of(side.caller.function(number))
            with contextlib.suppress(NotCopied):
                found[number] = _text(copied(side.caller.defaults[number]))
        return found

    def _answered(
        self, side: _Side, inputs: list[GrownCall], defaults: dict[int, str], found: Recorded
    ) -> dict[str, Any]:
        pairs = [(item.target, item.data) for item in inputs]
        after, before = self._both(side, pairs, defaults, follow=False)
        kept = _faithful(inputs, after, found)
        looked = [
            n for n, item in enumerate(inputs)
            if kept[n] and after[n] and before[n] and _text_of(after[n]) != _text_of(before[n])
        ][:_DIFFERENT]  # fmt: skip
        own = [n for n, item in enumerate(inputs) if item.origin == OWN and n not in looked]
        chosen = [*looked, *own[:_OF_EACH]]
        after_again, before_again = self._both(
            side, [pairs[n] for n in chosen], defaults, follow=True
        )
        again = dict(zip(chosen, zip(before_again, after_again)))
        worn = self._worn(side, [n for n in looked if inputs[n].origin == OWN], pairs, defaults)
        told = []
        steady_tests = [
            (item, _text_of(after[n])) for n, item in enumerate(inputs)
            if item.origin == TESTED and before[n] and _text_of(before[n]) == _text_of(after[n])
        ]  # fmt: skip
        seeds = {(item.target, item.seed): item.data for item in inputs if item.origin == OWN}
        for n, item in enumerate(inputs):
            old, new = again.get(n, (before[n], after[n]))
            steady = n not in again or (
                _text_of(old) == _text_of(before[n]) and _text_of(new) == _text_of(after[n])
            )
            entry: dict[str, Any] = {"target": item.target, "origin": item.origin,
                                     "varied": item.varied, "seed": item.seed}  # fmt: skip
            if not kept[n]:
                entry["left_out"] = "depends on more than its arguments"
                if (after[n] or {}).get("files"):
                    entry["left_out"] = "files"
            elif old is None or new is None:
                entry["left_out"] = "time"
            elif not steady:
                entry["left_out"] = "unsteady"
            elif "nothing" in {old["kind"], new["kind"]} or (
                old.get("object") and not new.get("object")
            ):
                entry["left_out"] = "objects"
            elif old["text"] == new["text"] and (old["files"] or not old["says"]):
                entry["left_out"] = "files" if old["files"] else "opaque"
            else:
                differ = old["text"] != new["text"]
                values = restored(item.data)
                entry["same"] = differ and item.equals(seeds.get((item.target, item.seed), b""))
                entry["spelled_out"] = differ and any(
                    _is_left_out(values, restored(tested.data), side.caller.defaults[item.target])
                    for tested, text in steady_tests
                    if tested.target == item.target and text == old["text"]
                )
                if n in worn:
                    entry["worn"] = worn[n]
                entry["before"] = _told(old, long=differ)
                entry["after"] = _told(new, long=differ)
                entry["call"] = (
                    side.caller.targets[item.target].shown(
                        values, side.caller.function(item.target)
                    )
                    if differ or item.origin in (OWN, TESTED) or old["kind"].startswith("raises")
                    else ""
                )
            told.append(entry)
        return {"inputs": told}

    def _worn(
        self,
        side: _Side,
        own: list[int],
        pairs: list[tuple[int, bytes]],
        defaults: dict[int, str],
    ) -> dict[int, tuple[int, str]]:
        """Return the other answers that tests' own inputs have in time, and at which call.

        Without the change they always have the same one.
        """
        turns: dict[int, list[int]] = {}
        for n in own:
            turns.setdefault(pairs[n][0], []).append(n)
        of_each = zip_longest(*turns.values())
        chosen = [n for turn in of_each for n in turn if n is not None][:_REPEATED]
        after, before = self._both(
            side, [pairs[n] for n in chosen], defaults, follow=False, again=True
        )
        return {
            n: (new["calls"], new["text"])
            for n, old, new in zip(chosen, before, after)
            if old and new and new.get("calls") and old.get("calls") == 0
        }

    def _both(
        self,
        side: _Side,
        pairs: list[tuple[int, bytes]],
        defaults: dict[int, str],
        *,
        follow: bool,
        again: bool = False,
    ) -> tuple[list[Answer | None], list[Answer | None]]:
        """Return what this side answers, and the other one."""
        asked = [(number, _text(data)) for number, data in pairs]
        self._other.say({"inputs": asked, "defaults": defaults, "follow": follow, "again": again})
        mine = side.answers(pairs, follow=follow, again=again)
        theirs = self._other.heard(2 * self._request.seconds + _COLLECTING)
        answers = theirs["answers"] if theirs else []
        return mine, answers + [None] * (len(pairs) - len(answers))


def _is_left_out(values: dict[str, Any], tested: dict[str, Any], defaults: dict[str, Any]) -> bool:
    """Whether a call is a test's, but leaves arguments out that the test gives."""
    texts = {name: readable(value) for name, value in values.items()}
    other = {name for name, value in tested.items() if texts.get(name) != readable(value)}
    return texts.keys() == tested.keys() and all(
        name in defaults and readable(defaults[name]) == texts[name] for name in other
    )


def _faithful(inputs: list[GrownCall], answers: list[Answer | None], found: Recorded) -> list[bool]:
    """Return whether each input comes from a call that answers again what it did in its test."""
    by_data = {(call.target, call.data): call.answer for call in found.calls}
    good: dict[tuple[int, int], bool] = {}
    for item, answer in zip(inputs, answers):
        if item.origin in (OWN, TESTED) and answer:
            was = by_data.get((item.target, item.data), "")
            good[item.target, item.seed] = not was or answer["text"].startswith(was)
    return [good.get((item.target, item.seed), True) for item in inputs]


def _told(answer: Answer, *, long: bool) -> dict[str, Any]:
    text = answer["text"] if long else answer["text"][:200]
    return {"kind": answer["kind"], "text": text, "edges": answer["edges"]}


def _text_of(answer: Answer | None) -> str:
    return answer["text"] if answer else ""


def _merged(mine: dict[str, list[Any]], theirs: dict[str, list[Any]]) -> dict[int, list[Any]]:
    """Return the constants of both sides by number, those that only one has first."""
    found = {}
    for number in {*mine, *theirs}:
        new, old = mine.get(number, []), theirs.get(number, [])
        alone = [item for item in new if item not in old] + [x for x in old if x not in new]
        found[int(number)] = [*alone, *(item for item in new if item in old)]
    return found


def _is_one_of(identity: str, wanted: set[str]) -> bool:
    name = dotted(identity)
    return any(
        name == item or name.endswith("." + item) or item.endswith("." + name)
        for item in map(dotted, wanted)
    )


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)


def _inputs(asked: list[Any]) -> list[tuple[int, bytes]]:
    return [(number, _bytes(text)) for number, text in asked]
