"""A reason before it is worded: which sentence, and the facts that it tells.

What decides returns reasons, which compare as values; people get their words once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ParamSpec

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence of `bot/reporting` that is not said yet; see `because`."""

    sentence: Callable[..., str]
    facts: tuple[object, ...]
    named: tuple[tuple[str, object], ...]

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence(*self.facts, **dict(self.named))


def because(sentence: Callable[P, str], *facts: P.args, **named: P.kwargs) -> Reason:
    """Return the reason that a sentence tells of facts, as it would be called with them."""
    return Reason(sentence, facts, tuple(sorted(named.items())))


def worded(reasons: Iterable[Reason | str]) -> str:
    """Return reasons as one text, in their order; sentences that are constants stay as they are."""
    return " ".join(map(str, reasons))
