"""Examine a patch: all guards over all its files. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.code.change import FileDiff
from bot.model import GuardFinding, Observation
from bot.repair.guards.additions import additions, size
from bot.repair.guards.capabilities import capabilities
from bot.repair.guards.configuration import relaxed
from bot.repair.guards.exceptions import removed_code, swallowed
from bot.repair.guards.foreign_code import foreign_code
from bot.repair.guards.lookalike_objects import stand_ins
from bot.repair.guards.runner import runner
from bot.repair.guards.suppressions import suppressions
from bot.repair.guards.weakening import weakened

MOST_FINDINGS = 200
"""Most findings of one patch; nobody reads more."""

_LINT = re.compile(r"^[^:\s]+\.\w+:\d+")
_COVERAGE = re.compile(r"fail[_-]under|coverage (?:failure|threshold)|does not meet", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GuardEvidence:
    """What the guards know besides the patch.

    Attributes:
        red: The failing command without the patch, or None.
        patch_bytes: Size of the patch.
    """

    red: Observation | None = None
    patch_bytes: int = 0


def examine(changes: Sequence[FileDiff], evidence: GuardEvidence) -> tuple[GuardFinding, ...]:
    """Return what the guards find in a patch, each finding once, with the rules' own severities."""
    found = [*size(changes, evidence.patch_bytes)]
    readable = [change for change in changes if change.is_readable]
    moved = removed_code(readable)
    for change in changes:
        found += additions(change)
    for change in readable:
        found += _of_file(change, evidence, moved)
    found += capabilities(readable)
    found += foreign_code(readable, tests_too=_asks_for_tests(evidence))
    found += stand_ins(readable)
    found += weakened(readable, asked_for=_asks_for_tests(evidence))
    return tuple(dict.fromkeys(found))[:MOST_FINDINGS]


def _asks_for_tests(evidence: GuardEvidence) -> bool:
    """Whether tests may be all that a patch consists of, so that nothing else shows what they do."""
    return evidence.red is not None and evidence.red.asks_for_more


def _of_file(change: FileDiff, evidence: GuardEvidence, moved: str) -> Iterator[GuardFinding]:
    by_tests = _only_tests_failed(evidence.red)
    yield from suppressions(change, _linted(evidence.red), by_tests=by_tests)
    yield from relaxed(change)
    yield from runner(change)
    yield from swallowed(change, moved)


def _linted(red: Observation | None) -> frozenset[str]:
    """Return the files that a failing linter, formatter or type checker names."""
    failures = red.failing if red is not None else ()
    return frozenset(
        failure.file for failure in failures if failure.file and _LINT.match(failure.test)
    )


def _only_tests_failed(red: Observation | None) -> bool:
    """Whether what failed is known, and is no linter, type checker or coverage."""
    if red is None or _COVERAGE.search(f"{red.command}\n{red.output}"):
        return False
    tests = [failure.test for failure in red.failing if failure.test != red.command]
    return bool(tests) and not any(_LINT.match(test) for test in tests)
