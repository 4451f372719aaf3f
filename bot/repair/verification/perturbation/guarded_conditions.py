"""Which conditions of a patch keep inputs near those of the tests from what it does for them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.repair.harness.driver.protocol import AS_IT_IS, FLAG
from bot.repair.verification.generalisation import (
    Reached,
    Record,
    reached,
)

EACH = "*"
"""Place of the variants in which every value of a test is another one."""

Settled = tuple[tuple[int, str], ...]
"""Numbers of conditions, each with the value that stands in its place."""

Outputs = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ObservedRun:
    """What one run of a test showed, and what it shows with conditions settled.

    Attributes:
        place: Which of its values was varied, and how.
        inputs: Digest of what went from the test into the program.
        outputs: Digests of what came out.
        settled: The same by settled conditions, where they have other values than their own.
        is_common: See `Record`.
        seen: What conditions came to, by number.
        moved: Whether a number became larger (1) or smaller (-1); 0 for anything else.
    """

    place: str
    inputs: str
    outputs: Outputs
    settled: Mapping[Settled, Outputs]
    is_common: bool = False
    seen: tuple[tuple[int, Outputs], ...] = ()
    moved: int = 0

    @property
    def value(self) -> str:
        """Which of the test's values was varied."""
        return self.place.rpartition(":")[0]

    @property
    def record(self) -> Record:
        """The same, whatever is settled."""
        return Record(self.value, self.inputs, self.outputs, self.is_common)


ShownByTest = Mapping[str, Sequence[ObservedRun]]
"""A test, or a call of it, as it is, twice, and its variants."""


@dataclass(frozen=True, slots=True)
class Gained:
    """Something that a changed file was heard to do: a capability by its name, an audit event, a place."""

    capability: str
    event: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class BothTrees:
    """What the tests, and calls of theirs into changed code, showed on both trees.

    Attributes:
        before: Without the patch.
        after: With it, its conditions watched.
        calls: Names of those that are calls.
        gained: What the changed files were heard to do with the patch alone.
    """

    before: ShownByTest
    after: ShownByTest
    calls: frozenset[str] = frozenset()
    gained: tuple[Gained, ...] = ()

    @property
    def was_tried(self) -> bool:
        """Whether the tests could be loaded in the way that varies them."""
        return bool(self.after)

    @property
    def reach(self) -> Reached:
        """How far the effect of the patch goes, as far as calls tell."""
        before: dict[str, list[Record]] = {}
        after: dict[str, list[Record]] = {}
        for name in self.calls:
            pairs = self._pairs(name)
            before[name] = [old.record for old, _ in pairs]
            after[name] = [new.record for _, new in pairs]
        return reached(before, after)

    def _pairs(self, name: str) -> list[tuple[ObservedRun, ObservedRun]]:
        """Return what both trees show of the same variants."""
        told = {item.place: item for item in self.before.get(name, ())}
        return [(told[item.place], item) for item in self.after[name] if item.place in told]

    @property
    def compared(self) -> int:
        """How many variants there are of which both trees tell what they do."""
        return sum(
            len(self._pairs(name)) - AS_IT_IS
            for name, told in self.after.items()
            if is_steady(told)
            and is_steady(self.before.get(name, ()))
            and told[0].outputs != self.before[name][0].outputs
        )


NOTHING = BothTrees({}, {})


def shown_on_both(answer: Mapping[str, Any]) -> BothTrees:
    """Return what the driver in the sandbox told."""
    calls = frozenset(answer.get("calls", ()))
    before, after = (shown(answer.get(side, {})) for side in ("before", "after"))
    for name in calls:
        keys = _keys(before.get(name, ())) & _keys(after.get(name, ()))
        before, after = (_only(entry, name, keys) for entry in (before, after))
    gained = tuple(Gained(*item) for item in answer.get("gained", ()))
    return BothTrees(before, after, calls, gained)


def shown(tests: Mapping[str, Any]) -> ShownByTest:
    """Return what the driver told of one tree."""
    return {test: tuple(map(_shown, told)) for test, told in tests.items()}


def _shown(entry: Mapping[str, Any]) -> ObservedRun:
    settled = {
        tuple((number, value) for number, value in pairs): tuple(outputs)
        for pairs, outputs in entry.get("settled", ())
    }
    seen = tuple((number, tuple(values)) for number, values in entry.get("seen", ()))
    return ObservedRun(
        entry["place"], entry["inputs"], tuple(entry["outputs"]), settled, entry["common"], seen,
        entry.get("moved", 0),
    )  # fmt: skip


def _keys(told: Sequence[ObservedRun]) -> set[str]:
    """Return the names of what a call was seen to leave."""
    return {output.rpartition("=")[0] for output in told[0].outputs} if told else set()


def _only(told: ShownByTest, name: str, keys: set[str]) -> ShownByTest:
    """Return the records with what can be compared of a call: a patch may bring attributes."""

    def kept(outputs: Outputs) -> Outputs:
        return tuple(output for output in outputs if output.rpartition("=")[0] in keys)

    records = tuple(
        replace(
            item,
            outputs=kept(item.outputs),
            settled={key: kept(outputs) for key, outputs in item.settled.items()},
        )
        for item in told.get(name, ())
    )
    return {**told, name: records}


@dataclass(frozen=True, slots=True)
class HeldBack:
    """Conditions that keep inputs near those of the tests from what the patch does for them.

    Attributes:
        settled: Their numbers, with the values that they have for the tests.
        inputs: How many they keep away.
        of: Inputs that the patch would reach without them.
    """

    settled: Settled
    inputs: int
    of: int


_LEAST = 3
"""Inputs that have to be kept away before a condition is worth a word."""

_SHARE = 5
"""Of so many inputs one has to be kept away, where the same value of a test is varied."""


def held_back(trees: BothTrees) -> tuple[HeldBack, ...]:
    """Return the conditions that keep a patch from having its effect near the tests' inputs.

    Several of them together only where none does alone.
    """
    needed: set[Settled] = set()
    away: Counter[tuple[Settled, str, str]] = Counter()
    gained: Counter[tuple[Settled, str, str]] = Counter()
    for test, shown_after in trees.after.items():
        was, told = trees.before.get(test, ()), _joined(shown_after)
        if not is_steady(was) or not is_steady(told):
            continue
        own = told[0]
        needed |= {pair for pair, outputs in own.settled.items() if outputs != own.outputs}
        old = {item.place: item.outputs for item in was}
        answers = {pair for new in told for pair in new.settled}
        for new in told[AS_IT_IS:]:
            for answer in answers if old.get(new.place) else ():
                gains, is_away = _gained(old[new.place], new, answer)
                value = (answer, test, new.value)
                gained[value] += gains
                away[value] += gains and is_away
    kept = [value for value in +gained if away[value] * _SHARE >= gained[value]]
    found = [
        HeldBack(
            pair,
            inputs=sum(away[value] for value in kept if value[0] == pair),
            of=sum(gained[value] for value in kept if value[0] == pair),
        )
        for pair in sorted({value[0] for value in kept} - needed)
    ]
    flags = {value[0] for value in kept if value[2].startswith(FLAG)}  # it has one other value
    enough = [item for item in found if item.inputs >= _LEAST or item.settled in flags]
    alone = [item for item in enough if len(item.settled) == 1]
    return tuple(alone or enough)


def _gained(old: Outputs, new: ObservedRun, settled: Settled) -> tuple[bool, bool]:
    """Return whether an input gains by settled conditions, and whether it is kept away without them.

    Where every value of a table is varied at once, each row is an input of its own.
    """
    then = new.settled.get(settled, new.outputs)
    if new.value == EACH and len(old) == len(new.outputs) == len(then):
        rows = [
            now == was
            for was, now, other in zip(old, new.outputs, then, strict=True)
            if other != was
        ]
        return bool(rows), any(rows)
    return then not in {(), old}, new.outputs == old


def _joined(told: Sequence[ObservedRun]) -> Sequence[ObservedRun]:
    """Return records in which conditions that are settled together are always the same ones."""
    several = {
        pair for item in told for settled in item.settled if len(settled) > 1 for pair in settled
    }
    whole = tuple(sorted(dict(sorted(several)).items()))
    return [
        replace(
            item,
            settled={
                (whole if len(settled) > 1 else settled): outputs
                for settled, outputs in item.settled.items()
            },
        )
        for item in told
    ]


def is_steady(told: Sequence[ObservedRun]) -> bool:
    """Whether a test as it is shows the same each time."""
    return len(told) > AS_IT_IS and bool(told[0].outputs) and told[0].outputs == told[1].outputs
