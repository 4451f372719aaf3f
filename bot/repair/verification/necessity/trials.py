"""Run the tests of a change with parts of it put back: which parts do they notice?

Programs of Python are tried in forks of one process first. What nothing notices there, and all
else, has sandboxes of its own: first with the tests that prove the change, then, all at once, with
the whole suite.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.code.files import is_test_file
from bot.code.syntax import is_compiled
from bot.concurrency import both
from bot.limited_process import TooMuch, run_limited
from bot.model import Observation
from bot.repair.verification.base_and_head import Compared, Sides
from bot.repair.verification.comparison import new_failures
from bot.repair.verification.mutation.live_mutants import LiveEdit, LiveMutants, LiveResults
from bot.repair.verification.mutation.mutation_test import is_caught, mutants_in
from bot.repair.verification.necessity.units import ChangePart, put_back, units_of
from bot.repair.workspace.patches import patch_between
from sandbox.git import PatchDoesNotApply

_LIVE = 10.0
"""Seconds of processor time for all parts and faults that are tried in one process."""

_NAME = re.compile(r"[^\W\d]\w+")

Verdicts = dict[ChangePart, bool | None]
"""Whether tests notice that a part is put back; None where no program is left that could run."""


@dataclass(frozen=True, slots=True)
class LiveTold:
    """What one process with the collected tests told of a change.

    Attributes:
        units: The parts of the change.
        faults: Small faults in its lines, as parts that have something wrong in their place.
        verdicts: Of those that could be tried there.
        ran: Changed lines that tests run; None where that is not known.
    """

    units: tuple[ChangePart, ...] = ()
    faults: tuple[ChangePart, ...] = ()
    verdicts: Mapping[ChangePart, bool] = field(default_factory=dict)
    ran: frozenset[tuple[str, int]] | None = None


async def live(sides: Sides, compared: Compared, name: str) -> LiveTold:
    """Return what one process tells of all parts and faults; asked again, it is not run again.

    Args:
        sides: Both sides of the change.
        compared: What the tests showed.
        name: Of the sandbox.
    """
    readable = tuple(change for change in sides.changes if change.is_readable)
    try:  # a program can be written so that reading it takes long
        units = await run_limited(units_of, sides.changes)
        mutants = await run_limited(mutants_in, readable)
    except TooMuch:
        return LiveTold()
    faults = tuple(
        ChangePart(
            item.file, item.mutant.start, item.mutant.end, item.mutant.text,
            item.mutant.line, item.mutant.line, item.mutant.says,
        )
        for item in mutants
    )  # fmt: skip
    tried = (*units, *faults)
    edits = [
        LiveEdit(number, unit.file, unit.start, unit.end, unit.text)
        for number, unit in enumerate(tried)
        if unit.text is not None
    ]
    lines = {
        change.path: change.added.numbers
        for change in readable
        if change.added and change.after is not None and not is_test_file(change.path)
    }
    told = LiveResults()
    if compared.after.ok or compared.after.passed:
        told = await LiveMutants(sides.after.room).told(
            name, sides.after.patch, edits, compared.command, frozenset(compared.proving),
            lines=lines, seconds=_LIVE,
        )  # fmt: skip
    verdicts = {tried[number]: seen for number, seen in told.noticed.items()}
    return LiveTold(units, faults, verdicts, told.ran)


class PartTrials:
    """Tries parts of a change in sandboxes, as long as there is time."""

    def __init__(self, sides: Sides, compared: Compared, name: str, seconds: float) -> None:
        self._side = sides.after
        self._compared = compared
        self.name = name
        self._ends = time.monotonic() + seconds
        self._count = 0
        self._files = {change.path: change.after for change in sides.changes}
        self.ran: dict[str, None] = {}

    @property
    def left(self) -> float:
        """Seconds until no other run is begun."""
        return self._ends - time.monotonic()

    @property
    def has_narrow(self) -> bool:
        """Whether there are tests that prove the change, and a command for them."""
        compared = self._compared
        return bool(compared.proving_command) and compared.proving_command != compared.command

    @property
    def reaches_suite(self) -> bool:
        """Whether there is time for the whole suite once more."""
        return self._compared.after.seconds <= self.left and not self._compared.after.timed_out

    async def decide(
        self, units: Sequence[ChangePart], known: Mapping[ChangePart, bool]
    ) -> PartVerdicts:
        """Return what the tests notice of the parts, as far as the time reaches.

        Args:
            units: The parts; what belongs to one that nothing notices is not tried.
            known: What one process told.
        """
        verdicts: Verdicts = dict(known)
        for depth in sorted({unit.depth for unit in units}):
            waiting = [
                unit
                for unit in units
                if unit.depth == depth and unit not in verdicts and not _is_within(unit, verdicts)
            ]
            await self._try_each(waiting, verdicts)
            if depth == 0:
                await self._try_joined(units, verdicts)
        sure = await self._confirm_all(units, verdicts)
        return PartVerdicts(verdicts, frozenset(sure))

    async def _try_each(self, waiting: list[ChangePart], verdicts: Verdicts) -> None:
        async def some() -> None:
            while waiting and self.left > 0:
                unit = waiting.pop(0)
                verdicts[unit] = await self.noticed([unit], whole=not self.has_narrow)

        await both(some(), some())

    async def _try_joined(self, units: Sequence[ChangePart], verdicts: Verdicts) -> None:
        """Try parts without which nothing compiles together with those that share their names."""
        for unit in [unit for unit, seen in verdicts.items() if seen is None and not unit.depth]:
            names = self._names(unit)
            joined = [
                other
                for other in units
                if other.depth == 0 and other != unit and names & self._names(other)
            ]
            if joined and self.left > 0:
                verdicts[unit] = await self.noticed([unit, *joined], whole=not self.has_narrow)

    def _names(self, unit: ChangePart) -> set[str]:
        """Return the names in a part that only one of its two texts has."""
        data = self._files.get(unit.file) or b""
        texts = (data[unit.start : unit.end], unit.text or b"")
        head, base = (set(_NAME.findall(text.decode("utf-8", "replace"))) for text in texts)
        return head ^ base

    async def _confirm_all(
        self, units: Sequence[ChangePart], verdicts: Verdicts
    ) -> set[ChangePart]:
        """Let the whole suite look at what nothing noticed; return the parts that it does not notice."""
        sure: set[ChangePart] = set()
        tried: set[ChangePart] = set()
        while self.reaches_suite:
            waiting: list[ChangePart] = []
            for unit in units:
                taken = any(other.overlaps(unit) for other in waiting)
                held = any(other.holds(unit) for other in sure)
                if verdicts.get(unit) is False and unit not in tried and not taken and not held:
                    waiting.append(unit)
            if not waiting:
                break
            tried.update(waiting)
            await self._confirm(waiting, verdicts, sure)
        return sure

    async def _confirm(
        self, waiting: list[ChangePart], verdicts: Verdicts, sure: set[ChangePart]
    ) -> None:
        if not self.reaches_suite:
            return
        seen = await self.noticed(waiting, whole=True)
        if seen is False:
            sure.update(waiting)
        elif len(waiting) == 1:
            verdicts[waiting[0]] = seen
        else:
            half = len(waiting) // 2
            await self._confirm(waiting[:half], verdicts, sure)
            await self._confirm(waiting[half:], verdicts, sure)

    async def noticed(self, units: Iterable[ChangePart], *, whole: bool) -> bool | None:
        """Return whether tests fail with these parts put back; None where no program is left.

        Args:
            units: Parts that do not overlap.
            whole: Whether the whole suite runs, and not the tests that prove the change.
        """
        files = put_back(units, self._files)
        passing = self._passing(whole=whole)
        self._count += 1
        self.ran[passing.command] = None
        room, name, patch = self._side.room, f"{self.name}-{self._count}", self._side.patch
        there = {path: data for path, data in files.items() if data is not None}
        try:
            if len(there) < len(files):
                tree = await room.store.overlaid(self._side.tree, files)
                patch, there = await patch_between(room.store, room.base_tree, tree), {}
            observe = room.observe_mutant if passing.exit_code == 0 else room.observe_with
            seen = await observe(name, passing.command, patch, there)
        except PatchDoesNotApply:
            return None
        if passing.ok:
            return is_caught(passing, seen, compiled=any(map(is_compiled, files)))
        return bool(new_failures(passing, seen)) or seen.timed_out

    def _passing(self, *, whole: bool) -> Observation:
        compared = self._compared
        if whole or not self.has_narrow:
            return compared.after
        return Observation(compared.proving_command, 0, passed=frozenset(compared.proving))


@dataclass(frozen=True, slots=True)
class PartVerdicts:
    """What tests notice of the parts of a change.

    Attributes:
        verdicts: Of each part that was tried.
        sure: Parts that the whole suite does not notice.
    """

    verdicts: Verdicts
    sure: frozenset[ChangePart]

    @property
    def unnoticed(self) -> tuple[ChangePart, ...]:
        """The largest parts that nothing notices, in the order of their files."""
        quiet = [unit for unit, seen in self.verdicts.items() if seen is False]
        largest = [unit for unit in quiet if not any(other.holds(unit) for other in quiet)]
        return tuple(sorted(largest, key=lambda unit: (unit.file, unit.line, unit.depth)))

    def untried(self, units: Iterable[ChangePart]) -> tuple[ChangePart, ...]:
        """Return the parts that the time did not reach."""
        return tuple(
            unit
            for unit in units
            if unit not in self.verdicts and not _is_within(unit, self.verdicts)
        )


def _is_within(unit: ChangePart, verdicts: Verdicts) -> bool:
    """Whether a part belongs to one that nothing notices."""
    return any(seen is False and other.holds(unit) for other, seen in verdicts.items())
