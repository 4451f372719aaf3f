"""Answer the conditions of a program that was made to ask for them."""

from __future__ import annotations

import ast
import contextlib
import sys
import types
from typing import Any, Callable, Tuple

from .protocol import MODULE

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
        module.tried = self._tried
        module.probed = self._probed
        module.caught = self._caught
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

    def _tried(self, number: int, raised: Callable[[], Any]) -> None:
        """Begin what a handler may end: it is not entered until `_caught` says so.

        Raises:
            BaseException: What the handler takes, where it is settled that it is entered.
        """
        if self._settled.get(number):
            raise _made(raised())
        self.seen.setdefault(number, {})

    def _caught(self, number: int, taken: Callable[[], Any]) -> Any:
        """Return what a handler takes, and note that it is entered if it takes what was raised."""
        kinds = taken()
        with contextlib.suppress(TypeError):  # no exceptions: the program says so itself
            if isinstance(sys.exc_info()[1], kinds):
                self._note(number, value=True)
        return kinds

    def _probed(self, number: int, raised: Callable[[], Any], probe: Callable[[], Any]) -> None:
        """Do what only shows whether it raises; settled, it does not, or raises at once."""
        if number in self._settled:
            self._tried(number, raised)
            return
        try:
            probe()
        except BaseException:
            self._note(number, value=True)
            raise
        self._note(number, value=False)

    def _note(self, number: int, value: Any) -> None:
        seen = self.seen.setdefault(number, {})
        text = repr(value)
        if len(seen) < _VALUES and len(text) <= _LONG:
            seen[text] = None


def _made(raised: Any) -> BaseException:
    """Return an exception of a class, or of the first of several, however it is made."""
    kind = raised[0] if isinstance(raised, tuple) else raised
    made: BaseException
    try:
        made = kind()
    except Exception:  # noqa: BLE001 - it wants to be told something
        made = kind.__new__(kind)
    return made
