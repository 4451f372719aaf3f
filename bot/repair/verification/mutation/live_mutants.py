"""Try mutants of Python programs in forks of one process that has collected the tests once.

A run of its own costs each mutant the start of a test runner. What a program could forge in that
process is that it notices nothing; then the mutant runs in a sandbox of its own as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType

from bot.model import Patch, Survivor
from bot.repair.harness.client import GRACE, driver_shell, question
from bot.repair.harness.driver.protocol import PATIENCE, Notice
from bot.repair.harness.suite_command import suite_command
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.mutation.mutants import Mutant
from bot.repair.verification.tree_files import decided

_SECONDS = 8.0
"""Of processor time, once the tests are collected."""


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


@dataclass(frozen=True, slots=True)
class LiveEdit:
    """New text in the place of some bytes of a patched file.

    Attributes:
        number: By which it is told.
        file: Its path.
        start: First byte that is replaced.
        end: First byte that stays.
        text: What stands there instead.
    """

    number: int
    file: str
    start: int
    end: int
    text: bytes


@dataclass(frozen=True, slots=True)
class LiveResults:
    """What the tests were seen to do in that process.

    Attributes:
        noticed: By number, whether a test fails with an edit; those are missing that it can't show.
        ran: Lines that tests run, of those in question; None where that is not known.
    """

    noticed: Mapping[int, bool] = field(default_factory=dict)
    ran: frozenset[tuple[str, int]] | None = None


class LiveMutants:
    """Tries mutants of one run's patches; Python's pytest and unittest alone."""

    def __init__(self, room: CleanRoom) -> None:
        self._room = room

    async def told(
        self,
        name: str,
        patch: Patch,
        edits: Sequence[LiveEdit],
        command: str,
        first: frozenset[str],
        *,
        lines: Mapping[str, Sequence[int]] = MappingProxyType({}),
        seconds: float = _SECONDS,
    ) -> LiveResults:
        """Return what the tests do with edits of Python's programs.

        Args:
            name: Of the sandbox.
            patch: What is in the tree.
            edits: Of the patched files.
            command: Runs the tests.
            first: Ids of the tests that look at the patch.
            lines: By path, lines of which it is asked whether tests run them.
            seconds: Processor time for all of it but collecting the tests.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        chosen = [edit for edit in edits if edit.file.endswith(".py")]
        wanted = {path: sorted(rows) for path, rows in lines.items() if path.endswith(".py")}
        if not chosen and not wanted:
            return LiveResults()
        store, base = self._room.store, self._room.base_tree
        suite = await decided(partial(suite_command, command), store, base)
        if suite is None:
            return LiveResults()
        tree = await store.apply(base, patch.data)
        files = await store.files(tree, sorted({*wanted, *(edit.file for edit in chosen)}))
        try:
            request = asked(chosen, files, first, wanted, seconds)
        except UnicodeDecodeError:
            return LiveResults()
        told = await self._room.answer_once(
            f"{name}-live", patch, question(suite, request), driver_shell(suite), seconds * PATIENCE + GRACE
        )  # fmt: skip
        return _results(told, {edit.number for edit in chosen})


def asked(
    edits: Sequence[LiveEdit],
    files: Mapping[str, bytes],
    first: frozenset[str],
    lines: Mapping[str, list[int]] = MappingProxyType({}),
    seconds: float = _SECONDS,
) -> Notice:
    """Return the driver's request, in letters instead of bytes.

    Raises:
        UnicodeDecodeError: A file is not in UTF-8.
    """
    changes = []
    for edit in edits:
        data = files[edit.file]
        start = len(data[: edit.start].decode())
        end = start + len(data[edit.start : edit.end].decode())
        changes.append((edit.number, edit.file, start, end, edit.text.decode()))
    return Notice(
        seconds,
        sources={path: data.decode() for path, data in files.items()},
        mutants=changes,
        first=sorted(test.rpartition("::")[2] for test in first),
        lines=dict(lines),
    )


def _results(told: bytes | None, known: set[int]) -> LiveResults:
    """Return what an answer says, which was written where the project's own code runs."""
    try:
        answer = json.loads(told or b"{}")
        noticed = {
            int(number): seen
            for number, seen in answer["noticed"].items()
            if isinstance(seen, bool) and int(number) in known
        }
        ran = answer.get("ran")
        places = None if ran is None else frozenset((str(file), int(line)) for file, line in ran)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return LiveResults()
    return LiveResults(noticed, places)
