"""Find what code can do with a patch and could not do before, and protections that it loses. Pure.

All changed files count together: what moves from one to another is nothing new. What grants a
capability is in the tables that `capability_table.py` reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.code.syntax import compact, language_of, line_of, text_of
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.repair.guards.capability_table import table_of
from bot.repair.guards.granted_capabilities import (
    Grants,
    grants_of,
)
from bot.reporting.reasons import guards

_PROTECTIONS = frozenset({"unverified", "constant-time"})


def capabilities(changes: Sequence[FileDiff]) -> Iterator[GuardFinding]:
    """Yield a finding for each capability that is new, and for each protection that is gone.

    Args:
        changes: Readable files of a patch.
    """
    programs = [diff for diff in changes if not is_test_file(diff.path)]
    after = [(program, grants_of(program.new)) for program in programs if program.new is not None]
    # most patches neither grant nor touch any of it, and then the old files need not be read
    if not any(grants.gained for _, grants in after) and not any(map(_may_keep, programs)):
        return
    before = [(program, grants_of(program.old)) for program in programs if program.old is not None]
    known = {name for _, grants in before for name in grants.gained}
    for change, grants in after:
        for name, places in grants.gained.items():
            if name not in known:
                known.add(name)
                yield _gained(name, change, _newest(change, places))
    yield from _widened(before, after)
    for name in sorted({name for _, grants in before for name in grants.kept}):
        yield from _lost(name, before, after)


def _widened(
    before: Sequence[tuple[FileDiff, Grants]], after: Sequence[tuple[FileDiff, Grants]]
) -> Iterator[GuardFinding]:
    """Yield a finding for each new name that grants what another name granted before."""
    known = {key for _, grants in before for key in grants.by_name}
    had = {capability for capability, _ in known}
    for change, grants in after:
        for key, places in grants.by_name.items():
            if key[0] in had and key not in known:
                known.add(key)
                place = _newest(change, places)
                said = guards.capability_widened(key[0], _line(change, line_of(place)))
                yield found("capability-added", said, change.path, line_of(place))


def _may_keep(change: FileDiff) -> bool:
    """Whether a file may have used what must stay."""
    language = language_of(change.path)
    words = table_of(language).kept_words if language is not None else ()
    return any(word in (change.before or b"") for word in words)


def _newest(change: FileDiff, places: list[Node]) -> Node:
    """Return the first place on a line that the patch brings, else the first."""
    return next((place for place in places if change.added.hold(line_of(place))), places[0])


def _gained(name: str, change: FileDiff, place: Node) -> GuardFinding:
    shown = _line(change, line_of(place))
    if name in _PROTECTIONS:
        said = guards.protection_removed(name, shown)
        return found("protection-removed", said, change.path, line_of(place))
    said = guards.capability_added(name, shown)
    return found("capability-added", said, change.path, line_of(place))


def _lost(
    name: str,
    before: Sequence[tuple[FileDiff, Grants]],
    after: Sequence[tuple[FileDiff, Grants]],
) -> Iterator[GuardFinding]:
    """Yield a finding where all files together use something less often that must stay."""
    left = [compact(node) for _, grants in after for node in grants.kept.get(name, ())]
    places = [(change, node) for change, grants in before for node in grants.kept.get(name, ())]
    if len(left) >= len(places):
        return
    gone = [(change, node) for change, node in places if compact(node) not in left] or places
    change, place = gone[0]
    said = guards.protection_removed(name, text_of(place))
    yield found("protection-removed", said, change.path)


def _line(change: FileDiff, number: int) -> str:
    return change.lines_after[number - 1].strip()
