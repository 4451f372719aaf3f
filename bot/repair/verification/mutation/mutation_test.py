"""Mutants of the lines that a change has, and whether tests notice them. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.model import Observation
from bot.repair.verification.mutation.live_mutants import FileMutant
from bot.repair.verification.mutation.mutants import mutants_of_change

MOST = 10
"""Mutants of a patch."""


def mutants_in(changes: Sequence[FileDiff]) -> tuple[FileMutant, ...]:
    """Return mutants of the programs that a patch changes, tests aside; from each file in turn."""
    found = (
        _mutants_of(change)
        for change in changes
        if not is_test_file(change.path) and change.is_readable
    )
    turns = itertools.zip_longest(*found)
    return tuple(itertools.islice((item for turn in turns for item in turn if item), MOST))


def _mutants_of(change: FileDiff) -> Iterator[FileMutant]:
    after = change.after or b""
    chosen = mutants_of_change(change.path, change.before or b"", after, most=MOST)
    return (FileMutant(change.path, mutant, mutant.applied(after)) for mutant in chosen)


def is_caught(passing: Observation, seen: Observation, *, compiled: bool) -> bool | None:
    """Return whether tests notice a mutant; None for a program that could not be run.

    Args:
        passing: The command with the patch, and the tests that are known to run then.
        seen: The same with the mutant.
        compiled: Whether the command fails for a program that its compiler refuses, too.
    """
    if seen.ok:
        return False
    if seen.timed_out or not compiled or seen.failing_ids & passing.passed:
        return True
    return None
