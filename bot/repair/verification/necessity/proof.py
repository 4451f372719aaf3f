"""Row *necessity* of a proof card: is each part of a change needed by a test?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.code.change import FileDiff
from bot.code.files import is_lock, is_manifest, is_restored, is_steering
from bot.code.syntax import language_of
from bot.model.proof_card import Fact, FactKind, Row, RowKind, RowState
from bot.repair.verification.base_and_head import Compared, Sides
from bot.repair.verification.forgery.command_files import source_of
from bot.repair.verification.necessity.trials import PartTrials, PartVerdicts, live
from bot.repair.verification.necessity.units import ChangePart
from bot.reporting.reasons import proof_parts as reasons


async def prove(sides: Sides, compared: Compared, *, name: str, seconds: float) -> Row:
    """Put the parts of a change back one at a time, and see whether a test fails.

    Args:
        sides: Both sides of the change.
        compared: What the tests showed.
        name: Of the sandboxes.
        seconds: Wall time after which no other run is begun.

    Raises:
        PatchDoesNotApply: The tree is not what the change was made for.
    """
    trials = PartTrials(sides, compared, name, seconds)
    told = await live(sides, compared, name)
    units = told.units
    if not units:
        return Row(RowKind.NECESSITY, RowState.NOT_ASKED, reasons.NOTHING_TO_PUT_BACK)
    known = {unit: seen for unit, seen in told.verdicts.items() if unit in set(units)}
    unread = await _unread(trials, sides, compared, units, known)
    opened = [unit for unit in units if unit.file not in unread]
    decided = await trials.decide(opened, known)
    kinds = {change.path: _kind(change) for change in sides.changes}
    facts = [
        *_unneeded(decided),
        *(
            Fact(FactKind.NOT_COVERED, reasons.not_opened(path, kinds[path]), path, path)
            for path in sorted(unread)
        ),
    ]
    untried = decided.untried(opened)
    return Row(
        RowKind.NECESSITY,
        _state(facts, decided, untried),
        reasons.parts_needed(
            sum(seen is True for seen in decided.verdicts.values()),
            len(decided.unnoticed),
            len(unread),
            len(untried),
            sum(seen is None for seen in decided.verdicts.values()),
        ),
        tuple(facts),
        tuple(trials.ran),
    )


def _state(facts: Sequence[Fact], decided: PartVerdicts, untried: Sequence[ChangePart]) -> RowState:
    if facts:
        return RowState.NOT_SHOWN
    tried = any(seen is not None for seen in decided.verdicts.values())
    return RowState.UNDECIDED if untried or not tried else RowState.SHOWN


async def _unread(
    trials: PartTrials,
    sides: Sides,
    compared: Compared,
    units: Sequence[ChangePart],
    known: dict[ChangePart, bool],
) -> frozenset[str]:
    """Return the changed files that no run opens; what a test was seen to notice was opened."""
    seen = {unit.file for unit, noticed in known.items() if noticed}
    there = {change.path for change in sides.changes if not change.is_gone}
    doubtful = {unit.file for unit in units} & there - seen
    if not doubtful or not trials.reaches_suite:
        return frozenset()
    room, patch = sides.after.room, sides.after.patch
    _, trace = await room.observe_reads(f"{trials.name}-reads", compared.command, patch)
    trials.ran[compared.command] = None
    read = {source_of(each.path) for each in trace.reads}
    started = {word for program in trace.programs for word in program.arguments}
    return frozenset(doubtful - read - started) if read else frozenset()


def _unneeded(decided: PartVerdicts) -> Iterator[Fact]:
    for unit in decided.unnoticed:
        is_whole = unit.shown == unit.file and not unit.depth
        if is_whole:
            said = reasons.file_not_needed(unit.file)
        elif unit in decided.sure:
            said = reasons.not_needed(
                unit.file, unit.line, unit.end_line, unit.shown, removed=unit.is_removal
            )
        else:
            said = reasons.not_needed_by_proving(unit.file, unit.line, unit.end_line, unit.shown)
        lines = (None, None) if is_whole else (unit.line, unit.end_line)
        yield Fact(FactKind.NOT_COVERED, said, unit.shown, unit.file, *lines)


def _kind(change: FileDiff) -> str:
    """Return what a file is, as people call it."""
    if is_restored(change.path) or is_steering(change.path):
        return "it settles how tests, checks or CI run"
    if is_manifest(change.path) or is_lock(change.path):
        return "it lists dependencies"
    if language_of(change.path) is not None or (change.after or b"").startswith(b"#!"):
        return "a program"
    return "a new file" if change.is_new else "a changed file"
