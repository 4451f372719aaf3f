"""Which conditions of a patch hold for one number alone, the tests' own. Pure.

A repair that treats a number on its own (`if n == 10`) may be right, or may be the answer to one
test. Its condition differs from that of a bound: it fails on both sides of the number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.repair.harness.driver.protocol import AS_IT_IS
from bot.repair.verification.perturbation.guarded_conditions import (
    Shown,
    ShownByTest,
    Trees,
    is_steady,
)

_LEAST = 5
"""Other numbers from which it can be said that a condition holds for none of them."""

_BOTH_SIDES = {1, -1}


@dataclass(frozen=True, slots=True)
class SingledOut:
    """A condition that holds for one number of a test alone, as far as others were tried.

    Attributes:
        number: Of the condition.
        others: Numbers for which it does not hold, and the program does what it did before.
    """

    number: int
    others: int


def singled_out(trees: Trees) -> SingledOut | None:
    """Return the condition for which most other numbers were tried in vain, None where there is none."""
    found = [out for name in trees.calls for out in _in_call(name, trees.before, trees.after)]
    return max(found, key=lambda item: item.others, default=None)


def _in_call(name: str, before: ShownByTest, after: ShownByTest) -> Iterator[SingledOut]:
    was, told = before.get(name, ()), after.get(name, ())
    if not is_steady(was) or not is_steady(told) or was[0].outputs == told[0].outputs:
        return
    old = {shown.place: shown.outputs for shown in was}
    numbers: dict[str, dict[str, Shown]] = {}
    for shown in told[AS_IT_IS:]:
        if shown.moved and not shown.is_common and old.get(shown.place):
            numbers.setdefault(shown.value, {})[shown.inputs] = shown
    for others in numbers.values():
        if all(new.outputs == old[new.place] for new in others.values()):
            yield from _holding_here(told[0], [*others.values()])


def _holding_here(own: Shown, others: Sequence[Shown]) -> Iterator[SingledOut]:
    """Yield the conditions that come to something else than for the test wherever they are asked."""
    for number, values in own.seen:
        asked = [shown for shown in others if dict(shown.seen).get(number)]
        if len(values) == 1 and len(asked) >= _LEAST \
                and {shown.moved for shown in asked} == _BOTH_SIDES \
                and all(values[0] not in dict(shown.seen)[number] for shown in asked):  # fmt: skip
            yield SingledOut(number, len(asked))
