"""A proof card: what was shown of a change, what was not, and what nobody looked at.

A card never says yes or no. Each row has its facts, and each fact stands in one of four lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class RowKind(StrEnum):
    """What a row is about, by the name that the repo config and JSON have for it."""

    TESTS = "tests"
    """Do the tests of the change fail without it and pass with it?"""

    SUITE = "suite"
    """What becomes of all other tests?"""

    MUTANTS = "mutants"
    """Which faults in the changed lines do the tests notice?"""

    BEHAVIOUR = "behaviour"
    """What do the changed functions answer before and after?"""

    NECESSITY = "necessity"
    """Which parts of the change does a test need?"""

    CAPABILITIES = "capabilities"
    """What can the program do that it could not before?"""

    STABILITY = "stability"
    """Do the new tests always give the same result?"""

    REPRODUCTION = "reproduction"
    """Do the steps of the issue show the bug before, and not after?"""


class RowState(StrEnum):
    """What came of a row."""

    SHOWN = "shown"
    """What the row asks was shown, or nothing speaks against it."""

    NOT_SHOWN = "not shown"
    """It was looked for, and something is missing: the facts say what."""

    REFUTED = "refuted"
    """An experiment speaks against the change."""

    UNDECIDED = "undecided"
    """The time ended, or it can't be run here: the summary says why."""

    NOT_ASKED = "not asked"
    """There is nothing to show: no test was added, nothing new can be done."""


class FactKind(StrEnum):
    """In which list a fact stands."""

    PROVEN = "proven"
    NOT_JUDGED = "changed but not judged"
    NOT_COVERED = "not covered"
    REFUTED = "refuted"


class Nearness(StrEnum):
    """Where an input on which both sides differ comes from."""

    OWN = "inputs of the tests that the change turns green"
    NEIGHBOUR = "inputs near these"
    ELSEWHERE = "other inputs"


@dataclass(frozen=True, slots=True)
class Answers:
    """What a function answers on both sides.

    Attributes:
        call: As a person would write it: `clamp(low=3, high=1)`.
        before: Its answer at the base, as text: a value, `raises KeyError`, or `does not end`.
        after: At the head.
        nearness: Where the input comes from.
    """

    call: str
    before: str
    after: str
    nearness: Nearness


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that an experiment, or a reading of the change, says.

    Attributes:
        kind: In which list it stands.
        text: One sentence for people, in Markdown; a part of a patch in it is data, in code marks.
        subject: What it is about: a test's id, a function, a file.
        file: Of the head, relative to the repository's root; None where it has no place.
        line: Of the head, from 1.
        end_line: The last one.
        answers: On both sides, where the fact is such a difference.
    """

    kind: FactKind
    text: str
    subject: str = ""
    file: str | None = None
    line: int | None = None
    end_line: int | None = None
    answers: Answers | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a card.

    Attributes:
        kind: What it is about.
        state: What came of it.
        summary: One sentence for people, in Markdown: what was shown, or why it is undecided.
        facts: Its evidence, most important first.
        ran: The commands that were run for it.
        seconds: Wall time that it took.
    """

    kind: RowKind
    state: RowState
    summary: str
    facts: tuple[Fact, ...] = ()
    ran: tuple[str, ...] = ()
    seconds: float = 0.0


_NEEDED = frozenset({RowKind.NECESSITY, RowKind.BEHAVIOUR, RowKind.REPRODUCTION})
"""Rows whose *not covered* a person has to look at: nothing shows what that does.

Not so a fault that no test notices in a line that tests need, nor a test that fails on both sides.
"""

_CAN_STAY_OPEN = frozenset({RowKind.MUTANTS, RowKind.REPRODUCTION})
"""Rows that may stay undecided."""


def left_open(rows: Iterable[Row]) -> tuple[Fact, ...]:
    """Return what a person has to look at before a change is used, the rows in their order.

    That is what no test needs or could compare, and what changes beyond the neighbourhood of the tests'
    own inputs. A row that shows nothing and has no such fact is one itself.
    """
    found: list[Fact] = []
    for row in rows:
        facts = [fact for fact in row.facts if _stays_open(row.kind, fact)]
        if not facts and _is_open(row):
            facts = [Fact(FactKind.NOT_COVERED, row.summary)]
        found += facts
    return tuple(found)


def _stays_open(kind: RowKind, fact: Fact) -> bool:
    if fact.kind is FactKind.NOT_JUDGED:
        return fact.answers is None or fact.answers.nearness is not Nearness.NEIGHBOUR
    return fact.kind is FactKind.REFUTED or (fact.kind is FactKind.NOT_COVERED and kind in _NEEDED)


def _is_open(row: Row) -> bool:
    if row.kind is RowKind.MUTANTS:
        return False
    undecided = row.state is RowState.UNDECIDED and row.kind not in _CAN_STAY_OPEN
    return undecided or row.state in {RowState.NOT_SHOWN, RowState.REFUTED}


@dataclass(frozen=True, slots=True)
class ProofCard:
    """What was shown of a change.

    Attributes:
        base: Commit without the change (40 hex digits).
        head: Commit with it, or the id of its tree where nobody committed it.
        rows: In the order of `RowKind`; a card that is still growing has some of them.
        setup: Commands by which anyone sets it up.
        test: The command that runs the whole suite.
        notes: What a person should know besides, one sentence each.
        problem: Why nothing could be shown at all (the setup fails, ...), as a sentence, or empty.
        setup_output: The end of what a setup printed that failed, else empty.
        outside: Whether that is not the change's doing: a sandbox or the disk fails.
        seconds: Wall time of everything.
        again: The command that shows the same once more, where base and head don't say it.
    """

    base: str
    head: str
    rows: tuple[Row, ...] = ()
    setup: tuple[str, ...] = ()
    test: str = ""
    notes: tuple[str, ...] = ()
    problem: str = ""
    outside: bool = False
    seconds: float = 0.0
    setup_output: str = ""
    again: str = ""

    def row(self, kind: RowKind) -> Row | None:
        """Return the row of a kind, if it is there yet."""
        return next((row for row in self.rows if row.kind is kind), None)

    def facts(self, kind: FactKind) -> tuple[Fact, ...]:
        """Return the facts of one list, in the order of the rows."""
        return tuple(fact for fact in self._facts() if fact.kind is kind)

    def _facts(self) -> Iterator[Fact]:
        for row in self.rows:
            yield from row.facts

    def fails(self, required: frozenset[RowKind]) -> bool:
        """Whether a row that is required is refuted or not shown, or the change lets nothing be shown."""
        failing = {RowState.REFUTED, RowState.NOT_SHOWN}
        wanted = [row for row in self.rows if row.kind in required]
        unusable = bool(self.problem) and not self.outside
        return unusable or any(row.state in failing for row in wanted)
