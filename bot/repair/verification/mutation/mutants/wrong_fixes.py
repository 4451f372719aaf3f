"""Wrong fixes, made from a right one: with a part of it left out, or with a small fault in it. Pure."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.model import Survivor
from bot.repair.verification.mutation.mutants.lines import mutants_of_change
from bot.repair.verification.mutation.mutants.mutant import (
    FaultKind,
    Mutant,
)
from bot.repair.verification.mutation.mutants.spread import (
    is_sound,
    program_of,
)
from bot.reporting.reasons import verification as reasons

MOST = 3
"""Wrong fixes of a patch."""

_MOST_LINES = 4_000
"""Of a file that is aligned line by line."""


@dataclass(frozen=True, slots=True)
class WrongFix:
    """A file of an accepted patch with something wrong in it.

    Attributes:
        file: That is changed.
        mutant: What is wrong.
        before: The file without any fix.
        data: The file with the wrong one.
    """

    file: str
    mutant: Mutant
    before: bytes
    data: bytes

    @property
    def survivor(self) -> Survivor:
        """The same for people."""
        return Survivor(self.file, self.mutant.line, self.mutant.says)

    @property
    def diff(self) -> str:
        """What the wrong fix changes in the file."""
        old, new = (
            item.decode("utf-8", "replace").splitlines() for item in (self.before, self.data)
        )
        return "\n".join(difflib.unified_diff(old, new, self.file, self.file, lineterm=""))


def wrong_fixes(changes: Sequence[FileDiff]) -> tuple[WrongFix, ...]:
    """Return a few wrong fixes, of several kinds and from all over the patch.

    First comes the fix with a part left out, where it has parts or statements to leave out.

    Args:
        changes: Files of the accepted patch.
    """
    readable = [
        change for change in changes if not is_test_file(change.path) and change.is_readable
    ]
    programs = [diff for diff in readable if diff.after is not None]
    parts = [found for program in programs for found in _parts(program)]
    if len(parts) + len(changes) - len(programs) <= 1:
        parts = []  # without its only part, nothing of the fix is left
    faults = list(_in_turn(programs))
    dropped = [fault for fault in faults if fault.mutant.kind is FaultKind.LEFT_OUT]
    others = [fault for fault in faults if fault.mutant.kind is not FaultKind.LEFT_OUT]
    left_out = parts or dropped
    chosen = [*left_out[:1], *others[: MOST - 1], *left_out[1:], *dropped, *others[MOST - 1 :]]
    return _distinct(chosen)


def _distinct(found: Sequence[WrongFix]) -> tuple[WrongFix, ...]:
    first: dict[tuple[str, bytes], WrongFix] = {}
    for fix in found:
        first.setdefault((fix.file, fix.data), fix)
    return tuple(first.values())[:MOST]


def _in_turn(changes: Sequence[FileDiff]) -> Iterator[WrongFix]:
    """Yield faults in the changed lines, of each file in turn."""
    found = (_faults(change) for change in changes)
    return (item for turn in itertools.zip_longest(*found) for item in turn if item is not None)


def _faults(change: FileDiff) -> Iterator[WrongFix]:
    before, after = change.before or b"", change.after or b""
    for mutant in mutants_of_change(change.path, before, after, most=2 * MOST):
        yield WrongFix(change.path, mutant, before, mutant.applied(after))


def _parts(change: FileDiff) -> Iterator[WrongFix]:
    """Yield the file with one part of its change as it was before, each part in turn."""
    before, after = change.before, change.after
    if before is None or after is None or max(map(len, _lines(before, after))) > _MOST_LINES:
        return
    known = {program_of(change.path, after), program_of(change.path, before)}
    for mutant in _undone(*_lines(before, after)):
        data = mutant.applied(after)
        if program_of(change.path, data) not in known and is_sound(change.path, data):
            yield WrongFix(change.path, mutant, before, data)


def _undone(old: list[bytes], new: list[bytes]) -> Iterator[Mutant]:
    starts = [0, *itertools.accumulate(map(len, new))]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            shown = next((item for item in (new[j1:j2] or old[i1:i2]) if item.strip()), b"")
            says = reasons.part_left_out(shown.decode("utf-8", "replace"))
            text = b"".join(old[i1:i2])
            yield Mutant(FaultKind.LEFT_OUT, j1 + 1, starts[j1], starts[j2], text, says)


def _lines(before: bytes, after: bytes) -> tuple[list[bytes], list[bytes]]:
    return before.splitlines(keepends=True), after.splitlines(keepends=True)
