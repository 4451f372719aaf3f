"""Record the calls that tests make of some functions: what each is given, and what comes out."""

from __future__ import annotations

import base64
import dis
import inspect
import os
import sys
import threading
import time
from functools import partial
from typing import Any, Callable, Tuple

from .call_answers import Lines, Way, raised, text_of_answer
from .call_copies import NotCopied, copied
from .call_target import CallTarget, given
from .entries import heard
from .fork import Child, Send, limit_processor, silence
from .suite import Suite

_GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

_OF_A_SHAPE = 5
"""Calls of one function whose arguments are alike that are kept."""

_CALLS = 60
"""Of one function that are kept, beside those of the proving tests."""

_LOOKED_AT = 3_000
"""Calls of one function that are looked at."""

_FAILURES = 12
"""Calls of one function that can't be copied, one after the other, before no more is tried."""

_RESTARTS = 4
"""Tests that may end the process."""

_PROCESSOR = 10.0
_SILENCE = 30.0
"""Seconds of processor time that a test may take, and of wall time where nobody else is at work."""

_ITEMS = 4
"""Of a container by whose types calls are told apart."""

Shape = Tuple[Any, ...]


class RecordedCall:
    """A call of a test's.

    Attributes:
        target: Number of the function.
        data: What it was given, copied.
        answer: What came out, as text; empty where that says nothing.
        module: Where the function lives.
        proving: Whether the test is one that the change turns green.
    """

    def __init__(self, told: dict[str, Any], *, proving: bool) -> None:
        self.target: int = told["target"]
        self.data = base64.b64decode(told["data"])
        self.answer: str = told["answer"]
        self.module: str = told["module"]
        self.proving = proving


class Recorded:
    """What was recorded.

    Attributes:
        calls: Those of the proving tests first.
        uncopied: By function, which argument could not be copied.
        called: The functions that were called at all.
        way: The steps through changed lines that proving tests take.
        tests: How many were run.
    """

    def __init__(self) -> None:
        self.calls: list[RecordedCall] = []
        self.uncopied: dict[int, str] = {}
        self.called: set[int] = set()
        self.way: set[str] = set()
        self.tests = 0


def recorded(
    suite: Suite,
    root: str,
    targets: list[CallTarget],
    proving: list[int],
    lines: Lines,
    deadline: float,
) -> Recorded:
    """Run the tests, proving ones first, as far as the time reaches.

    Args:
        suite: What was collected.
        root: Of the work tree.
        targets: Whose calls are recorded.
        proving: Numbers of the tests that the change turns green.
        lines: The changed ones, by path.
        deadline: By `time.monotonic`.
    """
    found = Recorded()
    left = [*proving, *(n for n in range(len(suite.ids)) if n not in set(proving))]
    for _ in range(_RESTARTS):
        if not left or time.monotonic() > deadline:
            break
        recorder = partial(_Recorder, root=root, targets=targets, lines=lines)
        work = partial(_record, suite=suite, recorder=recorder, chosen=left, own=proving)
        child = Child(work, silence(_PROCESSOR, _SILENCE))
        at = left[0]
        for told in child.wait(deadline):
            if "test" in told:
                at = told["test"]
                found.tests += 1
            elif "way" in told:
                found.way.update(told["way"])
            elif "uncopied" in told:
                found.called.add(told["target"])
                found.uncopied.setdefault(told["target"], told["uncopied"])
            else:
                found.called.add(told["target"])
                found.calls.append(RecordedCall(told, proving=at in set(proving)))
        left = left[left.index(at) + 1 :]
        if not child.killed and not left:
            break
    return found


def _record(
    send: Send,
    *,
    suite: Suite,
    recorder: Callable[[Send], _Recorder],
    chosen: list[int],
    own: list[int],
) -> None:
    following = recorder(send)

    def started(index: int) -> None:
        send({"test": index})
        following.follow(proving=index in own)
        limit_processor(_PROCESSOR)
        following.start()

    def finished(*_: Any) -> bool:
        following.stop()
        limit_processor(None)
        if following.is_proving:
            send({"way": sorted(following.way.edges)})
        return True

    suite.run(chosen, started, finished)


class _Recorder:
    """Follows the calls of one process."""

    def __init__(self, send: Send, root: str, targets: list[CallTarget], lines: Lines) -> None:
        self.is_proving = False
        self.way = Way(lines)
        self._send = send
        self._places: dict[tuple[str, int], int] = {}
        self._files: dict[str, bool] = {}
        self._paths = {os.path.join(root, target.file) for target in targets}
        self._codes: dict[int, int] = {}
        self._busy = threading.local()
        self._targets = targets
        self._kept: dict[tuple[int, Shape], int] = {}
        self._counts: dict[int, list[int]] = {n: [0, 0, 0, 0] for n in range(len(targets))}
        self._listens: bool | None = None
        self._root = root + os.sep
        for number, target in enumerate(targets):
            if target.kind != "class":
                self._places[f"{target.file}:{target.name.rpartition('.')[2]}", target.line] = (
                    number
                )
        self._find_classes()

    def _find_classes(self) -> None:
        for number, target in enumerate(self._targets):
            code = target.code(self._root) if target.kind == "class" else None
            if code is not None:
                self._codes[id(code)] = number
                self._files[code.co_filename] = True

    def follow(self, *, proving: bool) -> None:
        """Prepare for a test: where its way is of no interest, nothing slows down what it runs besides."""
        self.is_proving = proving
        if self._listens is None and not proving:
            followed = [name for name, is_followed in self._files.items() if is_followed]
            inside = all(os.path.realpath(name) in self._paths for name in followed)
            heard_all = [heard(path, self._is_target, self._called) for path in self._paths]
            self._listens = inside and all(heard_all)
            self._find_classes()

    def _is_target(self, code: Any) -> bool:
        return self._number(code) is not None

    def start(self) -> None:
        """Follow all threads; a test may have ended that."""
        if not self._listens:
            threading.settrace(self._called)
            sys.settrace(self._called)

    def stop(self) -> None:
        """Follow no more."""
        sys.settrace(None)
        threading.settrace(None)

    def _called(self, frame: Any, event: str, argument: Any) -> Any:
        code = frame.f_code
        name = code.co_filename
        if name not in self._files:
            self._files[name] = os.path.realpath(name) in self._paths
        if not self._files[name] or event != "call" or getattr(self._busy, "now", False):
            return None
        step = self.way.called(frame, event, argument) if self.is_proving else None
        number = self._number(code)
        if number is None or not _is_fresh(frame):
            return step
        return self._begun(frame, number, step)

    def _number(self, code: Any) -> int | None:
        number = self._codes.get(id(code))
        if number is None:
            path = os.path.realpath(code.co_filename)
            file = path[len(self._root) :] if path.startswith(self._root) else path
            number = self._places.get((f"{file}:{code.co_name}", code.co_firstlineno))
        return number

    def _begun(self, frame: Any, number: int, step: Any) -> Any:
        counts = self._counts[number]
        counts[_SEEN] += 1
        if counts[_SEEN] > _LOOKED_AT or counts[_FAILED] >= _FAILURES:
            return step
        self._busy.now = True
        try:
            values = given(frame)
            if self._targets[number].kind == "class":
                values[next(iter(values))] = None
            if not self._is_wanted(number, values):
                return step
            data = copied(values)
        except NotCopied as error:
            counts[_FAILED] += 1
            self._send({"target": number, "uncopied": str(error)})
            return step
        except Exception:  # noqa: BLE001 - the project's own __eq__, __len__ and the like
            return step
        finally:
            self._busy.now = False
        counts[_FAILED] = 0
        counts[_PROVING if self.is_proving else _KEPT] += 1
        told = {
            "target": number,
            "data": base64.b64encode(data).decode(),
            "module": frame.f_globals.get("__name__", ""),
            "answer": "",
        }
        frame.f_trace_lines = False
        return partial(self._follow, told, [None], step)

    def _is_wanted(self, number: int, values: dict[str, Any]) -> bool:
        counts = self._counts[number]
        if counts[_PROVING if self.is_proving else _KEPT] >= _CALLS:
            return False
        key = (number, (self.is_proving, *(_shape(value) for value in values.values())))
        self._kept[key] = self._kept.get(key, 0) + 1
        return self._kept[key] <= _OF_A_SHAPE

    def _follow(
        self,
        told: dict[str, Any],
        error: list[Any],
        step: Any,
        frame: Any,
        event: str,
        argument: Any,
    ) -> Any:
        if step is not None:
            step(frame, event, argument)
        if event == "exception":
            error[0] = argument[1]
        elif event == "return" and "sent" not in told:
            told["sent"] = True
            self._busy.now = True
            try:
                told["answer"] = _answer(frame, argument, error[0])
                self._send({name: value for name, value in told.items() if name != "sent"})
            finally:
                self._busy.now = False
        return partial(self._follow, told, error, step)


_SEEN, _FAILED, _KEPT, _PROVING = range(4)


def _is_fresh(frame: Any) -> bool:
    """Whether a frame only begins, and is none of a generator that is resumed."""
    code, at = frame.f_code, frame.f_lasti
    if at < 0 or not code.co_flags & _GENERATORS:
        return True
    text = code.co_code
    name = dis.opname[text[at]]
    return not name.startswith("YIELD") and not (name == "RESUME" and text[at + 1] & _WHY)


_WHY = 3
"""Bits of the argument of `RESUME` that are 0 where a function is called: the documentation of `dis`."""


def _answer(frame: Any, returned: Any, error: Any) -> str:
    """Return what came out of a call, as text; nothing where that can't be said without using it up."""
    code = frame.f_code
    if code.co_flags & _GENERATORS:
        return ""
    name = dis.opname[code.co_code[frame.f_lasti]]
    if returned is None and error is not None and not name.startswith("RETURN"):
        return raised(error)
    if (
        code.co_name == "__init__"
        or hasattr(returned, "__next__")
        or hasattr(returned, "__await__")
    ):
        return ""
    return text_of_answer(returned)


def _shape(value: Any) -> Any:
    kind = type(value).__name__
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, (int, float)):
        return kind, (value > 0) - (value < 0), abs(value) > 1
    if isinstance(value, (str, bytes)):
        return kind, min(len(value), 2), value[:1].isalpha()
    if isinstance(value, (list, tuple)):
        return kind, min(len(value), 3), tuple(type(item).__name__ for item in value[:_ITEMS])
    if isinstance(value, dict):
        return kind, min(len(value), 3), tuple(sorted(map(str, list(value)[:_ITEMS])))
    return kind
