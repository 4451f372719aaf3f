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
from typing import Any, Callable, Dict

from .boundary_calls import all_settled, is_about_a_file
from .conditions import Conditions, Settled
from .fork import Child, CpuBudget, Send, limit_processor, silence
from .live_code import live_functions
from .protocol import RAISES, WORN, Perturb, Settle
from .suite import UNCOMPILABLE, Suite
from .trace import Files
from .variations import renamed, vary, words
from .varied_tests import (
    AGAIN,
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

_SETTLED_VARIANTS = 32
"""Runs of a test that are repeated with a condition settled."""

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

_OFTEN = (1, 2, 1_999)
_ROUND_SECONDS = 0.4
"""How often a test is repeated in one process, and how long, before it is looked at once more."""

_SHORT = 12
"""Digits of a digest that are told."""

_ITEMS = 60
"""Of a list or of attributes that are looked at."""

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_COMMON = ("0", "1", "-1", "0.0", "1.0", "''", "[]", "()", "{}", "None")
"""Values for which programs often have a case of their own."""

_CASE = re.compile(r"[\[( ].*", re.DOTALL)

Record = Dict[str, Any]
Place = Any
"""Which value of a test is varied: the number of a literal, an argument's name, None or `WORN`."""


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

    def __init__(
        self, suite: Suite, root: str, request: Perturb | Settle, conditions: Conditions
    ) -> None:
        self._suite = suite
        self._root = root
        self._wanted = set(request.tests)
        self._seed = request.seed
        self._seconds = float(request.seconds)
        self._files = Files(self._root, suite.test_files)
        self._conditions = conditions

    def perturbed(self, *, worn: bool, seconds: float) -> dict[str, Any]:
        """Return by test what it showed: as it is, twice, its variants, and `worn` by many calls.

        Args:
            worn: Whether it is run by many calls.
            seconds: Processor time for the variants of all tests; 0 for none.
        """
        of_each = seconds / max(1, len(self.chosen()))
        of_test = partial(self._of_test, worn=worn, seconds=of_each)
        return {"tests": self._by_test(of_test, self._seconds)}

    def settled(self, seconds: float) -> dict[str, Any]:
        """Return by test what it showed: as it is, twice, and its variants.

        Each record has what the same run showed with conditions of the program settled as they are
        in the test, by their numbers and values.
        """
        return self._by_test(self._with_settled, seconds)

    def chosen(self) -> list[ChosenTest]:
        """Return the tests that are varied."""
        numbers = [n for n, name in enumerate(self._suite.ids) if self._is_wanted(name)]
        return [self._test(n) for n in numbers[:_TESTS]]

    def _test(self, index: int) -> ChosenTest:
        path = os.path.join(self._root, self._suite.files[index])
        functions = functions_of(path, dotted(self._suite.ids[index]).rpartition(".")[2])
        return ChosenTest(self._suite.ids[index], index, functions, path)

    def _by_test(
        self, of_test: Callable[[ChosenTest, CpuBudget], list[Record]], seconds: float
    ) -> dict[str, Any]:
        whole, chosen = CpuBudget(seconds), self.chosen()
        told: dict[str, list[Record]] = {}
        for n, test in enumerate(chosen):
            share = CpuBudget(whole.left / (len(chosen) - n))
            told[test.name] = of_test(test, share) if test.functions else []
        return told

    def _is_wanted(self, identity: str) -> bool:
        name = dotted(identity)
        return any(
            name == item or name.endswith("." + item) or item.endswith("." + name)
            for item in self._wanted
        )

    def _of_test(
        self, test: ChosenTest, allowance: CpuBudget, *, worn: bool, seconds: float
    ) -> list[Record]:
        often: list[tuple[Place, int]] = [(WORN, rounds) for rounds in _OFTEN] if worn else []
        records = self._within(allowance, test, [(None, 0), (None, 0), *often])
        if seconds > 0:
            varied = CpuBudget(min(allowance.left, seconds))
            records += self._within(varied, test, self._plan(test))
        return sorted(records, key=lambda record: record["place"] == WORN)

    def _within(
        self, allowance: CpuBudget, test: ChosenTest, plan: list[tuple[Place, int]]
    ) -> list[Record]:
        records: list[Record] = []
        for place, number in plan:
            if allowance.over:
                break
            records.append({"place": str(place), **self._shown(test, place, number)})
        return records

    def _with_settled(self, test: ChosenTest, allowance: CpuBudget) -> list[Record]:
        first = self._shown(test, None, 0)
        waiting: list[tuple[Place, int]] = [(None, 0), (None, 0), *self._plan(test)]
        records: list[Record] = []
        tried: dict[Place, list[bool]] = {}
        while waiting and len(records) < _SETTLED_VARIANTS and not allowance.over:
            place, number = waiting.pop(0)
            shown = self._shown(test, place, number)
            if place is not None:
                went = tried.setdefault(place, [])
                went.append(shown["inputs"] != first["inputs"])
                if len(went) > 1 and not any(went):  # what is expected reaches no program
                    waiting = [pair for pair in waiting if pair[0] != place]
                elif not any(pair[0] == place for pair in waiting):
                    waiting.append((place, number + 1))
                if not went[-1]:
                    continue
            again = partial(self._shown, test, place, number)
            shown["settled"] = all_settled(
                shown["seen"] if place is None else first["seen"], shown, again
            )
            records.append({"place": f"{place}:{number}", **shown})
        return records

    def _plan(self, test: ChosenTest) -> list[tuple[Place, int]]:
        return _plan(test.functions[0][0], random.Random(self._seed))  # noqa: S311 - no secret

    def _shown(
        self,
        test: ChosenTest,
        place: Place,
        number: int,
        settled: Settled = (),
    ) -> Record:
        """Return what a test shows in a process of its own."""
        seed = f"{self._seed}:{number}"
        work = partial(self._run, test=test, place=place, seed=seed, settled=settled)
        wait = silence(_PATIENCE, _SILENCE)
        told = Child(work, wait).wait(time.monotonic() + 2 * wait)
        return told[-1] if told else {"inputs": "", "outputs": [], "common": False, "seen": []}

    def _run(
        self, send: Send, *, test: ChosenTest, place: Place, seed: str, settled: Settled
    ) -> None:
        watch = _Watch(self._files, int(seed.rpartition(":")[2]) if place == WORN else 0)
        self._rewrite(test, watch, place, seed)
        limit_processor(_PATIENCE)
        self._conditions.settle(settled)
        sys.setprofile(watch.called)
        try:
            self._suite.run([test.index], lambda _: None, lambda *_: False)
        finally:
            sys.setprofile(None)
            limit_processor(None)
        told = watch.told()
        if place is not None and watch.misses_files:
            told["inputs"] = ""  # a variant of a path says nothing of what the file's reader does
        send({**told, "seen": self._conditions.told()})

    def as_it_is(self, test: ChosenTest) -> None:
        """Run a test in this process; it goes on where an assertion fails."""
        self._rewrite(test, _Watch(self._files), None, "")
        self._suite.run([test.index], lambda _: None, lambda *_: False)

    def _rewrite(self, test: ChosenTest, watch: _Watch, place: Place, seed: str) -> None:
        if isinstance(place, int):
            chosen = list(literals(test.functions[0][0].body))[place]
            watch.is_common = repr(chosen[3]) in _COMMON
        for node, lives in test.functions:
            code = code_of(varied(node, place, seed), test.path)
            for function in lives:
                if code is not None and not function.__code__.co_freevars and not code.co_freevars:
                    function.__globals__.update(
                        {
                            SEEN: watch.seen,
                            RAISED: watch.raised,
                            GIVEN: partial(watch.given, place=place, seed=seed),
                            AGAIN: watch.again,
                        }
                    )
                    function.__code__ = code


class _Watch:
    """Notes what goes from tests into the program, and what comes out of it."""

    def __init__(self, files: Files, rounds: int = 0) -> None:
        self._files = files
        self._most_rounds = rounds
        self._inside: list[Any] = []
        self._busy = False
        self.is_common = False
        self.misses_files = False
        self._rounds = 0
        self._until = 0.0
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
        self.misses_files |= is_about_a_file(error)
        self._raises(type(error).__name__)

    def _raises(self, kind: str) -> None:
        if len(self._outputs) < _RECORDS and not self._busy:
            self._outputs.append((RAISES, kind))

    def given(self, value: Any, place: str, seed: str) -> Any:
        """Return an argument of the test, varied."""
        if place.startswith(SAME):
            return renamed(value, other_names(place, list(words(value)), seed))
        self.is_common = repr(value) in _COMMON
        return vary(value, random.Random(seed))  # noqa: S311 - no secret hangs on it

    def again(self) -> bool:
        """Whether the test is to be repeated once more; nothing is noted until it is not."""
        self._rounds += 1
        self._until = self._until or time.process_time() + _ROUND_SECONDS
        self._busy = self._rounds <= self._most_rounds and time.process_time() < self._until
        return self._busy

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
            "common": self.is_common,
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
