"""What tests hold bounds what a repair may change: an input beyond that is no neighbour of theirs. Pure.

A change that goes the same way as the tests' own inputs can still be none of a repair: where it
turns what lies between two answers that tests hold, raises where nothing wanted that, gives another
number of elements, or accepts letters that no test has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from bot.repair.verification.behaviour.inputs import COMMON, Input

_LEAST = 8
"""Other values of one argument from which it can be said that it alone decides."""

_LEAST_TYPES = 3
"""The same of values of other types."""

_EXCESS = frozenset({"raises MemoryError", "raises OverflowError", "endless"})
"""What comes of values that are larger than anything that a program is given."""


_HANGS = ("endless", "near")
"""What comes of a value that is hardly larger than a test's."""


class Bounds:
    """What the tests' own inputs of all functions hold."""

    def __init__(self, inputs: Sequence[Input], *, brings: bool) -> None:
        self._inputs = inputs
        self._brings = brings
        tested = [item for item in inputs if item.origin in {"own", "tested"}]
        self._own = [item for item in tested if item.origin == "own" and item.differs]
        self._stays: dict[tuple[object, ...], list[float]] = {}
        self._changes: dict[tuple[object, ...], list[float]] = {}
        self._letters: dict[int, set[str]] = {}
        for item in tested:
            numbers = self._changes if item.differs else self._stays
            for rest, number in _numbers(item):
                numbers.setdefault(rest, []).append(number)
            self._letters.setdefault(item.target, set()).update(_letters(item))
        self._raising = {item.target for item in self._own if item.after.is_error}
        resized = (item for item in self._own if _is_resized(item))
        self._resizing = {item.target for item in resized}

    def beyond(self, item: Input) -> bool:
        """Whether a differing input is no neighbour of a function's own, whatever way it takes."""
        mine = [own for own in self._own if own.target == item.target]
        if item.origin in {"own", "tested"} or item.is_retyped or not mine:
            return False
        if item.after.is_error and not item.before.is_error:
            excess = item.after.kind in _EXCESS and (item.after.kind, item.origin) != _HANGS
            return item.target not in self._raising and not excess
        if (item.before.text, item.after.text) == ("False", "True"):
            return bool(_letters(item) - self._letters[item.target])
        if _is_resized(item) and all(_size(own.before.text) is not None for own in mine):
            return item.target not in self._resizing
        return self._is_between(item)

    def _is_between(self, item: Input) -> bool:
        """Whether two answers that stay lie around a number of a call, and none that changes does."""
        for rest, number in _numbers(item):
            stays = self._stays.get(rest, ())
            if not stays or not min(stays) < number < max(stays):
                continue
            changes = self._changes.get(rest, ())
            if changes and not any(min(stays) < other < max(stays) for other in changes):
                return True
        return False

    def pinned(self, target: int) -> Iterator[tuple[Input, str, int, bool]]:
        """Yield own inputs whose new answer hangs on one text, number or type of a part of them.

        Each with the part, how many other values or types were tried, and whether these are types:
        all of them keep their answer, while the repair changes others. Numbers tell only of a change
        that brings values: else it moves a boundary.
        """
        for own in self._own:
            if own.target != target or own.is_common:
                continue
            tried: dict[tuple[str, bool], list[Input]] = {}
            others = False
            for item in self._inputs:
                if item.target != target or item.seed != own.seed or not item.varied:
                    continue
                others |= item.differs and not item.is_equal
                if not item.is_equal and not (item.is_retyped and item.before.is_error):
                    tried.setdefault((item.varied, item.is_retyped), []).append(item)
            known: set[str] = set()
            for (part, retyped), items in sorted(tried.items()) if others else ():
                least = _LEAST_TYPES if retyped else _LEAST
                kept = not any(item.differs for item in items) and len(items) >= least
                same = {item.before.text for item in items} == {own.before.text}
                if kept and part not in known and (same if retyped else self._tells(own, part)):
                    known.add(part)
                    yield own, part, len(items), retyped

    def _tells(self, own: Input, part: str) -> bool:
        """Whether a part is a text, or a number that may be an answer, and stands nowhere else."""
        values, all_of_it = _values(own, part), [*_constants(_parsed(own.call))]
        if len(values) == 1 and part[:1] not in {"'", '"'}:
            again = [node for node in all_of_it if node.value == values[0]]
            if len(again) > 1:  # renamed in all places, it tells
                return False
        numbers = self._brings and all(
            isinstance(value, (int, float)) and repr(value) not in COMMON for value in values
        )
        return bool(values) and (numbers or all(isinstance(value, str) for value in values))


def _numbers(item: Input) -> Iterator[tuple[tuple[object, ...], float]]:
    """Yield each number of a call as it is shown, with all else of the call."""
    tree = _parsed(item.call)
    for node in _constants(tree):
        number = node.value
        if isinstance(number, (int, float)):
            node.value = type(number).__name__
            yield (item.target, ast.dump(node if tree is None else tree)), number
            node.value = number


def _letters(item: Input) -> set[str]:
    """Return what is no letter or digit in the texts of a call."""
    values = [node.value for node in _constants(_parsed(item.call))]
    texts = [value for value in values if isinstance(value, str)]
    return {letter for text in texts for letter in text if not letter.isalnum()}


def _values(own: Input, part: str) -> list[object]:
    """Return the values that a part of a call may be, as far as its name tells which one."""
    if part[:1] in {"'", '"'}:
        return [ast.literal_eval(part)]
    name = part.rpartition(".")[2].partition("[")[0]
    tree = _parsed(own.call)
    named = [
        keyword.value
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == name
    ]
    return [getattr(node, "value", None) for node in named or _constants(tree)]


def _is_resized(item: Input) -> bool:
    """Whether a collection has another number of elements."""
    sizes = [_size(answer.text) for answer in (item.before, item.after)]
    return None not in sizes and sizes[0] != sizes[1]


def _size(text: str) -> int | None:
    tree = _parsed(text)
    body = tree.body if tree is not None else None
    if isinstance(body, (ast.List, ast.Tuple, ast.Set)):
        return len(body.elts)
    return len(body.keys) if isinstance(body, ast.Dict) else None


def _constants(tree: ast.Expression | None) -> Iterable[ast.Constant]:
    nodes = ast.walk(tree) if tree is not None else ()
    return [node for node in nodes if isinstance(node, ast.Constant)]


def _parsed(text: str) -> ast.Expression | None:
    try:
        return ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
