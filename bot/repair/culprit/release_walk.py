"""Find the release that turned tests red: bisect over upload times, then over packages and versions.

Pure but for what `Packages` does: every question to it costs an installation and a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import partial
from typing import Protocol

from packaging.version import InvalidVersion, Version

from bot.errors import BudgetExhausted
from bot.model.culprit import (
    Certainty,
    ChangeEvent,
    Culprit,
    EventKind,
    RunCounts,
    TestedState,
    WhatChanged,
)
from bot.repair.culprit.parts import smallest
from bot.repair.culprit.walk import Answer, Boundary, RunTests, StateLine, next_question
from bot.reporting.reasons import releases as said

_PROOF = 2
"""Times that tests fail with a release and pass without it before it is proven."""

_FAILURES = 5
"""Runs with a release that have to fail once it is suspected: a test that fails by chance in one of
five runs does that once in 3,000 times, and many states are looked at."""

_MOST_RUNS = 40
"""Of both sides together."""

_SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97)
"""Of the time from the oldest moment to now: where a state that passes is looked for."""


class ReleaseOutcome(Enum):
    """What the failing tests show in an environment."""

    FAILS = "fails"
    PASSES = "passes"
    OTHERWISE = "fails otherwise"
    """They fail for another reason: what is looked for has not happened yet."""

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
class _Walk:
    """What was asked so far.

    Attributes:
        packages: Answers.
        tests: Ids of the failing tests.
        hints: Packages that the failure names.
        counts: Of each environment.
        otherwise: Those in which the tests fail for another reason.
        aim: What the green side shows: that the tests pass, or at least that they fail otherwise.
        between: The newest green environment and the oldest red one so far.
        points: What was looked at.
    """

    packages: Packages
    tests: tuple[str, ...]
    hints: tuple[str, ...] = ()
    counts: dict[_Versions, RunCounts] = field(default_factory=dict)
    otherwise: set[_Versions] = field(default_factory=set)
    aim: ReleaseOutcome = ReleaseOutcome.PASSES
    between: tuple[PackageSet, PackageSet] | None = None
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
            return _of(counts)
        shown = await self.packages.run(packages, counts.failed + counts.passed + 1)
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
        return _of(counts)

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


def _of(counts: RunCounts) -> ReleaseOutcome:
    if counts.failed and counts.passed:
        return ReleaseOutcome.UNCLEAR
    return ReleaseOutcome.FAILS if counts.failed else ReleaseOutcome.PASSES


async def find_releases(
    packages: Packages,
    oldest: datetime,
    newest: datetime,
    tests: tuple[str, ...],
    hints: Callable[[], tuple[str, ...]] = tuple,
) -> WhatChanged:
    """Return the release that the failing tests come from, or what was ruled out.

    Args:
        packages: Installs and runs.
        oldest: A moment with whose packages they may pass: of the commit, or of a run that passed.
        newest: The moment as of which they fail.
        tests: Ids of the failing tests.
        hints: Returns the packages that the failure names, the likeliest first, once a green state
            is known: they are asked about first.
    """
    walk = _Walk(packages, tests)
    try:
        return await _found(walk, oldest, newest, hints)
    except BudgetExhausted as error:
        reasons = [str(error)]
        if walk.between is not None:
            green, red = walk.between
            reasons.append(said.between(green.moment, red.moment, green.differs_from(red)))
        return WhatChanged(ruled_out=tuple(reasons), points=tuple(walk.points))


async def _found(
    walk: _Walk, oldest: datetime, newest: datetime, hints: Callable[[], tuple[str, ...]]
) -> WhatChanged:
    red, outcome = await walk.at(newest)
    if red is None or outcome is not ReleaseOutcome.FAILS:
        return _nothing(walk, said.NOT_RED_AFRESH)
    green = await _green(walk, oldest, newest)
    if isinstance(green, str):
        return _nothing(walk, green)
    walk.hints, walk.between = hints(), (green, red)
    uploads = await walk.packages.uploads({*green.versions, *red.versions})
    differing = green.differs_from(red)
    for name in [hint for hint in walk.hints if hint in differing][:_DIRECTLY]:
        if await _turns_green(walk, green, red, [name]):
            return await _decided(walk, green, red, uploads, (name,), narrow=True)
    green, red, narrow = await _narrowed(walk, green, red, uploads)
    deciding = await _smallest(walk, green, red)
    return await _decided(walk, green, red, uploads, deciding, narrow=narrow)


async def _green(walk: _Walk, oldest: datetime, newest: datetime) -> PackageSet | str:
    """Return an environment in which the tests pass, or at least fail otherwise; else why none is known."""
    otherwise: PackageSet | None = None
    for share in _SHARES:
        moment = oldest + (newest - oldest) * share
        made, outcome = await walk.at(moment)
        if made is not None and outcome is ReleaseOutcome.PASSES:
            return made
        if made is not None and outcome is ReleaseOutcome.OTHERWISE:
            otherwise = otherwise or made
        if outcome is ReleaseOutcome.FAILS:
            if share == _SHARES[0]:
                return said.fails_with_packages_of(moment)
            break
    walk.aim = ReleaseOutcome.OTHERWISE
    return otherwise or said.NEVER_GREEN


def _nothing(walk: _Walk, reason: str) -> WhatChanged:
    return WhatChanged(ruled_out=(reason,), points=tuple(walk.points))


async def _narrowed(
    walk: _Walk, green: PackageSet, red: PackageSet, uploads: Sequence[Upload]
) -> tuple[PackageSet, PackageSet, bool]:
    """Return two environments with no release between them, and whether there is none indeed."""
    events = sorted(
        {
            upload.moment: upload
            for upload in uploads
            if green.moment <= upload.moment < red.moment and _may_be_installed(upload, green, red)
        }.values(),
        key=lambda upload: upload.moment,
    )
    low, high, skipped = -1, len(events), set[int]()
    while (pivot := _pivot(events, low, high, skipped, walk.hints)) is not None:
        moment = events[pivot].moment + timedelta(seconds=1)
        made, outcome = await walk.at(moment)
        if made is not None and outcome is ReleaseOutcome.FAILS:
            high, red = pivot, made
        elif made is not None and outcome in {ReleaseOutcome.PASSES, walk.aim}:
            low, green = pivot, made
        else:
            skipped.add(pivot)
        walk.between = green, red
        if not green.differs_from(red):
            break
    return green, red, high - low <= 1


def _may_be_installed(upload: Upload, green: PackageSet, red: PackageSet) -> bool:
    """Whether a release lies between what is installed before and after, as far as versions tell."""
    bounds = [item.versions.get(upload.package) for item in (green, red)]
    version = _version(upload.version)
    known = [_version(text) for text in bounds if text is not None]
    if version is None or None in known:
        return True
    order = sorted(item for item in known if item is not None)
    if len(order) < len(bounds):
        return True  # it is in one of the two alone
    return order[0] <= version <= order[-1]


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _pivot(
    events: Sequence[Upload], low: int, high: int, skipped: set[int], hints: Sequence[str]
) -> int | None:
    """Return the release to ask about next: those of hinted packages first; None when none is left."""
    left = [index for index in range(low + 1, high) if index not in skipped]
    if not left:
        return None
    for hint in hints:
        hinted = [index for index in left if events[index].package == hint]
        if hinted:
            return hinted[len(hinted) // 2]
        if high < len(events) and events[high].package == hint:
            return left[-1]
    middle = (low + high) / 2
    return min(left, key=lambda index: abs(index - middle))


async def _decided(
    walk: _Walk,
    green: PackageSet,
    red: PackageSet,
    uploads: Sequence[Upload],
    deciding: Sequence[str],
    *,
    narrow: bool,
) -> WhatChanged:
    """Return the packages whose versions decide, each with its first bad version."""
    differing = green.differs_from(red)
    if not deciding:
        return _nothing(walk, said.no_package_decides(differing))
    culprits = []
    for name in deciding:
        others = {item: green.versions.get(item) for item in deciding if item != name}
        step = await _first_bad(walk, name, green, red, uploads)
        good = await walk.packages.swapped(step.bad, {**others, name: step.before})
        evidence = await _confirmed(walk, step.bad, good)
        culprits.append(
            _culprit(
                walk.tests,
                _event(name, step.before, step.after, uploads),
                evidence,
                alone=len(deciding) == 1,
                narrow=narrow and step.narrow,
                aim=walk.aim,
            )
        )
    cleared = [item for item in differing if item not in deciding] if narrow else []
    ruled_out = (said.do_not_decide(cleared),) if cleared else ()
    return WhatChanged(tuple(culprits), ruled_out, tuple(walk.points))


async def _turns_green(
    walk: _Walk, green: PackageSet, red: PackageSet, names: Sequence[str]
) -> bool:
    """Whether the older versions of some packages alone turn the tests green."""
    versions = {name: green.versions.get(name) for name in names}
    state = " ".join(f"{name}=={version or said.ABSENT}" for name, version in versions.items())
    made = await walk.packages.swapped(red, versions)
    if made is None:
        walk.point(state, RunCounts(), said.NOT_INSTALLABLE)
        return False
    return await walk.outcome(made, state) in {ReleaseOutcome.PASSES, walk.aim}


async def _smallest(walk: _Walk, green: PackageSet, red: PackageSet) -> tuple[str, ...]:
    """Return the smallest set of packages whose older versions turn the tests green.

    One package alone is tried first, the likeliest of them before others.
    """

    def rank(name: str) -> tuple[int, bool, str]:
        hinted_at = walk.hints.index(name) if name in walk.hints else len(walk.hints)
        return hinted_at, name not in red.versions, name

    left = sorted(green.differs_from(red), key=rank)
    for name in left[:_ALONE]:
        if await _turns_green(walk, green, red, [name]):
            return (name,)
    if len(left) <= 1 or not await _turns_green(walk, green, red, left):
        return ()
    return tuple(await smallest(left, partial(_turns_green, walk, green, red)))


_ALONE = 6
"""Packages that are tried one by one before sets of them."""

_DIRECTLY = 2
"""Packages that a failure names and that are tried before anything is installed as of a day."""


@dataclass(frozen=True, slots=True)
class _Evidence:
    """How often the tests failed and passed with a release and without it, and whether that tells."""

    with_it: RunCounts
    without_it: RunCounts
    is_sure: bool = False


@dataclass(frozen=True, slots=True)
class _VersionStep:
    """From the last good version of a package to its first bad one; None where it is absent.

    Attributes:
        before: The last good one.
        after: The first bad one.
        bad: An environment with that.
        narrow: Whether there is none between the two.
    """

    before: str | None
    after: str | None
    bad: PackageSet
    narrow: bool


async def _first_bad(
    walk: _Walk, name: str, green: PackageSet, red: PackageSet, uploads: Sequence[Upload]
) -> _VersionStep:
    """Return where the versions of a package turn from good to bad."""
    before, after, bad = green.versions.get(name), red.versions.get(name), red
    between = _between(name, before, after, red.moment, uploads)
    low, high, skipped = -1, len(between), set[int]()
    while left := [index for index in range(low + 1, high) if index not in skipped]:
        middle = left[len(left) // 2]
        made = await walk.packages.swapped(red, {name: between[middle]})
        state = f"{name}=={between[middle]}"
        outcome = ReleaseOutcome.UNCLEAR if made is None else await walk.outcome(made, state)
        if made is not None and outcome is ReleaseOutcome.FAILS:
            high, after, bad = middle, between[middle], made
        elif outcome in {ReleaseOutcome.PASSES, walk.aim}:
            low, before = middle, between[middle]
        else:
            skipped.add(middle)
    return _VersionStep(before, after, bad, high - low <= 1)


def _between(
    name: str, before: str | None, after: str | None, moment: datetime, uploads: Sequence[Upload]
) -> list[str]:
    """Return the versions of a package between two, in order, that were there at a moment."""
    if before is None or after is None:
        return []
    low, high = sorted((before, after), key=lambda text: _version(text) or Version("0"))
    bounds = _version(low), _version(high)
    found = [
        (version, upload.version)
        for upload in uploads
        if upload.package == name
        and upload.moment < moment
        and (version := _version(upload.version)) is not None
        and bounds[0] is not None
        and bounds[1] is not None
        and bounds[0] < version < bounds[1]
    ]
    ordered = [text for _, text in sorted(found)]
    return ordered if low == before else ordered[::-1]


async def _confirmed(walk: _Walk, bad: PackageSet, good: PackageSet | None) -> _Evidence:
    """Run the tests with a release and without it until the odds tell, as in `walk.py`.

    The runs that led here don't count: of many states, it is one that failed in them.
    """
    if good is None or walk.aim is ReleaseOutcome.OTHERWISE:
        return _Evidence(walk.counts_of(bad), RunCounts() if good is None else walk.counts_of(good))
    sides = (good, bad)
    first = [walk.counts_of(side) for side in sides]
    answer: Answer = RunTests(0)
    for n in range(_MOST_RUNS):
        answer = RunTests(n) if n < len(sides) else next_question(_line(walk, sides, first))
        fails = walk.counts_of(bad).failed - first[1].failed
        if isinstance(answer, Boundary) and answer.is_sure and fails < _FAILURES:
            answer = RunTests(1)
        if not isinstance(answer, RunTests):
            break
        side = sides[answer.place]
        before = walk.counts_of(side)
        await walk.outcome(side, said.AGAIN, again=True)
        if walk.counts_of(side) == before:
            break  # the tests did not run, or fail otherwise
    is_sure = isinstance(answer, Boundary) and answer.is_sure
    return _Evidence(walk.counts_of(bad), walk.counts_of(good), is_sure=is_sure)


def _line(walk: _Walk, sides: Sequence[PackageSet], first: Sequence[RunCounts]) -> StateLine:
    """Return what the two sides have shown beside their first runs."""
    seen = {}
    for n, (side, before) in enumerate(zip(sides, first, strict=True)):
        now = walk.counts_of(side)
        seen[n] = RunCounts(now.failed - before.failed, now.passed - before.passed)
    return StateLine(len(sides), seen, good=0)


def _event(
    name: str, before: str | None, after: str | None, uploads: Sequence[Upload]
) -> ChangeEvent:
    at = (item.moment for item in uploads if (item.package, item.version) == (name, after))
    moment = next(at, None)
    date = moment.astimezone(UTC).isoformat(timespec="seconds") if moment else ""
    return ChangeEvent(EventKind.RELEASE, name, before or "", after or "", date=date)


def _culprit(
    tests: tuple[str, ...],
    event: ChangeEvent,
    evidence: _Evidence,
    *,
    alone: bool,
    narrow: bool,
    aim: ReleaseOutcome,
) -> Culprit:
    """Return what an event explains, proven where nothing is missing of a proof."""
    missing, with_it, without_it = "", evidence.with_it, evidence.without_it
    if aim is ReleaseOutcome.OTHERWISE:
        missing = said.FAILS_OTHERWISE_WITHOUT
    elif with_it.failed < _PROOF or without_it.passed < _PROOF:
        missing = said.too_few_runs(with_it.failed, without_it.passed)
    elif not evidence.is_sure:
        missing = said.VARIES
    elif not alone:
        missing = said.NOT_ALONE
    elif not narrow:
        missing = said.RELEASES_SKIPPED
    certainty = Certainty.LIKELY if missing else Certainty.PROVEN
    return Culprit(event, certainty, tests, with_it, without_it, missing)


def hinted(text: str, modules: Mapping[str, str]) -> tuple[str, ...]:
    """Return the packages that a failure names: the last one named is the likeliest.

    Args:
        text: Messages and tracebacks.
        modules: Packages by the modules that they bring.
    """
    places: dict[str, int] = {}
    for module, package in modules.items():
        marks = (
            f"site-packages/{module}/",
            f"site-packages/{module}.py",
            f"'{module}'",
            f"'{module}.",
            f" {module}.",
        )
        at = max(text.rfind(mark) for mark in marks)
        if at >= 0:
            places[package] = max(at, places.get(package, -1))
    return tuple(sorted(places, key=lambda package: -places[package]))
