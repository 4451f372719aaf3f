"""Run plausible candidates on inputs that no test has, and see where they part.

The inputs are those that the tests give to the changed function, and small variations of them.
"""

from __future__ import annotations

import contextlib
import copy
import gc
import os
import random
import re
import sys
import threading
import time
import types
from functools import partial
from typing import Any, Iterator

from .fork import Child, Send, limit_processor
from .mutants import Cold, Invalid, Module, MutantEdit, Unchanged
from .suite import Suite
from .variations import small, vary

_TESTS = 30
"""Tests whose calls are looked at."""

_CALLS = 24
"""Different calls of the function that are kept."""

_INPUTS = 400
"""Inputs that candidates are run on."""

_LINES = 2 * 10**8
"""Lines that all of them may run on all inputs: of costly calls there are fewer inputs."""

_WEIGHED = 50_000
"""Lines of one call that are counted at most."""

_LEAST, _MOST = 0.1, 0.4
"""Seconds of processor time for one candidate on one input: three times what a test may take."""

_ENDLESS = 2
"""Inputs on which a candidate finds no end before the rest is not tried."""

_SILENCE = 30.0
"""Seconds that a candidate may be silent: one that waits for something uses no processor."""

_TRACED = 10
"""How much longer a call may take whose lines are counted."""

_COMPARED = 60
"""Candidates that are compared, most promising first."""

_DEEP = 3
"""Objects inside of each other by whose attributes calls are told apart."""

ORIGINAL = "original"
"""Stands for the code without any candidate."""

_SHOWN = 200
_LONG = 5000
"""Characters of arguments beyond which a call is not kept."""
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class Comparer:
    """Compares candidates of one function."""

    def __init__(self, suite: Suite, request: dict[str, Any]) -> None:
        self._suite = suite
        self._request = request
        self._path = os.path.join(request["root"], request["file"])
        self._names = set(request["functions"])
        self._random = random.Random(request["seed"])  # noqa: S311 - no secret hangs on it
        self._deadline = time.monotonic() + float(request["left"])
        self._seconds = min(_MOST, max(_LEAST, 3 * float(request["limit"])))

    def compared(self) -> dict[str, Any]:
        """Return what candidates do on inputs, as text.

        Returns:
            `inputs`, of which the first `calls` are those of the tests; by candidate and for
            `ORIGINAL` the `behaviour` on them, None: no answer.
        """
        text = self._request["sources"][self._request["file"]]
        module = Module(self._path, text)
        patches = {}
        for number, edits in self._request["candidates"][:_COMPARED]:
            changes = [MutantEdit(*edit) for edit in edits]
            try:
                patches[str(number)] = module.patched(changes)
            except (Invalid, Unchanged, Cold):
                continue
        child = Child(lambda send: self._compare(send, patches), float(self._request["left"]))
        answer: dict[str, Any] = {"inputs": [], "calls": 0, "behaviour": {}}
        for value in child.wait(self._deadline):
            if "inputs" in value:
                answer.update(value)
            else:
                answer["behaviour"][value["number"]] = value["behaviour"]
        return answer

    def _compare(self, send: Send, patches: dict[str, Any]) -> None:
        best = next(iter(patches.values()))
        best.apply()  # as it was, a test may not end
        calls = self._calls()
        best.revert()
        inputs = list(self._inputs(calls, self._affordable(best, calls, len(patches) + 1)))
        own = inputs[: len({_described(call) for call in calls})]
        send({"inputs": [_shown(call) for call in inputs], "calls": len(own)})
        for number, patched in {**patches, ORIGINAL: None}.items():
            send({"number": number, "behaviour": self._behaviour(patched, inputs)})

    def _behaviour(self, patched: Any, inputs: list[Any]) -> list[Any]:
        """Return what a candidate answers to each input, None where it finds no end."""
        behaviour: list[Any] = []
        while len(behaviour) < len(inputs) and time.monotonic() < self._deadline:
            left = inputs[len(behaviour) :]
            work = partial(_behave, patched=patched, inputs=left, seconds=self._seconds)
            behaviour += Child(work, _SILENCE).wait(self._deadline)
            if len(behaviour) < len(inputs):
                without = behaviour.count(None) + 1
                behaviour += [None] * (1 if without < _ENDLESS else len(inputs) - len(behaviour))
        return behaviour

    def _calls(self) -> list[tuple[Any, dict[str, Any]]]:
        """Return the function's calls by the tests: the code that ran and its arguments."""
        kept: dict[str, tuple[Any, dict[str, Any]]] = {}
        depth = threading.local()

        def called(frame: Any, event: str, argument: Any) -> None:
            del argument
            code = frame.f_code
            if code.co_name not in self._names or os.path.realpath(code.co_filename) != self._path:
                return
            if event == "return":
                depth.inside = getattr(depth, "inside", 1) - 1
            elif event == "call":
                depth.inside = getattr(depth, "inside", 0) + 1
                if depth.inside == 1 and len(kept) < _CALLS:
                    _keep(kept, frame)

        places = {name: index for index, name in enumerate(self._suite.ids)}
        chosen = [places[name] for name in self._request["tests"] if name in places]
        sys.setprofile(called)
        for index in chosen:
            limit_processor(10 * float(self._request["patience"]))
            self._suite.run([index], lambda _: None, lambda *_: True)
        limit_processor(None)
        sys.setprofile(None)
        return list(kept.values())

    def _affordable(self, patched: Any, calls: list[Any], candidates: int) -> int:
        """Return how many inputs there may be, by the lines that the calls of the tests run."""
        work = partial(_weighed, patched=patched, calls=calls, seconds=_TRACED * self._seconds)
        weights = Child(work, _SILENCE).wait(self._deadline)
        usual = sum(weights) / len(weights) if weights else 1
        return min(_INPUTS, max(len(calls), int(_LINES / (usual + 1) / candidates)))

    def _inputs(self, calls: list[Any], most: int) -> Iterator[tuple[Any, dict[str, Any]]]:
        seen: set[str] = set()
        queue = list(calls)
        for _ in range(most * 4):
            if len(seen) >= most or not calls:
                return
            call = queue.pop(0) if queue else self._varied(calls)
            text = _described(call)
            if text not in seen:
                seen.add(text)
                yield call

    def _varied(self, calls: list[Any]) -> tuple[Any, dict[str, Any]]:
        """Return a call with one or two other arguments: near ones, small ones, or another call's."""
        function, arguments = self._random.choice(calls)
        other, theirs = self._random.choice(calls)
        varied = dict(arguments)
        names = sorted(arguments)
        for name in self._random.sample(names, min(len(names), self._random.choice((1, 1, 2)))):
            way = self._random.randrange(3)
            if way == 1 and other is function:
                varied[name] = theirs[name]
            else:
                chosen = small if way == 2 else vary  # noqa: PLR2004 - one of three ways
                varied[name] = chosen(arguments[name], self._random)
        return function, varied


def compared_plausible(
    suite: Suite, request: dict[str, Any], results: dict[str, Any]
) -> dict[str, Any] | None:
    """Compare the plausible candidates of a request that change what the best of them changes.

    Returns:
        Their `numbers` beside inputs and behaviour; None where there are none, or where nobody asks.
    """
    if not request["compare"]:
        return None
    plausible = [
        item
        for item in request["candidates"]
        if results.get(str(item[0]), {}).get("status") == "plausible"
    ]
    unit = plausible[0][2] if plausible else ""
    chosen = [item for item in plausible if item[2] == unit]
    if ":" not in unit or request["together"] in unit:
        return None
    asked = {
        **request["compare"],
        "root": request["root"],
        "file": chosen[0][1],
        "functions": [unit.split(":")[1]],
        "tests": [*request["failing"], *request["passing"].get(unit, ())][:_TESTS],
        "limit": request["limit"],
        "sources": request["sources"],
        "candidates": [(number, edits) for number, _, _, edits in chosen],
    }
    return {"numbers": [item[0] for item in chosen], **Comparer(suite, asked).compared()}


def _keep(kept: dict[str, tuple[Any, dict[str, Any]]], frame: Any) -> None:
    """Keep a call, if its arguments can be copied and shown."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    try:
        arguments = {name: copy.deepcopy(frame.f_locals[name]) for name in code.co_varnames[:count]}
        text = repr(arguments)
    except Exception:  # noqa: BLE001 - the project's own __deepcopy__ and __repr__
        return
    function = _function_of(code)
    if function is not None and code.co_flags & 0xC == 0 and len(text) < _LONG:
        kept.setdefault(text, (function, arguments))


def _function_of(code: Any) -> Any:
    gc.unfreeze()  # what is frozen, as before every fork, refers to nothing
    return next((f for f in gc.get_referrers(code) if isinstance(f, types.FunctionType)), None)


def _behave(send: Send, *, patched: Any, inputs: list[Any], seconds: float) -> None:
    """Tell what a candidate answers to each input; on one that takes too long, end."""
    if patched is not None:
        patched.apply()
    for function, arguments in inputs:
        limit_processor(seconds)
        mine = copy.deepcopy(arguments)
        try:
            answer = _settled(_call(function, mine))
            text = f"{_described(answer)}{_changed(arguments, mine)}"
        except Exception as error:  # noqa: BLE001 - what it raises is how it behaves
            text = f"raises {type(error).__name__}"
        limit_processor(None)
        send(text[:_SHOWN])


def _weighed(send: Send, *, patched: Any, calls: list[Any], seconds: float) -> None:
    """Tell of each call how many lines it runs with a candidate."""
    patched.apply()
    count = 0

    def look(frame: Any, event: str, argument: Any) -> Any:
        del frame, argument
        nonlocal count
        count += event == "line"
        if count >= _WEIGHED:
            sys.settrace(None)
            return None
        return look

    for function, arguments in calls:
        count = 0
        limit_processor(seconds)
        sys.settrace(look)
        with contextlib.suppress(Exception):  # it ran all the same
            _settled(_call(function, copy.deepcopy(arguments)))
        sys.settrace(None)
        limit_processor(None)
        send(count)


def _call(function: Any, arguments: dict[str, Any]) -> Any:
    code = function.__code__
    positional = [arguments[name] for name in code.co_varnames[: code.co_argcount]]
    named = {
        name: v for name, v in arguments.items() if name not in code.co_varnames[: code.co_argcount]
    }
    return function(*positional, **named)


def _settled(value: Any) -> Any:
    """Return a generator's values, others as they are."""
    if hasattr(value, "__next__"):
        return [item for item, _ in zip(value, range(200))]
    return value


def _changed(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Return which arguments a call has changed, or which of their attributes."""
    changed = [
        f"`{place}` {text}"
        for name, value in after.items()
        for place, text in _states(name, value).items()
        if text != _states(name, before[name]).get(place)
    ]
    return f", leaving {', '.join(changed)}" if changed else ""


def _states(name: str, value: Any) -> dict[str, str]:
    """Return a value as text, or the attributes of an object that does not show them."""
    if _ADDRESS.search(repr(value)) and hasattr(value, "__dict__"):
        return {f"{name}.{key}": _described(item) for key, item in vars(value).items()}
    return {name: _described(value)}


def _text(value: Any) -> str:
    if isinstance(value, set):
        return repr(sorted(map(repr, value)))
    return _ADDRESS.sub("", repr(value))


def _described(value: Any, deep: int = _DEEP) -> str:
    """Return a value as text by which it is told from others: objects by their attributes."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_described(item, deep) for item in value)}]"
    if isinstance(value, dict):
        items = (f"{_described(k, deep)}: {_described(key, deep)}" for k, key in value.items())
        return f"{{{', '.join(items)}}}"
    if _ADDRESS.search(repr(value)) and hasattr(value, "__dict__") and deep:
        return f"{type(value).__name__}{_described(vars(value), deep - 1)}"
    return _text(value)


def _shown(call: tuple[Any, dict[str, Any]]) -> str:
    function, arguments = call
    listed = ", ".join(f"{name}={_text(value)}" for name, value in arguments.items())
    return f"{function.__name__}({listed})"[:_SHOWN]
