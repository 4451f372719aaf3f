"""Follow the calls that come from outside into changed code, and vary one of them where it begins.

The process is forked at the start of the call, once for each variant: whatever led there stays as
it is, nothing has to be copied, and what the call does to its surroundings dies with the fork.
"""

from __future__ import annotations

import dis
import inspect
import os
import random
import sys
import time
import types
from functools import partial
from typing import Any, Callable, Dict, Optional, Tuple

from .arguments import ArgumentPlace, attributes, places, rename_all, roots, varied, words_in
from .conditions import Conditions, Settled
from .fork import CpuBudget, Send, branch, limit_processor, silence
from .protocol import FLAG, RAISES
from .value_digest import Teller, digest, digest_of
from .variations import is_number, of_another_type
from .varied_tests import SAME, other_names

_PLACES = 12
"""Values of one call that are varied."""

_WORDS = 5
"""Words and numbers in them that are varied, wherever they occur."""

_VARIANTS = 4
"""Variants of each of these, at least."""

_MOST_VARIANTS = 10
"""Variants of each where there are few."""

_CALLS = 400
"""Calls of one test that are numbered."""

_PROCESSOR = 1.0
_SILENCE = 3.0
"""Seconds of processor time that one variant may take, and of wall time where nobody else is at work."""

_ITEMS = 200
"""Of a generator that are asked for."""

_SETTLINGS = 8
"""Conditions that are settled for the test itself, one after the other."""

COMMON = frozenset(("0", "1", "-1", "0.0", "1.0", "''", "[]", "()", "{}", "None", "b''"))
"""Values for which programs often have a case of their own."""

GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

Record = Dict[str, Any]
Rounds = Tuple[int, Optional[int]]
"""Which variants of each value: from which on, and before which, None: all that there are."""

IsInside = Callable[[Any], bool]
"""Tells by its code whether a function is one of those that count."""


class Crossings:
    """Names the calls of one run into some code, and tells what came out of each.

    A call is named by the plain values that it is given, and by how often there were the same ones:
    so it has the same name where another function stands in its function's place.

    Attributes:
        outputs: Of each call by name, in the order in which they began; empty until it ends.
        misses_files: Whether a call has met a file that it could not have.
    """

    def __init__(self, is_inside: IsInside) -> None:
        self.outputs: dict[str, str] = {}
        self.misses_files = False
        self._counted: dict[str, int] = {}
        self._is_inside = is_inside
        self._inside: Any = None
        self._begun: dict[Any, str] = {}
        """Generators that were begun, with the names of their calls: they are resumed."""

    def start(self) -> None:
        """Begin to follow this thread."""
        sys.settrace(self.called)

    def stop(self) -> None:
        """Follow no more."""
        sys.settrace(None)

    def called(self, frame: Any, event: str, argument: Any) -> Any:
        """Hear of a frame that begins, as `sys.settrace` tells it; return what follows it, if anything."""
        del argument
        if event != "call" or self._inside is not None or not self._is_inside(frame.f_code):
            return None
        if frame not in self._begun:
            if len(self.outputs) >= _CALLS:
                return None
            name = self._name(frame)
            self.outputs[name] = ""
            self.begins(frame, name)
            self._begun[frame] = name
        frame.f_trace_lines = False
        self._inside = frame
        call = _Call(frame)

        def follow(frame: Any, event: str, argument: Any) -> Any:
            if event == "exception":
                call.raised = argument[0].__name__
                self.misses_files |= is_about_a_file(argument[1])
            elif event == "return":
                self._inside = None
                name = self._begun[frame]
                if not frame.f_code.co_flags & GENERATORS:
                    del self._begun[frame]
                self.ends(frame, name, call.result(argument))
            return follow

        return follow

    def _name(self, frame: Any) -> str:
        values = sorted(root.label for root in roots(frame) if root.is_plain)
        name = digest_of(repr(values)) if values else ""
        self._counted[name] = count = self._counted.get(name, 0) + 1
        return f"{name}.{count}"

    def begins(self, frame: Any, name: str) -> None:
        """Hear of a call that begins."""

    def ends(self, frame: Any, name: str, result: Any) -> None:
        """Hear of what came out of a call; of a generator each time that it stops."""
        del frame
        self.outputs[name] = digest_of(self.outputs[name] + digest(result))


class _Call:
    """How one frame ends."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.raised = ""

    def result(self, returned: Any) -> Any:
        """Return what it returned or yielded, or what it raised."""
        code = self._frame.f_code
        name = dis.opname[code.co_code[self._frame.f_lasti]]
        if returned is None and self.raised and not name.startswith(("RETURN", "YIELD")):
            return (RAISES, self.raised)
        return returned


def _is_raised(result: Any) -> bool:
    return isinstance(result, tuple) and result[:1] == (RAISES,)


def is_about_a_file(error: Any) -> bool:
    """Whether a file is missing, or is another one than expected."""
    return isinstance(error, OSError) and error.filename is not None


class OwnCalls(Crossings):
    """Tells of each call what it returned and what it left of its arguments."""

    def __init__(self, is_inside: IsInside) -> None:
        super().__init__(is_inside)
        self._given: dict[str, list[ArgumentPlace]] = {}

    def begins(self, frame: Any, name: str) -> None:
        """Keep what it is given."""
        self._given[name] = roots(frame)

    def ends(self, frame: Any, name: str, result: Any) -> None:
        """Note what came out, and what is left of what it was given."""
        super().ends(frame, name, result)
        self.outputs[name] += digest_of(repr(left_of(self._given.get(name, []))))


def left_of(given: list[ArgumentPlace]) -> dict[str, str]:
    """Return what became of what a call was given, by what may have changed."""
    left = {}
    for place in given:
        for name, value in attributes(place.value):
            left[f"{place.label}.{name}"] = digest(value)
        if isinstance(place.value, (list, dict, set)):
            left[place.label] = digest(place.value)
    return left


class Explorer(Crossings):
    """Runs to one call, and from there each of its variants in a process of its own."""

    def __init__(
        self,
        is_inside: IsInside,
        target: str,
        conditions: Conditions,
        send: Send,
        *,
        seed: str,
        allowance: CpuBudget,
        rounds: Rounds,
        labels: list[str] | None = None,
    ) -> None:
        super().__init__(is_inside)
        self._rounds = rounds
        self._labels = labels
        self._own: Record = {}
        self._target = target
        self._conditions = conditions
        self._send = send
        self._seed = seed
        self._allowance = allowance
        self._given: list[ArgumentPlace] = []
        self._in_branch = False
        self._yielded: list[str] = []
        self._told: Record = {}
        self._is_retyped = False

    def begins(self, frame: Any, name: str) -> None:
        """Show all variants where the call begins that is asked for, and end there."""
        if name != self._target or self._in_branch:
            return
        explored = self._explored(frame)
        if explored is None:
            return  # this is a branch: the call goes on here
        self._send(explored)
        os._exit(0)

    def ends(self, frame: Any, name: str, result: Any) -> None:
        """Tell what came of a variant, and end."""
        if not self._in_branch or name != self._target:
            return
        sys.settrace(None)
        if frame.f_code.co_flags & GENERATORS:
            stopped = dis.opname[frame.f_code.co_code[frame.f_lasti]]
            if result is not None:
                self._yielded.append(digest(result))
            if stopped.startswith("YIELD") and len(self._yielded) < _ITEMS:
                sys.settrace(self.called)
                return
            self.finish()
        if self._is_retyped and _is_raised(result):
            os._exit(0)  # such a type is not taken
        if isinstance(result, types.GeneratorType):
            self._finish_generator(result)
        self._leave(f"{RAISES if _is_raised(result) else ''}{digest(result)}")

    def _finish_generator(self, result: Any) -> None:
        try:
            for item, _ in zip(result, range(_ITEMS)):
                self._yielded.append(digest(item))
        except Exception as error:  # noqa: BLE001 - the project's own
            self.misses_files |= is_about_a_file(error)
            self._yielded.append(digest((RAISES, type(error).__name__)))
        self.finish()

    def finish(self) -> None:
        """Tell of a call that nobody asks to go on, where that is a branch's."""
        if self._in_branch:
            self._leave(digest_of(repr(self._yielded)))

    def _leave(self, result: str) -> None:
        limit_processor(_PROCESSOR)
        left = left_of(self._given)
        told = [f"={result}", *(f"{name}={value}" for name, value in sorted(left.items()))]
        if self.misses_files:  # a variant of a path says nothing of what the file's reader does
            self._told["inputs"] = ""
        self._send({**self._told, "outputs": told, "seen": self._conditions.told()})
        os._exit(0)

    def _explored(self, frame: Any) -> list[Record] | None:
        """Return what the call does as it is, twice, and with something varied; in a branch None."""
        records: list[Record] = []
        for label, number in [(None, 0), (None, 1), *self._plan(roots(frame))]:
            if self._allowance.over:
                break
            shown = self._shown(frame, label, number, ())
            if shown is None:
                return None
            self._own = self._own or shown
            first = shown["seen"] if label is None else self._own["seen"]
            if not shown["outputs"]:
                continue
            settled = all_settled(first, shown, partial(self._shown, frame, label, number))
            if settled is None:
                return None
            records.append({"place": f"{label}:{number}", "settled": settled, **shown})
        return records

    def _plan(self, given: list[ArgumentPlace]) -> list[tuple[str, int]]:
        """Return what is varied, each value in turn."""
        known = _words(words_in(given), self._seed)
        chosen = _chosen(places(given), self._seed)
        most = _PLACES * _VARIANTS // max(1, len(self._labels or chosen))
        first, end = self._rounds
        plan: list[tuple[str, int]] = []
        for number in range(max(_VARIANTS, min(_MOST_VARIANTS, most)))[first:end]:
            plan += [(item, n) for n in (2 * number, 2 * number + 1) for item in known]
            plan += [(item, number) for item in chosen if not number or not item.startswith(FLAG)]
        return [pair for pair in plan if self._labels is None or pair[0] in self._labels]

    def _shown(self, frame: Any, label: str | None, number: int, settled: Settled) -> Record | None:
        """Return what the call does in a process of its own; in that process itself None."""
        wait = silence(_PROCESSOR, _SILENCE)
        child, send = branch(wait)
        if child is not None:
            told = child.wait(time.monotonic() + wait)
            return told[-1] if told else {"inputs": "", "outputs": [], "common": False, "seen": []}
        self._in_branch = True
        self._send = send
        self._conditions.settle(settled)
        self._given = given = roots(frame)
        self._told = {"inputs": "", "common": False, "moved": 0}
        if label is not None and label.startswith(SAME):
            self._rename(given, label, number)
        elif label is not None:
            self._vary(next(place for place in places(given) if place.label == label), number)
        limit_processor(_PROCESSOR)
        return None

    def _vary(self, place: ArgumentPlace, number: int) -> None:
        """Put another value in a place; the process ends where nothing comes of it."""
        chance = random.Random(f"{self._seed}:{place.label}:{number}")  # noqa: S311 - no secret
        before = Teller().text(place.value)
        try:
            new = varied(place.value, chance)
            if number % 2:
                new = of_another_type(new, number // 2)
            place.put(new)
        except Exception:  # noqa: BLE001 - its class does not let it be made like this
            os._exit(0)
        text = Teller().text(new)
        if text == before:
            os._exit(0)
        is_common = {before, text} & COMMON != set()
        moved = _moved(place.value, new)
        self._told = {"inputs": digest_of(text), "common": is_common, "moved": moved}
        self._is_retyped = type(new) is not type(place.value)
        place.value = new

    def _rename(self, given: list[ArgumentPlace], label: str, number: int) -> None:
        """Put another word or number wherever a call is given one; the process ends if nothing comes of it."""
        names = other_names(label, words_in(given), f"{self._seed}:{number}")
        before = Teller().text([place.value for place in given])
        rename_all(given, names)
        text = Teller().text([place.value for place in given])
        if text == before:
            os._exit(0)
        word = label[len(SAME) :]
        moved = _moved(int(word), int(names[word])) if is_number(word) and word in names else 0
        inputs = digest_of(repr(sorted(names.items())))
        self._told = {"inputs": inputs, "common": word in COMMON, "moved": moved}


def _moved(was: Any, new: Any) -> int:
    """Return whether a number became larger (1) or smaller (-1), 0 where that says nothing."""
    if type(was) in (int, float) and type(new) in (int, float):
        return int(new > was) - int(new < was)
    return 0


def _chosen(found: list[ArgumentPlace], seed: str) -> list[str]:
    """Return the labels of what is varied: whole arguments first, then others by lot."""
    ranks = {place.label: (place.deep > 0, digest_of(f"{seed}:{place.label}")) for place in found}
    return sorted(ranks, key=lambda label: ranks[label])[:_PLACES]


def _words(known: list[str], seed: str) -> list[str]:
    """Return as labels all words together, and some alone."""
    by_lot = sorted(known, key=lambda word: digest_of(f"{seed}:{word}"))
    return [SAME, *(f"{SAME}{word}" for word in by_lot[:_WORDS])] if known else []


def all_settled(
    own: list[Any], shown: Record, again: Callable[[Settled], Record | None]
) -> list[list[Any]] | None:
    """Return what comes out with conditions settled as they are in the test, by how they are.

    All that come to something else here together first. Where that makes a difference, they are
    halved as long as one half makes the same one.

    Args:
        own: What conditions came to in the test.
        shown: What the variant showed.
        again: Shows the same variant with conditions settled; None: this is the process for it.
    """
    before = dict(own)
    differing = [
        (number, value)
        for number, values in shown["seen"]
        for value in before.get(number, ())
        if values != [value]
    ]
    if own is shown["seen"]:  # the test itself: what has two values there may need each
        return _each_settled(differing, again)
    chosen = tuple(sorted(dict(differing).items(), key=_last_decides))
    together = again(chosen) if chosen else shown
    if together is None:
        return None
    if together["outputs"] in ([], shown["outputs"]):
        return []
    while len(chosen) > 1:
        # an operand rather than the whole that it lies in, which has a lower number
        for half in (chosen[len(chosen) // 2 :], chosen[: len(chosen) // 2]):
            other = again(half)
            if other is None:
                return None
            if other["outputs"] == together["outputs"]:
                chosen = half
                break
        else:
            break
    return [[tuple(sorted(chosen)), together["outputs"]]]


def _last_decides(pair: tuple[int, str]) -> tuple[bool, int]:
    """Put what is decided behind what is looked up for it, and parts behind what they lie in."""
    number, value = pair
    return value in {"True", "False"}, number


def _each_settled(
    differing: list[tuple[int, str]], again: Callable[[Settled], Record | None]
) -> list[list[Any]] | None:
    told = []
    for pair in differing[:_SETTLINGS]:
        alone = again((pair,))
        if alone is None:
            return None
        told.append([(pair,), alone["outputs"]])
    return told
