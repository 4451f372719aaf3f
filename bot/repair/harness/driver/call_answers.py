"""Make calls, and tell what comes out of each as text: values, exceptions, what changed besides."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import io
import os
import random
import sys
import time
import warnings
from typing import Any, Callable, Dict, Iterator, Set

from .call_copies import restored
from .call_target import CallTarget, NotTaken, called
from .fork import Send, limit_processor
from .readable import LONG, Writer, readable, without_addresses
from .value_digest import digest_of

PROCESSOR = 0.4
"""Seconds of processor time that a call may take."""

_TRACED = 20
"""How much longer a call may take whose way is followed."""

_CALLS = 5_000
"""Calls with the same input, at most."""

_REPEATING = 0.4
"""Seconds of processor time for these."""

_ITEMS = 50
"""Of a generator that are asked for."""

_WAIT = 2.0
"""Seconds that a coroutine may wait."""

_MESSAGE = 300
"""Characters of an exception's message, and of what was printed."""

_CHANGES = 3
"""Arguments of which it is said that the call changed them."""

_EDGES = 4_000
"""Steps through changed code that are kept of one call."""

Lines = Dict[str, Set[int]]
"""By path."""

Answer = Dict[str, Any]
"""`kind` and `text`, and whether it `says` anything; `files`: whether it is about files or the network.
`edges`: the way through changed lines."""


def raised(error: Any) -> str:
    """Return what a call raised, as text."""
    try:
        message = without_addresses(" ".join(str(error).split()))[:_MESSAGE]
    except Exception:  # noqa: BLE001 - the project's own __str__
        message = ""
    name = type(error).__name__
    return f"raises {name}: {message}" if message else f"raises {name}"


def text_of_answer(value: Any) -> str:
    """Return what a call returned, as text, shortened so that two texts still differ if the values do."""
    return _bounded(Writer().text(value))


def _bounded(text: str) -> str:
    return text if len(text) <= LONG else f"{text[:LONG]}… {digest_of(text)}"


class Way:
    """Follows calls through changed lines, step by step.

    Attributes:
        edges: From where to where, within a function's code.
    """

    def __init__(self, lines: Lines) -> None:
        self.edges: set[str] = set()
        self._lines = lines
        self._known: Lines = {}

    def _of(self, filename: str) -> set[int]:
        if filename not in self._known:
            self._known[filename] = self._lines.get(os.path.realpath(filename), set())
        return self._known[filename]

    def called(self, frame: Any, event: str, argument: Any) -> Any:
        """Hear of a frame that begins, as `sys.settrace` tells it."""
        del argument
        lines = self._of(frame.f_code.co_filename)
        if event != "call" or not lines or len(self.edges) > _EDGES:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        name = f"{frame.f_code.co_name}:{frame.f_code.co_firstlineno}"
        last = [frame.f_lasti, frame.f_lineno in lines]

        def follow(frame: Any, event: str, argument: Any) -> Any:
            del argument
            if event == "opcode":
                here = frame.f_lineno in lines
                if here or last[1]:
                    self.edges.add(f"{name} {last[0]} {frame.f_lasti}")
                last[:] = [frame.f_lasti, here]
            return follow

        return follow


class CallSide:
    """Makes calls of one side.

    Attributes:
        root: Of the work tree.
        targets: What is called.
        defaults: By number, those of the function as the calls were recorded.
    """

    def __init__(
        self, root: str, targets: list[CallTarget], modules: dict[int, str], lines: Lines
    ) -> None:
        self.root = root
        self.targets = targets
        self.defaults: dict[int, dict[str, Any]] = {}
        self._modules = modules
        self._lines = lines

    def function(self, number: int) -> Any:
        """Return the function or class of this number, None where it does not live here."""
        module = self._modules.get(number, "")
        return self.targets[number].found(self.root, module) if module else None

    def tell(self, inputs: list[tuple[int, bytes]], send: Send, *, follow: bool) -> None:
        """Send the answer to each of these inputs."""
        for number, data in inputs:
            send(self._answer(number, data, follow=follow))

    def repeat(self, number: int, data: bytes, send: Send) -> None:
        """Send the first other answer that an input has when it is given again and again.

        `calls` says which call that was; 0 where all answers are the same.
        """
        first = self._answer(number, data, follow=False)
        began, calls = time.process_time(), 1
        while calls < _CALLS and time.process_time() - began < _REPEATING:
            calls += 1
            again = self._answer(number, data, follow=False)
            if again["text"] != first["text"]:
                send({**again, "calls": calls})
                return
        send({**first, "calls": 0})

    def _answer(self, number: int, data: bytes, *, follow: bool) -> Answer:
        function = self.function(number)
        if function is None:
            return _nothing("its function is not there")
        try:
            values, before = restored(data), _texts(restored(data))
        except Exception as error:  # noqa: BLE001 - the project's own classes
            return _nothing(f"{type(error).__name__}")
        way = Way(self._lines) if follow else None
        limit_processor(PROCESSOR * (_TRACED if follow else 1))
        try:
            answer = self._made(function, number, values, way)
        finally:
            sys.settrace(None)
            limit_processor(None)
        limit_processor(2 * PROCESSOR)
        changed = _changed(before, values)
        answer["text"] = _bounded(answer["text"] + changed)
        answer["says"] = answer["says"] or bool(changed)
        answer["edges"] = sorted(way.edges) if way is not None else []
        limit_processor(None)
        return answer

    def _made(self, function: Any, number: int, values: dict[str, Any], way: Way | None) -> Answer:
        printed = io.StringIO()
        random.seed(0)
        defaults = self.defaults.get(number, {})
        with warnings.catch_warnings(record=True) as warned, _printing(printed):
            warnings.simplefilter("always")
            try:
                answer = _settled(lambda: called(function, values, defaults), way)
            except NotTaken as error:
                return {
                    "kind": "not taken",
                    "text": f"takes no {error}",
                    "says": True,
                    "files": False,
                }
            except (KeyboardInterrupt, GeneratorExit):
                raise
            except BaseException as error:  # noqa: BLE001 - what it raises is its answer
                sys.settrace(None)
                answer = {"kind": f"raises {type(error).__name__}", "text": raised(error),
                          "says": True, "files": isinstance(error, OSError),
                          "object": _lacks_attribute(error)}  # fmt: skip
        more = ""
        if printed.getvalue():
            more += f", prints {readable(printed.getvalue()[:_MESSAGE])}"
        for item in {f"{type(w.message).__name__}: {w.message}": None for w in warned}:
            more += f", warns {item[:_MESSAGE]}"
        answer["text"] += more
        answer["says"] = answer["says"] or bool(more)
        return answer


def _settled(call: Callable[[], Any], way: Way | None) -> Answer:
    """Return what a call returned; a generator's values, and a coroutine's result."""
    if way is not None:
        sys.settrace(way.called)
    value = call()
    if inspect.iscoroutine(value):
        value = asyncio.run(asyncio.wait_for(value, _WAIT))
    if hasattr(type(value), "__next__"):
        return _yielded(value)
    sys.settrace(None)
    writer = Writer()
    text = writer.text(value)
    kind = text if value is None or isinstance(value, bool) else type(value).__name__
    return {"kind": kind, "text": text, "says": not writer.is_opaque, "files": False}


def _yielded(value: Any) -> Answer:
    items: list[Any] = []
    end = ""
    try:
        for item in value:
            items.append(readable(item))
            if len(items) == _ITEMS:
                end = ", and more"
                break
    except Exception as error:  # noqa: BLE001 - what it raises is its answer
        end = f", then {raised(error)}"
    sys.settrace(None)
    kind = "yields" + end.partition(":")[0]
    return {"kind": kind, "text": f"yields {', '.join(items) or 'nothing'}{end}", "says": True,
            "files": False}  # fmt: skip


def _lacks_attribute(error: BaseException) -> str:
    """Return the class of an object that lacks an attribute, if this is what was raised."""
    lacking = getattr(error, "obj", None) if isinstance(error, AttributeError) else None
    return type(lacking).__name__ if lacking is not None else ""


def _nothing(why: str) -> Answer:
    return {"kind": "nothing", "text": why, "says": False, "files": False, "edges": []}


def _texts(values: dict[str, Any]) -> dict[str, str]:
    """Return what a call may change of what it is given, as text: arguments and their attributes."""
    return dict(_changeable(values))


def _changeable(values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        own = getattr(value, "__dict__", None)
        if isinstance(value, (list, dict, set, bytearray)):
            yield name, readable(value)
        elif isinstance(own, dict) and not isinstance(value, type):
            for attribute, item in list(own.items()):
                yield f"{name}.{attribute}", readable(item)


def _changed(before: dict[str, str], values: dict[str, Any]) -> str:
    after = _texts(values)
    told = [
        f"{name} = {text[:_MESSAGE]}" for name, text in after.items() if before.get(name) != text
    ]
    told += [f"no {name}" for name in before if name not in after]
    return f", leaving {', '.join(told[:_CHANGES])}" if told else ""


@contextlib.contextmanager
def _printing(printed: Any) -> Iterator[None]:
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        yield
