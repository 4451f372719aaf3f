"""Row *mutants* of a proof card: which faults in the changed lines do the tests notice?"""

from __future__ import annotations

from dataclasses import dataclass

from bot.limited_process import TooMuch, run_limited
from bot.model import MutantResults, Survivor
from bot.model.proof_card import Fact, FactKind, Row, RowKind, RowState
from bot.repair.verification.base_and_head import Compared, Sides
from bot.repair.verification.necessity.trials import LiveTold, PartTrials, live
from bot.repair.verification.necessity.units import crashes_in
from bot.reporting.reasons import proof_parts as parts

_NEAR = 2
"""Lines between two statements that are told as one place."""


async def prove(sides: Sides, compared: Compared, *, name: str, seconds: float) -> Row:
    """Return the row of what `planted` returns."""
    return (await planted(sides, compared, name=name, seconds=seconds)).row


@dataclass(frozen=True, slots=True)
class Planted:
    """What the tests notice.

    Attributes:
        row: For people.
        results: Counted; None where no fault was tried.
    """

    row: Row
    results: MutantResults | None = None


async def planted(sides: Sides, compared: Compared, *, name: str, seconds: float) -> Planted:
    """Plant faults in the changed lines, and see which of them the tests notice.

    Args:
        sides: Both sides of the change.
        compared: What the tests showed.
        name: Of the sandboxes.
        seconds: Wall time after which no other run is begun.

    Raises:
        PatchDoesNotApply: The tree is not what the change was made for.
    """
    if not (compared.after.passed or compared.after.counts):
        return Planted(Row(RowKind.MUTANTS, RowState.NOT_ASKED, parts.NO_TESTS))
    trials = PartTrials(sides, compared, name, seconds)
    told = await live(sides, compared, name)
    faults = told.faults
    known = {unit: seen for unit, seen in told.verdicts.items() if unit in set(faults)}
    decided = await trials.decide(faults, known)
    unrun = await _unrun(trials, sides, told)
    tried = [seen for seen in decided.verdicts.values() if seen is not None]
    facts = (
        *(
            Fact(
                FactKind.NOT_COVERED, parts.fault_unnoticed(unit.file, unit.line, unit.shown),
                unit.shown, unit.file, unit.line, unit.line,
            )
            for unit in decided.unnoticed
            if not any(lines.file == unit.file and unit.line in lines.numbers for lines in unrun)
        ),
        *(
            Fact(
                FactKind.NOT_COVERED, parts.lines_unrun(lines.file, lines.first, lines.last),
                "", lines.file, lines.first, lines.last,
            )
            for lines in unrun
        ),
    )  # fmt: skip
    untried = len(decided.untried(faults))
    if not tried and not unrun and not untried:
        return Planted(Row(RowKind.MUTANTS, RowState.NOT_ASKED, parts.NOTHING_TO_PLANT))
    state = RowState.UNDECIDED if untried else RowState.SHOWN
    said = parts.tests_notice(
        sum(tried), len(tried), sum(len(lines.numbers) for lines in unrun), untried
    )
    ran = tuple(trials.ran) or (compared.command,)
    row = Row(RowKind.MUTANTS, RowState.NOT_SHOWN if facts else state, said, facts, ran)
    survivors = tuple(Survivor(item.file, item.line, item.shown) for item in decided.unnoticed)
    return Planted(row, MutantResults(sum(tried), survivors, untried) if tried else None)


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines of one place that no test runs.

    Attributes:
        file: Their file.
        numbers: Of the statements, from 1.
    """

    file: str
    numbers: tuple[int, ...]

    @property
    def first(self) -> int:
        """The first one."""
        return self.numbers[0]

    @property
    def last(self) -> int:
        """The last one."""
        return self.numbers[-1]


async def _unrun(trials: PartTrials, sides: Sides, told: LiveTold) -> list[_Lines]:
    """Return the changed lines that no test runs, by place: the suite passes with all of them broken.

    What tests run in other processes is not seen in theirs.
    """
    if told.ran is None:
        return []
    try:  # a program can be written so that reading it takes long
        crashes = await run_limited(crashes_in, sides.changes)
    except TooMuch:
        return []
    broken = [unit for unit in crashes if (unit.file, unit.line) not in told.ran]
    if (
        not broken
        or not trials.reaches_suite
        or await trials.noticed(broken, whole=True) is not False
    ):
        return []
    found: list[_Lines] = []
    for unit in broken:
        last = found[-1] if found else None
        if last is not None and last.file == unit.file and unit.line - last.last <= _NEAR:
            found[-1] = _Lines(unit.file, (*last.numbers, unit.line))
        else:
            found.append(_Lines(unit.file, (unit.line,)))
    return found
