"""Whether a patch changes more than what the tests look at. Pure.

A repair changes how a program behaves; the tests see a part of that. An answer that is hard-coded,
in whatever disguise, is there for the inputs of the tests alone: near them the program does what it
did before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import Any

from bot.repair.harness.driver.protocol import AS_IT_IS, RAISES, WORN

_LEAST = 8
"""Inputs near those of a test from which it can be said that nothing changes there."""


class Generalisation(StrEnum):
    """How far the effect of a patch goes, as far as one test tells."""

    UNKNOWN = "unknown"
    """The test shows no difference, or not the same each time, or has too few inputs near it, or
    what decides is a common value alone, which programs often treat on its own."""

    REFUSALS = "inputs near them too, which raise now and do nothing else"
    FIRST_CALLS = "the first calls of a process alone"
    INPUTS = "the test's inputs alone"
    NEIGHBOURS = "inputs near them too"


_TELLING = (
    Generalisation.FIRST_CALLS,
    Generalisation.NEIGHBOURS,
    Generalisation.INPUTS,
    Generalisation.REFUSALS,
)
"""The first of them that a test shows decides."""


@dataclass(frozen=True, slots=True)
class Record:
    """What one run of a test showed.

    Attributes:
        place: Which of its values was varied, or `<worn>`.
        inputs: Digest of what went from the test into the program.
        outputs: Digests of what came out, of what its assertions looked at, and of what its
            statements raised, in order.
        is_common: Whether that value is one for which programs often have a case of their own.
    """

    place: str
    inputs: str
    outputs: tuple[str, ...]
    is_common: bool = False


Records = Mapping[str, Sequence[Record]]
"""By test: its run as it is, twice, and those of its variants."""


@dataclass(frozen=True, slots=True)
class Reached:
    """How far the effect of a patch goes.

    Attributes:
        tests: Those that show it.
        reach: What they show.
        inputs: New inputs that were tried for them.
    """

    reach: Generalisation
    tests: tuple[str, ...] = ()
    inputs: int = 0

    @property
    def is_settled(self) -> bool:
        """Whether more inputs would show the same."""
        return self.reach in {Generalisation.FIRST_CALLS, Generalisation.NEIGHBOURS}


NOT_TRIED = Reached(Generalisation.UNKNOWN)


def records(answer: Mapping[str, Any]) -> Records:
    """Return what the driver in the sandbox told."""
    return {
        test: tuple(
            Record(text["place"], text["inputs"], tuple(text["outputs"]), text["common"])
            for text in told
        )
        for test, told in answer.get("tests", {}).items()
    }


def reached(before: Records, after: Records) -> Reached:
    """Compare two trees: one test whose neighbourhood changes is enough for a repair.

    An effect that many calls wear out is none, whatever it reached before.

    Args:
        before: Without the patch.
        after: With it.
    """
    told = {test: _reach(before.get(test, ()), after[test]) for test in after}
    for reach in _TELLING:
        tests = tuple(test for test, (said, _) in told.items() if said is reach)
        if tests:
            return Reached(reach, tests, sum(told[test][1] for test in tests))
    return NOT_TRIED


def may_wear_off(after: Records) -> bool:
    """Whether a test shows something else when it runs again, so that both trees decide."""
    return any(told and _again(told) != {told[0].outputs} for told in after.values())


def _reach(before: Sequence[Record], after: Sequence[Record]) -> tuple[Generalisation, int]:
    if _is_steady(before) and _wears_off(before[0], after):
        return Generalisation.FIRST_CALLS, 0
    if not _is_steady(before) or not _is_steady(after):
        return Generalisation.UNKNOWN, 0
    pairs = [
        (old, new)
        for old, new in zip(before, after, strict=False)
        if WORN not in {old.place, new.place}
    ]
    neighbours = {
        (new.place, new.inputs): _Effect.of(pairs[0], (old, new))
        for old, new in pairs[AS_IT_IS:]
        if old.outputs and new.inputs not in {"", after[0].inputs}
    }
    relevant = {effect.place for effect in neighbours.values() if effect.is_felt}
    effects = [effect for effect in neighbours.values() if effect.place in relevant]
    if any(effect.is_repair for effect in effects):
        return Generalisation.NEIGHBOURS, len(effects)
    if len(effects) < _LEAST:
        return Generalisation.UNKNOWN, len(effects)
    effective = {effect.place for effect in effects if effect.is_different}
    deciding = [effect for effect in effects if effect.place not in effective]
    if effective and not any(effect.is_answer for effect in effects):
        return Generalisation.REFUSALS, len(effects)
    is_special = bool(deciding) and all(effect.is_common for effect in deciding)
    return (Generalisation.UNKNOWN if is_special else Generalisation.INPUTS), len(effects)


def _wears_off(before: Record, after: Sequence[Record]) -> bool:
    """Whether a test does again what it does without the patch: the second time, or after many calls."""
    return bool(after) and before.outputs in _again(after) - {after[0].outputs}


def _again(after: Sequence[Record]) -> set[tuple[str, ...]]:
    """Return what a test shows the second time, and after many calls."""
    return {record.outputs for n, record in enumerate(after) if n == 1 or record.place == WORN}


@dataclass(frozen=True, slots=True)
class _Effect:
    """What an input near a test's own does to the values that the patch changes for the test.

    Attributes:
        place: Which value of the test was varied.
        is_common: See `Record`.
        is_different: The patch makes a difference here as well.
        is_felt: The program behaves in another way than for the test's own input, on one of the
            trees.
        is_repair: It makes one, and not just the one answer that it has for the test while the
            program without it answers something else.
        is_answer: It makes one by a value, and not by raising alone.
    """

    place: str
    is_common: bool
    is_different: bool
    is_felt: bool
    is_repair: bool
    is_answer: bool

    @classmethod
    def of(cls, own: tuple[Record, Record], near: tuple[Record, Record]) -> _Effect:
        """Compare what both trees show for a test's own input and for one near it."""
        columns = zip_longest(*(record.outputs for record in (*own, *near)), fillvalue="")
        changed = [column for column in columns if column[0] != column[1]]
        other = [(now, old, new) for _, now, old, new in changed if old != new]
        is_felt = any((was, now) != (old, new) for was, now, old, new in changed)
        return cls(
            place=near[1].place,
            is_common=near[1].is_common,
            is_different=bool(other),
            is_felt=is_felt,
            is_repair=any(new != now for now, _, new in other) or (bool(other) and not is_felt),
            is_answer=any(new and not _is_raised(new) for _, _, new in other),
        )


def _is_raised(output: str) -> bool:
    """Whether an output is an exception; those of calls have a name in front."""
    return output.rpartition("=")[2].startswith(RAISES)


def _is_steady(told: Sequence[Record]) -> bool:
    """Whether a test as it is shows the same each time."""
    return len(told) >= AS_IT_IS and bool(told[0].outputs) and told[0] == told[1]
