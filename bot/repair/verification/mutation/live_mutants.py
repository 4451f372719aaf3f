"""Try mutants of Python programs in forks of one process that has collected the tests once.

A run of its own costs each mutant the start of a test runner. What a program could forge in that
process is that it notices nothing; then the mutant runs in a sandbox of its own as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from bot.model import Observation, Patch, Survivor
from bot.repair.harness.client import driver_shell, question
from bot.repair.harness.driver.protocol import Notice
from bot.repair.harness.suite_command import suite_command
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.mutation.mutants import Mutant
from bot.repair.verification.tree_files import decided

_LEAST = 3
"""Mutants below which a process for all of them saves nothing."""

_SECONDS = 8.0
_GRACE = 30.0
"""Of wall time: for the mutants, and for collecting the tests."""


@dataclass(frozen=True, slots=True)
class FileMutant:
    """A mutant of a file, with the file's content."""

    file: str
    mutant: Mutant
    data: bytes

    @property
    def survivor(self) -> Survivor:
        """The same for people."""
        return Survivor(self.file, self.mutant.line, self.mutant.says)


class LiveMutants:
    """Tries mutants of one run's patches; Python's pytest and unittest alone."""

    def __init__(self, room: CleanRoom) -> None:
        self._room = room

    async def caught(
        self,
        name: str,
        patch: Patch,
        mutants: Sequence[tuple[int, FileMutant]],
        passing: Observation,
        first: frozenset[str],
    ) -> frozenset[int]:
        """Return the numbers of the mutants that tests were seen to notice.

        Args:
            name: Of the sandbox.
            patch: What is in the tree.
            mutants: With their numbers.
            passing: The command with the patch.
            first: Ids of the tests that look at the patch.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        chosen = [(number, mutant) for number, mutant in mutants if mutant.file.endswith(".py")]
        if len(chosen) < _LEAST:
            return frozenset()
        suite = await decided(
            partial(suite_command, passing.command), self._room.store, self._room.base_tree
        )
        if suite is None:
            return frozenset()
        tree = await self._room.store.apply(self._room.base_tree, patch.data)
        files = await self._room.store.files(tree, sorted({mutant.file for _, mutant in chosen}))
        try:
            request = asked(chosen, files, first)
        except UnicodeDecodeError:
            return frozenset()
        files_asked, seconds = question(suite, request), 2 * _SECONDS + _GRACE
        told = await self._room.answer(
            f"{name}-live", patch, files_asked, driver_shell(suite), seconds
        )
        return _noticed(told, {number for number, _ in chosen})


def asked(
    mutants: Sequence[tuple[int, FileMutant]], files: Mapping[str, bytes], first: frozenset[str]
) -> Notice:
    """Return the driver's request, in letters instead of bytes.

    Raises:
        UnicodeDecodeError: A file is not in UTF-8.
    """
    edits = []
    for number, mutant in mutants:
        data, fault = files[mutant.file], mutant.mutant
        start = len(data[: fault.start].decode())
        end = start + len(data[fault.start : fault.end].decode())
        edits.append((number, mutant.file, start, end, fault.text.decode()))
    return Notice(
        _SECONDS,
        sources={path: data.decode() for path, data in files.items()},
        mutants=edits,
        first=sorted(test.rpartition("::")[2] for test in first),
    )


def _noticed(told: bytes | None, known: set[int]) -> frozenset[int]:
    """Return the numbers from an answer, which was written where the project's own code runs."""
    try:
        answer = json.loads(told or b"{}")
        return (
            frozenset(int(number) for number, seen in answer["noticed"].items() if seen is True)
            & known
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return frozenset()
