"""Prove the row *behaviour* of a proof card: what changed functions answer before and after."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.limited_process import TooMuch, run_limited
from bot.model.proof_card import Fact, FactKind, Nearness, Row, RowKind, RowState
from bot.repair.guards.literals import brings_values
from bot.repair.harness.client import driver_shell, question
from bot.repair.harness.driver.protocol import Compare
from bot.repair.harness.suite_command import SuiteCommand, suite_command
from bot.repair.verification.base_and_head import Compared, Sides
from bot.repair.verification.behaviour.changed_functions import (
    ChangedFunction,
    changed_functions,
    is_program,
    new_effects,
)
from bot.repair.verification.behaviour.differences import Differences
from bot.repair.verification.behaviour.inputs import Told, told
from bot.repair.verification.behaviour.other_languages import UNCOMPARED, in_other_languages
from bot.repair.verification.tree_files import decided
from bot.reporting.reasons import behaviour as sentences

_FUNCTIONS = 40
"""Changed functions that are run."""

_MOST_SECONDS = 120.0
"""However much time there is: more inputs tell little."""

_LARGE = 1_000_000
"""Bytes of a changed file that is put in place on both sides."""

_GRACE = 120.0
"""Seconds that the driver may take longer: it loads the tests twice."""

_MOST_BYTES = 40_000_000
"""Of an answer of the driver's."""


async def prove(sides: Sides, compared: Compared, *, name: str, seconds: float) -> Row:
    """Run the changed functions on both sides, with inputs grown from the tests' calls of them.

    Args:
        sides: Of the change.
        compared: What the tests showed.
        name: Front of the sandboxes' names.
        seconds: How long it may take, in wall time, beside loading the tests.
    """
    return await _Proof(sides, compared, name, min(seconds, _MOST_SECONDS)).row()


class _Proof:
    def __init__(self, sides: Sides, compared: Compared, name: str, seconds: float) -> None:
        self._sides = sides
        self._compared = compared
        self._name = name
        self._seconds = seconds

    async def row(self) -> Row:
        """Return the row."""
        try:
            functions = await run_limited(changed_functions, self._sides.changes)
            others = await run_limited(in_other_languages, self._sides.changes)
            effects = await run_limited(_effects, self._sides.changes)
        except TooMuch as error:
            return _undecided(str(error))
        both = [function for function in functions if function.is_on_both]
        facts = [*_gone(functions), *others]
        if not both and facts:
            return _undecided(sentences.nothing_compared(len(facts)), [*facts, *effects])
        facts += effects
        if not both and effects:
            return _undecided(sentences.ONLY_LOADED, facts)
        if not both:
            return Row(RowKind.BEHAVIOUR, RowState.NOT_ASKED, sentences.NOTHING_CHANGED)
        return await self._of(both, facts)

    async def _of(self, functions: Sequence[ChangedFunction], facts: Sequence[Fact]) -> Row:
        side = self._sides.after
        find = partial(suite_command, self._compared.command)
        suite = await decided(find, side.room.store, side.tree)
        if suite is None:
            return _undecided(sentences.NOT_RUN, [*_uncompared(functions, None), *facts])
        said = await self._asked(suite, functions[:_FUNCTIONS])
        if said is None or not said.tests:
            return _undecided(sentences.NO_ANSWER, [*_uncompared(functions, None), *facts])
        try:
            brings = await run_limited(brings_values, self._sides.changes)
        except TooMuch:
            brings = True
        return _row(functions, said, facts, proved=bool(self._compared.proving), brings=brings)

    async def _asked(
        self, suite: SuiteCommand, functions: Sequence[ChangedFunction]
    ) -> Told | None:
        """Return what the driver told; None where it could not load the tests."""
        side = self._sides.after
        request = _request(self._sides.changes, functions, self._compared, self._seconds)
        data = await side.room.answer(
            self._name, side.patch, question(suite, request), driver_shell(suite),
            self._seconds + _GRACE,
        )  # fmt: skip
        if data is None or len(data) > _MOST_BYTES:
            return None
        try:
            return await run_limited(_read, data)
        except TooMuch:
            return None


def _read(data: bytes) -> Told | None:
    """Return what the driver told; the file was written where the project's own code runs."""
    try:
        return told(json.loads(data))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _request(
    changes: Sequence[FileDiff],
    functions: Sequence[ChangedFunction],
    compared: Compared,
    seconds: float,
) -> Compare:
    laid = [change for change in changes if _is_laid(change)]
    programs = [change for change in changes if is_program(change)]
    return Compare(
        proving=list(compared.proving),
        seconds=seconds,
        before={change.path: _encoded(change.before) for change in laid},
        after={change.path: _encoded(change.after) for change in laid},
        targets=[
            {
                "file": function.file,
                "name": function.name.removesuffix(".setter"),
                "kind": function.kind,
                "before": function.before,
                "after": function.after,
            }
            for function in functions
        ],
        lines={
            "before": {change.path: change.differing[0].numbers for change in programs},
            "after": {change.path: change.differing[1].numbers for change in programs},
        },
    )


def _is_laid(change: FileDiff) -> bool:
    """Whether both sides have their own version of a file; of tests they have the head's."""
    size = max(len(change.before or b""), len(change.after or b""))
    modes = {change.mode_before, change.mode_after} - {None}
    plain = all(mode is not None and mode.startswith("100") for mode in modes)
    return plain and size <= _LARGE and not is_test_file(change.path)


def _encoded(data: bytes | None) -> str | None:
    return base64.b64encode(data).decode() if data is not None else None


def _row(
    functions: Sequence[ChangedFunction],
    said: Told,
    others: Sequence[Fact],
    *,
    proved: bool,
    brings: bool,
) -> Row:
    differences = Differences(said, brings=brings)
    compared = {item.target for item in said.inputs}
    shown = [*_facts(functions, differences)]
    facts = [*shown, *_uncompared(functions, said), *others]
    if not compared:
        return _undecided(sentences.nothing_compared(len(functions)), facts)
    if proved and not differences.differing:
        return _undecided(sentences.unseen(len(compared), differences.inputs), facts)
    counted = {near: differences.count(near) for near in Nearness}
    alone = differences.alone
    summary = sentences.summary(len(compared), differences.inputs, counted, alone)
    more = any(fact.kind is FactKind.NOT_JUDGED and fact.answers is None for fact in shown)
    leaves = alone or more or differences.leaves_the_neighbourhood
    state = RowState.NOT_SHOWN if leaves else RowState.SHOWN
    return Row(RowKind.BEHAVIOUR, state, summary, tuple(facts))


def _facts(functions: Sequence[ChangedFunction], differences: Differences) -> Iterator[Fact]:
    """Yield what differs: the tests' own inputs of all functions first, then near ones, then others."""
    found: list[Fact] = []
    for number, function in enumerate(functions):
        for group in differences.groups(number):
            own = group.example.nearness is Nearness.OWN
            kind = FactKind.PROVEN if own else FactKind.NOT_JUDGED
            text = sentences.difference(group.example, group.count)
            found.append(
                Fact(kind, text, function.name, function.file, function.after, None, group.example)
            )
        for item in differences.still(number):
            text = sentences.still(item.call, item.after.text)
            found.append(
                Fact(FactKind.NOT_JUDGED, text, function.name, function.file, function.after)
            )
        for seen, part, tried, retyped in differences.pinned(number):
            text = sentences.pinned(seen.call, part, tried, retyped=retyped)
            found.append(
                Fact(FactKind.NOT_JUDGED, text, function.name, function.file, function.after)
            )
        texts = [sentences.worn(*worn) for worn in differences.worn(number)]
        texts += [sentences.marked(*marked) for marked in differences.marked(number)]
        found += [
            Fact(FactKind.NOT_JUDGED, text, function.name, function.file, function.after)
            for text in texts
        ]
    order = list(Nearness)
    yield from sorted(
        found, key=lambda fact: order.index(fact.answers.nearness) if fact.answers else len(order)
    )


def _uncompared(functions: Sequence[ChangedFunction], said: Told | None) -> Iterator[Fact]:
    """Yield which functions were not compared, and why; None is told where no test was run."""
    texts = []
    for number, function in enumerate(functions):
        unrun = sentences.not_compared(function.name, "tests")
        text = unrun if said is None else _why_not(number, function.name, said)
        if text:
            texts.append((text, function))
    for text, function in texts[:UNCOMPARED]:
        yield Fact(FactKind.NOT_COVERED, text, function.name, function.file, function.after)
    if len(texts) > UNCOMPARED:
        left = len(texts) - UNCOMPARED
        yield Fact(FactKind.NOT_COVERED, sentences.more_not_compared(left))


def _why_not(number: int, name: str, said: Told) -> str:
    """Return why a function was not compared, empty where it was."""
    if any(item.target == number for item in said.inputs):
        return ""
    if number >= _FUNCTIONS:
        return sentences.not_compared(name, "too many")
    reasons = Counter(said.left_out.get(number, {}))
    if reasons:
        return sentences.not_compared(name, reasons.most_common(1)[0][0])
    if number in said.uncopied:
        return sentences.not_copied(name, said.uncopied[number])
    reason = "not called" if number not in said.called else "unloaded"
    return sentences.not_compared(name, reason)


def _gone(functions: Sequence[ChangedFunction]) -> Iterator[Fact]:
    """Yield the functions that a change takes away, and does not put elsewhere."""
    new = {function.name.rpartition(".")[2] for function in functions if not function.before}
    for function in functions:
        if not function.after and function.name.rpartition(".")[2] not in new:
            text = sentences.gone(function.name)
            yield Fact(FactKind.NOT_JUDGED, text, function.name, function.file)


def _effects(changes: Sequence[FileDiff]) -> list[Fact]:
    """Return what a change does when its modules are loaded, beyond what their functions answer."""
    return [
        Fact(
            FactKind.NOT_COVERED, sentences.loaded(item.file, item.line, item.text),
            item.text, item.file, item.line,
        )
        for item in new_effects(changes)
    ]  # fmt: skip


def _undecided(why: str, facts: Sequence[Fact] = ()) -> Row:
    return Row(RowKind.BEHAVIOUR, RowState.UNDECIDED, why, tuple(facts))
