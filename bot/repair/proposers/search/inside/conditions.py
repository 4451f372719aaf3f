"""Answer the conditions of a program that was made to ask for them."""

from __future__ import annotations

import ast
import contextlib
import sys
import types
from typing import Any, Callable, Tuple

MODULE = "fixpoint_conditions"
"""Name of the module through which such a program asks."""

Settled = Tuple[Tuple[int, str], ...]
"""Numbers of conditions, each with the value that stands in its place, as Python writes it."""

_VALUES = 8
"""Different values of one condition that are told."""

_LONG = 200
"""Characters of a value that is told."""


class Conditions:
    """Settles conditions of this process, and notes what they come to otherwise.

    Attributes:
        seen: The values that conditions had, by number and in order, as Python writes them.
    """

    def __init__(self) -> None:
        self.seen: dict[int, dict[str, None]] = {}
        self._settled: dict[int, Any] = {}

    def settle(self, settled: Settled) -> None:
        """Let these conditions have these values from now on, and forget what was seen."""
        self._settled = {number: ast.literal_eval(value) for number, value in settled}
        self.seen = {}

    def told(self) -> list[list[Any]]:
        """Return what was seen, in the order of numbers."""
        return [[number, list(values)] for number, values in sorted(self.seen.items())]

    def offer(self) -> None:
        """Let programs of this process ask here."""
        module: Any = types.ModuleType(MODULE)
        module.decided = self._decided
        module.selected = self._selected
        sys.modules[MODULE] = module

    def _decided(self, number: int, asked: Callable[[], Any]) -> Any:
        """Return what a branch depends on."""
        if number in self._settled:
            with contextlib.suppress(Exception):  # it may fail where it is not asked otherwise
                asked()
            return self._settled[number]
        value = asked()
        with contextlib.suppress(Exception):  # an array has no answer; the program says so itself
            self._note(number, bool(value))
        return value

    def _selected(self, number: int, asked: Callable[[], Any]) -> Any:
        """Return what is looked up, in a table or elsewhere; it is settled if it is a plain value."""
        if number in self._settled:
            with contextlib.suppress(Exception):
                asked()
            return self._settled[number]
        value = asked()
        if value is None or type(value) in (bool, int, float, str, bytes):
            self._note(number, value)
        return value

    def _note(self, number: int, value: Any) -> None:
        seen = self.seen.setdefault(number, {})
        text = repr(value)
        if len(seen) < _VALUES and len(text) <= _LONG:
            seen[text] = None
