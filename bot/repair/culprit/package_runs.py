"""Environments of packages, and what the failing tests showed in each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Protocol

from bot.model.culprit import Culprit, RunCounts, TestedState
from bot.reporting.reasons import releases as said


class ReleaseOutcome(Enum):
    """What the failing tests show in an environment."""

    FAILS = "fails"
    PASSES = "passes"
    OTHERWISE = "fails otherwise"
    """They fail for another reason: what is looked for has not happened yet."""

    DIFFERS = "fails with another message"
    """All of the same tests fail, and say something else: their message changed since they passed."""

    UNCLEAR = "unclear"
    """They did not run, or fail at one time and pass at another."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A version of a package, and when it was there for everybody."""

    moment: datetime
    package: str
    version: str


@dataclass(frozen=True, slots=True)
class PackageSet:
    """An environment and what is installed in it.

    Attributes:
        key: Finds it again.
        versions: By normalised name.
        moment: Nothing in it was uploaded later.
    """

    key: str
    versions: Mapping[str, str]
    moment: datetime

    def differs_from(self, other: PackageSet) -> tuple[str, ...]:
        """Return the packages whose versions differ, or that are in one of them alone."""
        names = sorted({*self.versions, *other.versions})
        return tuple(name for name in names if self.versions.get(name) != other.versions.get(name))


class Packages(Protocol):
    """Installs, and runs the failing tests."""

    async def at_hand(self) -> PackageSet | None:
        """Return what is installed where the failure was seen; None where that can't be told."""
        ...

    async def require_time(self) -> None:
        """Raise `BudgetExhausted` unless there is time for two installations."""
        ...

    def take_all_time(self) -> None:
        """Take as much time as there may be."""
        ...

    async def as_of(self, moment: datetime) -> PackageSet | None:
        """Install what was there at a moment; None where that can't be installed."""
        ...

    async def swapped(
        self, packages: PackageSet, versions: Mapping[str, str | None]
    ) -> PackageSet | None:
        """Install other versions of some packages, and nothing else; a version None removes one."""
        ...

    async def run(self, packages: PackageSet, n: int) -> ReleaseOutcome:
        """Run the failing tests, for the n-th time in this environment, from 1."""
        ...

    async def uploads(self, names: Iterable[str]) -> Sequence[Upload]:
        """Return the releases of some packages that are no pre-releases and were not yanked."""
        ...


_Versions = frozenset[tuple[str, str]]


@dataclass(slots=True)
class PackageRuns:
    """What was asked so far.

    Attributes:
        packages: Answers.
        tests: Ids of the failing tests.
        hints: Packages that the failure names.
        counts: Of each environment.
        otherwise: Those in which the tests fail for another reason.
        reworded: Those of them in which all of the same tests fail.
        aim: What the green side shows: that the tests pass, or at least that they fail otherwise.
        tests_alone: Whether it counts that the tests fail, whatever they say: once a package is known to
            decide, they may have said something else at first.
        between: The newest green environment and the oldest red one so far.
        suspects: What is named if the time ends before it is proven.
        points: What was looked at.
    """

    packages: Packages
    tests: tuple[str, ...]
    hints: tuple[str, ...] = ()
    counts: dict[_Versions, RunCounts] = field(default_factory=dict)
    otherwise: set[_Versions] = field(default_factory=set)
    reworded: set[_Versions] = field(default_factory=set)
    aim: ReleaseOutcome = ReleaseOutcome.PASSES
    tests_alone: bool = False
    between: tuple[PackageSet, PackageSet] | None = None
    suspects: tuple[Culprit, ...] = ()
    points: list[TestedState] = field(default_factory=list)

    async def outcome(
        self, packages: PackageSet, state: str, *, again: bool = False
    ) -> ReleaseOutcome:
        """Return what the tests show, from memory where the same versions ran already."""
        key = frozenset(packages.versions.items())
        counts = self.counts.get(key, RunCounts())
        if not again and key in self.otherwise:
            return ReleaseOutcome.OTHERWISE
        if not again and (counts.failed or counts.passed):
            return _outcome(counts)
        shown = await self.packages.run(packages, counts.failed + counts.passed + 1)
        if shown is ReleaseOutcome.DIFFERS:
            self.reworded.add(key)
            shown = ReleaseOutcome.FAILS if self.tests_alone else ReleaseOutcome.OTHERWISE
        if shown is ReleaseOutcome.UNCLEAR or shown is ReleaseOutcome.OTHERWISE:
            self.point(
                state, counts, said.UNCLEAR if shown is ReleaseOutcome.UNCLEAR else said.OTHERWISE
            )
            if shown is ReleaseOutcome.OTHERWISE:
                self.otherwise.add(key)
            return shown
        failed = shown is ReleaseOutcome.FAILS
        counts = RunCounts(counts.failed + failed, counts.passed + (not failed))
        self.counts[key] = counts
        self.point(state, counts)
        return _outcome(counts)

    def count_tests_alone(self) -> None:
        """Count the tests' failing from now on, whatever they say."""
        self.tests_alone = True
        self.otherwise.clear()

    def fails_the_same(self, packages: PackageSet) -> bool:
        """Whether the same tests fail there, and only say something else."""
        return frozenset(packages.versions.items()) in self.reworded

    def point(self, state: str, counts: RunCounts, skipped: str = "") -> None:
        """Note what was looked at."""
        self.points.append(TestedState(state, len(self.points), counts, skipped))

    def counts_of(self, packages: PackageSet) -> RunCounts:
        """Return how often the tests ran with these versions."""
        return self.counts.get(frozenset(packages.versions.items()), RunCounts())

    async def at(self, moment: datetime) -> tuple[PackageSet | None, ReleaseOutcome]:
        """Return an environment as of a moment and what the tests show in it."""
        state = f"{moment:%Y-%m-%d %H:%M}"
        made = await self.packages.as_of(moment)
        if made is None:
            self.point(state, RunCounts(), said.NOT_INSTALLABLE)
            return None, ReleaseOutcome.UNCLEAR
        return made, await self.outcome(made, state)


def _outcome(counts: RunCounts) -> ReleaseOutcome:
    if counts.failed and counts.passed:
        return ReleaseOutcome.UNCLEAR
    return ReleaseOutcome.FAILS if counts.failed else ReleaseOutcome.PASSES
