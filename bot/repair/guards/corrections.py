"""Tell what a tool corrects at the places that it reports from what a patch changes besides. Pure.

A linter that names a line of a test, and whose own fix mode rewrites that line, asks for just that
change: a spelling tool's correction in an expected text, say. The same change on a line that the
tool does not name is none of its business. A tool that finds fault with its own configuration, and
migrates it, may lose a setting on the way: a person looks at that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from bot.ci.failure_identity import SubjectKind, identity_of
from bot.code.asserted_cases import cases
from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.model import GuardFinding, Observation, Severity
from bot.model.guard_rules import softened

_WORDING = frozenset({"expected-changed", "assertion-weakened", "assertion-removed"})
"""Rules that find another value in a test: which of them applies depends on where it stands."""


def corrected_by_tool(
    findings: Sequence[GuardFinding], changes: Sequence[FileDiff], red: Observation
) -> tuple[GuardFinding, ...]:
    """Return the findings; those on lines of tests that the failing tool names are notes.

    Those on a configuration in which it names lines need a person.

    Args:
        findings: What the guards say of a patch that the project's own tools made.
        changes: Its files.
        red: The failing command without it.
    """
    if red.counts is not None:  # a test that fails reports no place to correct
        return tuple(findings)
    places = _reported(red)
    by_path = {change.path: change for change in changes if is_test_file(change.path)}

    def corrected(finding: GuardFinding) -> GuardFinding:
        if finding.file is None or finding.file not in places:
            return finding
        if finding.rule == "check-relaxed":
            return softened([finding], Severity.NEEDS_PERSON)[0]
        is_wording = finding.rule in _WORDING and finding.file in by_path
        if is_wording and _is_corrected(
            by_path[finding.file], finding.line or 0, places[finding.file]
        ):
            return softened([finding], Severity.NOTE)[0]
        return finding

    return tuple(corrected(finding) for finding in findings)


def _reported(red: Observation) -> Mapping[str, frozenset[int]]:
    """Return the lines that the tool names, by file."""
    from bot.ci.failures.registry import reported

    places: dict[str, set[int]] = {}
    for failure in (*red.failing, *reported(red.output)):
        if failure.file and failure.line and identity_of(failure).kind is SubjectKind.PLACE:
            places.setdefault(failure.file, set()).add(failure.line)
    return {path: frozenset(lines) for path, lines in places.items()}


def _is_corrected(change: FileDiff, line: int, reported: frozenset[int]) -> bool:
    """Whether all that differs in the test at a line stands on lines that the tool names."""
    first, last = _extent(change, line)
    hunks = [hunk for hunk in _hunks(change) if hunk[1] and first <= hunk[1][0] <= last]
    return bool(hunks) and all(reported.issuperset(old) for old, _ in hunks)


def _extent(change: FileDiff, line: int) -> tuple[int, int]:
    """Return the first and the last line of the test that a line of the patched file belongs to."""
    starts = sorted(case.line for case in cases(change.new).values()) if change.new else []
    first = max((start for start in starts if start <= line), default=1)
    after = min((start for start in starts if start > line), default=len(change.lines_after) + 1)
    return first, after - 1


def _hunks(change: FileDiff) -> Iterator[tuple[Iterable[int], Sequence[int]]]:
    """Yield the numbers of lines that go with those of the lines that come in their place."""
    matcher = SequenceMatcher(None, change.lines_before, change.lines_after, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind != "equal":
            yield range(start + 1, end + 1), range(new_start + 1, new_end + 1)
