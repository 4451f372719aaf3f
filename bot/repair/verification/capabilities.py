"""Row *capabilities* of a proof card: what can the program do that it could not before? Nothing runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.code.change import FileDiff
from bot.code.files import is_restored, is_steering, is_test_file
from bot.code.syntax import compact, line_of, text_of
from bot.limited_process import TooMuch, run_limited
from bot.model import GuardFinding
from bot.model.proof_card import Fact, FactKind, Row, RowKind, RowState
from bot.repair.guards.additions import additions
from bot.repair.guards.capabilities import capabilities
from bot.repair.guards.exceptions import removed_code, swallowed
from bot.repair.guards.foreign_code import foreign_code
from bot.repair.guards.granted_capabilities import relevant_calls
from bot.repair.guards.lookalike_objects import stand_ins
from bot.repair.verification.base_and_head import Compared, Sides
from bot.reporting.reasons import proof_parts as reasons


async def prove(sides: Sides, compared: Compared, *, name: str, seconds: float) -> Row:
    """Read the change for what it brings; no run decides whether that is wanted."""
    del compared, name, seconds
    try:  # a program can be written so that reading it takes long
        facts = await run_limited(new_capabilities, sides.changes)
    except TooMuch as error:
        return Row(RowKind.CAPABILITIES, RowState.UNDECIDED, str(error))
    if not facts:
        return Row(RowKind.CAPABILITIES, RowState.NOT_ASKED, reasons.NOTHING_NEW)
    said = reasons.newly_able(len(facts))
    return Row(RowKind.CAPABILITIES, RowState.NOT_SHOWN, said, facts)


def new_capabilities(changes: Sequence[FileDiff]) -> tuple[Fact, ...]:
    """Return what a change newly can: each as a fact for a person to judge.

    Args:
        changes: Its files.
    """
    readable = [change for change in changes if change.is_readable]
    programs = [change for change in readable if not is_test_file(change.path)]
    findings = [
        *capabilities(readable),
        *foreign_code(readable),
        *stand_ins(readable),
        *(item for change in programs for item in swallowed(change, removed_code(readable))),
        *(item for change in changes for item in additions(change)),
    ]
    said = [_fact(item) for item in dict.fromkeys(findings)]
    known = {(fact.file, fact.line) for fact in said}
    calls = [call for change in programs for call in _calls(change)]
    builds = [_build(change.path) for change in changes if _decides(change)]
    return (*said, *(call for call in calls if (call.file, call.line) not in known), *builds)


def _fact(finding: GuardFinding) -> Fact:
    return Fact(
        FactKind.NOT_JUDGED, finding.message, finding.rule, finding.file, finding.line, finding.line
    )


def _decides(change: FileDiff) -> bool:
    """Whether a file settles how the program is built or checked."""
    if is_test_file(change.path):
        return False
    return is_restored(change.path) or is_steering(change.path)


def _build(path: str) -> Fact:
    return Fact(FactKind.NOT_JUDGED, reasons.build_changed(path), path, path)


def _calls(change: FileDiff) -> Iterator[Fact]:
    """Yield the calls that can do more than compute and are new, or have other arguments now."""
    if change.new is None:
        return
    before = [*relevant_calls(change.old)] if change.old is not None else []
    after = [*relevant_calls(change.new)]
    kept, there = {compact(node) for _, node in after}, {compact(node) for _, node in before}
    gone = [(name, node) for name, node in before if compact(node) not in kept]
    for name, node in after:
        if compact(node) in there or not change.added.touch(node):
            continue
        old = next((item for item in gone if item[0] == name), None)
        if old is not None:
            gone.remove(old)
            said = reasons.arguments_changed(text_of(old[1]), text_of(node))
        else:
            said = reasons.call_added(text_of(node))
        line = line_of(node)
        yield Fact(FactKind.NOT_JUDGED, said, name, change.path, line, node.end_point.row + 1)
