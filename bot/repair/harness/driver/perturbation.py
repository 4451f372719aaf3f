"""Run failing tests on inputs near their own, and tell what the program does there.

The literals of a test, and the plain values that it is given as arguments, are varied one at a time. A test goes on where it would fail, so that all of its calls are made. What is told are the
calls from the tests into the program: what goes in decides whether an input is a new one, what
comes out is how the program behaves.
"""

from __future__ import annotations

import ast
import dis
import hashlib
import inspect
import os
import random
import re
import sys
import time
from functools import partial
from typing import Any, Dict

from .fork import Child, CpuBudget, Send, limit_processor, silence
from .live_code import live_functions
from .protocol import RAISES, Perturb
from .suite import UNCOMPILABLE, Suite
from .trace import Files
from .variations import renamed, vary, words
from .varied_tests import (
    GIVEN,
    RAISED,
    SAME,
    SEEN,
    arguments,
    code_of,
    literals,
    other_names,
    varied,
    words_of,
)  # fmt: skip

_TESTS = 6
"""Tests that are varied."""

_PLACES = 10
"""Literals and arguments of each of them that are varied."""

_WORDS = 6
"""Words and numbers in them that are varied, wherever they occur."""

_VARIANTS = 5
"""Variants of each of these, at least."""

_MOST_VARIANTS = 14
"""Variants of each where there are few: enough to say that nothing changes near a test's input."""

_PATIENCE = 3.0
"""Seconds of processor time that a variant may take."""

_SILENCE = 10.0
"""Wall time for the same, where nobody else is at work."""

_LONG = 20_000
"""Characters of a value that count."""

_RECORDS = 400
"""Calls of one variant that count."""

_DEEP = 2
"""Objects inside of objects that are looked into."""

_SHORT = 12
"""Digits of a digest that are told."""

_ITEMS = 60
"""Of a list or of attributes that are looked at."""

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_CASE = re.compile(r"[\[( ].*", re.DOTALL)

Record = Dict[str, Any]
Place = Any
"""Which value of a test is varied: the number of a literal, an argument's name, or None."""


class ChosenTest:
    """A test that is varied: its number, and its functions with the file that has them."""

    def __init__(
        self, name: str, index: int, functions: list[tuple[Any, list[Any]]], path: str
    ) -> None:
        self.name = name
        self.index = index
        self.functions = functions
        self.path = path


class Perturber:
    """Varies the tests of one request."""

    def __init__(self, suite: Suite, root: str, request: Perturb) -> None:
        self._suite = suite
        self._root = root
        self._wanted = set(request.tests)
        self._seed = request.seed
        self._seconds = float(request.seconds)
        self._files = Files(self._root, suite.test_files)

    def perturbed(self) -> dict[str, Any]:
        """Return by test what it showed: as it is, twice, and its variants."""
        whole, chosen = CpuBudget(self._seconds), self.chosen()
        told: dict[str, list[Record]] = {}
        for n, test in enumerate(chosen):
            share = CpuBudget(whole.left / (len(chosen) - n))
            told[test.name] = self._of_test(test, share) if test.functions else []
        return {"tests": told}

    def chosen(self) -> list[ChosenTest]:
        """Return the tests that are varied."""
        numbers = [n for n, name in enumerate(self._suite.ids) if self._is_wanted(name)]
        return [self._test(n) for n in numbers[:_TESTS]]

    def _test(self, index: int) -> ChosenTest:
        path = os.path.join(self._root, self._suite.files[index])
        functions = functions_of(path, dotted(self._suite.ids[index]).rpartition(".")[2])
        return ChosenTest(self._suite.ids[index], index, functions, path)

    def _is_wanted(self, identity: str) -> bool:
        name = dotted(identity)
        return any(
            name == item or name.endswith("." + item) or item.endswith("." + name)
            for item in self._wanted
        )

    def _of_test(self, test: ChosenTest, allowance: CpuBudget) -> list[Record]:
        records: list[Record] = []
        for place, number in [(None, 0), (None, 0), *self._plan(test)]:
            if allowance.over:
                break
            records.append({"place": str(place), **self._shown(test, place, number)})
        return records

    def _plan(self, test: ChosenTest) -> list[tuple[Place, int]]:
        return _plan(test.functions[0][0], random.Random(self._seed))  # noqa: S311 - no secret

    def _shown(self, test: ChosenTest, place: Place, number: int) -> Record:
        """Return what a test shows in a process of its own."""
        work = partial(self._run, test=test, place=place, seed=f"{self._seed}:{number}")
        wait = silence(_PATIENCE, _SILENCE)
        told = Child(work, wait).wait(time.monotonic() + 2 * wait)
        return told[-1] if told else {"inputs": "", "outputs": []}

    def _run(self, send: Send, *, test: ChosenTest, place: Place, seed: str) -> None:
        watch = _Watch(self._files)
        self._rewrite(test, watch, place, seed)
        limit_processor(_PATIENCE)
        sys.setprofile(watch.called)
        try:
            self._suite.run([test.index], lambda _: None, lambda *_: False)
        finally:
            sys.setprofile(None)
            limit_processor(None)
        told = watch.told()
        if place is not None and watch.misses_files:
            told["inputs"] = ""  # a variant of a path says nothing of what the file's reader does
        send(told)

    def _rewrite(self, test: ChosenTest, watch: _Watch, place: Place, seed: str) -> None:
        for node, lives in test.functions:
            code = code_of(varied(node, place, seed), test.path)
            for function in lives:
                if code is not None and not function.__code__.co_freevars and not code.co_freevars:
                    function.__globals__.update(
                        {
                            SEEN: watch.seen,
                            RAISED: watch.raised,
                            GIVEN: partial(watch.given, place=place, seed=seed),
                        }
                    )
                    function.__code__ = code


class _Watch:
    """Notes what goes from tests into the program, and what comes out of it."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._inside: list[Any] = []
        self._busy = False
        self.misses_files = False
        self._inputs: list[str] = []
        self._outputs: list[Any] = []

    def called(self, frame: Any, event: str, argument: Any) -> None:
        """Hear of a call or return, as `sys.setprofile` tells it."""
        if self._busy or event not in {"call", "return"}:
            return
        if event == "return":
            if self._inside and self._inside[-1] is frame:
                self._inside.pop()
                if argument is None and not _returns(frame):
                    self._raises("")
                else:
                    self._note(self._outputs, argument)
        elif not self._inside and self._files.name(frame.f_code.co_filename) is not None:
            self._inside.append(frame)
            code = frame.f_code
            rest = bool(code.co_flags & inspect.CO_VARARGS) + bool(
                code.co_flags & inspect.CO_VARKEYWORDS
            )
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + rest]
            self._note(
                self._inputs, [code.co_name, *(frame.f_locals.get(n) for n in names if n != "self")]
            )

    def seen(self, value: Any) -> Any:
        """Note a value that an assertion looks at, and return it."""
        self._note(self._outputs, value)
        return value

    def raised(self, error: BaseException) -> None:
        """Note what ended a statement of the test, which goes on unless it is to end."""
        if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
            raise error
        self.misses_files |= isinstance(error, OSError) and error.filename is not None
        self._raises(type(error).__name__)

    def _raises(self, kind: str) -> None:
        if len(self._outputs) < _RECORDS and not self._busy:
            self._outputs.append((RAISES, kind))

    def given(self, value: Any, place: str, seed: str) -> Any:
        """Return an argument of the test, varied."""
        if place.startswith(SAME):
            return renamed(value, other_names(place, list(words(value)), seed))
        return vary(value, random.Random(seed))  # noqa: S311 - no secret hangs on it

    def _note(self, notes: list[Any], value: Any) -> None:
        if len(notes) < _RECORDS and not self._busy:
            self._busy = True
            try:
                notes.append(text_of(value))
            finally:
                self._busy = False

    def told(self) -> Record:
        """Return what was noted, as digests: of all inputs together, of each output."""
        return {
            "inputs": _digest(self._inputs),
            "outputs": [
                "".join(output) if isinstance(output, tuple) else _digest([output])[:_SHORT]
                for output in self._outputs
            ],
        }


def _returns(frame: Any) -> bool:
    """Whether a frame that ends returns or yields, and does not raise."""
    ended: str = dis.opname[frame.f_code.co_code[frame.f_lasti]]
    return ended.startswith(("RETURN", "YIELD"))


def dotted(identity: str) -> str:
    """Return a test's name as unittest writes it, without its parameters."""
    name = _CASE.sub("", identity)
    file, _, rest = name.partition(".py::")
    return f"{file.replace('/', '.')}.{rest}".replace("::", ".") if rest else name


def functions_of(path: str, name: str) -> list[Any]:
    """Return the syntax of a file's functions of this name, each with the functions that live."""
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, *UNCOMPILABLE):
        return []
    live = live_functions(path)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
            first = min([node.lineno, *(expression.lineno for expression in node.decorator_list)])
            lives = [
                function
                for (called, line, _), functions in live.items()
                if called == name and line in {first, node.lineno}
                for function in functions
            ]
            if lives:
                found.append((node, lives))
    return found


def _plan(node: Any, chance: random.Random) -> list[Any]:
    """Return what is varied in which run: the number of a literal or the name of an argument."""
    places: list[Any] = [*range(len(list(literals(node.body)))), *arguments(node)]
    chosen = chance.sample(places, min(len(places), _PLACES))
    known = words_of(node)
    chosen += [SAME, *(f"{SAME}{item}" for item in chance.sample(known, min(len(known), _WORDS)))]
    most = _PLACES * _VARIANTS // max(1, len(chosen))
    rounds = range(max(_VARIANTS, min(_MOST_VARIANTS, most)))
    return [(place, number) for number in rounds for place in chosen]


def text_of(value: Any, deep: int = _DEEP) -> str:
    """Return what can be compared of a value: its text, or its attributes where it has no own."""
    shown: Any = type(value).__repr__
    try:
        if isinstance(value, (set, frozenset)):
            return repr(sorted(text_of(item, deep - 1) for item in value))
        if deep and isinstance(value, (list, tuple)):
            return f"{type(value).__name__}{[text_of(item, deep - 1) for item in value[:_ITEMS]]}"
        if deep and shown is object.__repr__:
            own = sorted(getattr(value, "__dict__", {}).items())
            return f"{type(value).__name__}{[(name, text_of(item, deep - 1)) for name, item in own[:_ITEMS]]}"
        return _ADDRESS.sub("", repr(value))[:_LONG]
    except Exception:  # noqa: BLE001 - the project's own __repr__
        return type(value).__name__


def _digest(notes: list[str]) -> str:
    return hashlib.sha1("\0".join(notes).encode("utf-8", "replace")).hexdigest()  # noqa: S324 - it names, nothing hangs on it
