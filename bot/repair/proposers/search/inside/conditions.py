"""Answer the conditions of a program that was made to ask for them."""

from __future__ import annotations

import contextlib
import sys
import types
from typing import Any, Callable, Tuple

MODULE = "fixpoint_conditions"
"""Name of the module through which such a program asks."""

Settled = Tuple[int, bool]


class Conditions:
    """Settles one condition of this process, and notes what the others come to.

    Attributes:
        settled: The condition's number and its answer; None where each has its own.
        seen: The answers that conditions had, by number.
    """

    def __init__(self) -> None:
        self.settled: Settled | None = None
        self.seen: dict[int, set[bool]] = {}

    def offer(self) -> None:
        """Let programs of this process ask here."""
        module: Any = types.ModuleType(MODULE)
        module.decided = self._decided
        sys.modules[MODULE] = module

    def _decided(self, number: int, asked: Callable[[], Any]) -> Any:
        if self.settled is not None and self.settled[0] == number:
            return self.settled[1]
        value = asked()
        with contextlib.suppress(Exception):  # an array has no answer; the program says so itself
            self.seen.setdefault(number, set()).add(bool(value))
        return value
