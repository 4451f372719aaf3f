"""Find the release that turned tests red: bisect over upload times, then over packages and versions.

Pure but for what `Packages` does: every question to it costs an installation and a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from packaging.version import InvalidVersion, Version

from bot.errors import BudgetExhausted
from bot.model.culprit import Certainty, Culprit, KnownRelease, RunCounts, WhatChanged
from bot.repair.culprit.commit_parts import smallest
from bot.repair.culprit.explained_failure import LookCutShort
from bot.repair.culprit.package_runs import (
    PackageRuns,
    Packages,
    PackageSet,
    ReleaseOutcome,
    Upload,
)
from bot.repair.culprit.release_proof import (
    FAILURES,
    Evidence,
    confirmed,
    culprit_of,
    release_event,
)
from bot.reporting.reasons import releases as said

_SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97)
"""Of the time from the oldest moment to now: where a state that passes is looked for."""

_ALONE = 6
"""Packages that are tried one by one before sets of them."""

_FEW = 2
"""Packages that are tried one by one although more was released between the two sides."""

_DIRECTLY = 2
"""Packages that a failure names and that are tried before anything is installed as of a day."""

_KNOWN = 3
"""Releases that broke other repositories and are tried here; each costs an installation and a run."""

_WHY_NOT_RED = {
    ReleaseOutcome.PASSES: said.PASSES,
    ReleaseOutcome.OTHERWISE: said.OTHERWISE,
    ReleaseOutcome.UNCLEAR: said.UNCLEAR,
}


async def find_releases(
    packages: Packages,
    oldest: datetime | PackageSet,
    newest: datetime,
    tests: tuple[str, ...],
    hints: Callable[[], tuple[str, ...]] = tuple,
    known: Sequence[KnownRelease] = (),
) -> WhatChanged:
    """Return the release that the failing tests come from, or what was ruled out.

    Args:
        packages: Installs and runs.
        oldest: With what they may pass: an environment from before an update, or a moment, of the
            commit or of a run that passed.
        newest: The moment as of which they fail.
        tests: Ids of the failing tests.
        hints: Returns the packages that the failure names, the likeliest first, once something is
            installed: they are asked about first.
        known: Releases that broke other repositories: those that are installed are tried before that.

    Raises:
        LookCutShort: When the time is up.
    """
    walk = PackageRuns(packages, tests)
    try:
        return await _found(walk, oldest, newest, hints, known)
    except BudgetExhausted as error:
        reasons = [str(error)]
        if walk.between is not None and not walk.suspects:
            green, red = walk.between
            reasons.append(said.between(green.moment, red.moment, green.differs_from(red)))
        found = WhatChanged(walk.suspects, tuple(reasons), tuple(walk.points))
        raise LookCutShort(found) from error


async def _found(
    walk: PackageRuns,
    oldest: datetime | PackageSet,
    newest: datetime,
    hints: Callable[[], tuple[str, ...]],
    known: Sequence[KnownRelease],
) -> WhatChanged:
    red = await walk.packages.at_hand()
    if red is None:
        return _nothing(walk, said.NO_PYTHON)
    walk.hints = hints()
    if why := await _ruled_out(walk, red, oldest, newest):
        return _nothing(walk, why)
    older = oldest.versions if isinstance(oldest, PackageSet) else {}
    for release in _met(known, older, red.versions, walk.hints):
        if (culprit := await _same_here(walk, red, release)) is not None:
            return WhatChanged((culprit,), (), tuple(walk.points))
    green = (
        await _before_update(walk, oldest)
        if isinstance(oldest, PackageSet)
        else await _green(walk, oldest, newest)
    )
    if isinstance(green, str):
        return _nothing(walk, green)
    walk.packages.take_all_time()
    walk.hints, walk.between = hints(), (green, red)  # more may be installed by now
    uploads = await walk.packages.uploads({*green.versions, *red.versions})
    differing = green.differs_from(red)
    for name in [hint for hint in walk.hints if hint in differing][:_DIRECTLY]:
        if await _turns_green(walk, green, red, [name]):
            return await _decided(walk, green, red, uploads, (name,), narrow=True)
    green, red, narrow = await _narrowed(walk, green, red, uploads)
    deciding = await _smallest(walk, green, red)
    return await _decided(walk, green, red, uploads, deciding, narrow=narrow)


async def _ruled_out(
    walk: PackageRuns, red: PackageSet, oldest: datetime | PackageSet, newest: datetime
) -> str:
    """Return why nothing has to be installed to find a release; "" where one may be the cause.

    Raises:
        BudgetExhausted: When there is too little time for it, unless the failure hints at a release.
    """
    newer = await _newer(walk.packages, red, oldest)
    if isinstance(newer, str):
        return newer
    if newer.intersection(walk.hints):
        walk.packages.take_all_time()
    else:
        await walk.packages.require_time()
    outcome = await walk.outcome(red, f"{newest:%Y-%m-%d %H:%M}")
    if outcome is ReleaseOutcome.FAILS:
        return ""
    return said.with_packages_of(newest, _WHY_NOT_RED[outcome])


async def _newer(
    packages: Packages, red: PackageSet, oldest: datetime | PackageSet
) -> frozenset[str] | str:
    """Return the packages of which a newer version is installed, or why no release can be the cause.

    That costs one question to the index and no installation. What nothing is known of may be newer, too.
    """
    if isinstance(oldest, PackageSet):
        return frozenset(oldest.differs_from(red))
    uploads = await packages.uploads(red.versions)
    if red.versions and not uploads:
        return said.NO_UPLOAD_TIMES
    older = {(item.package, item.version) for item in uploads if item.moment <= oldest}
    newer = red.versions.items() - older
    return frozenset(name for name, _ in newer) if newer else said.nothing_newer(oldest)


def _met(
    known: Sequence[KnownRelease],
    older: Mapping[str, str],
    newer: Mapping[str, str],
    hints: Sequence[str],
) -> list[KnownRelease]:
    """Return the known releases that came since the older versions, as far as these are known.

    Those come first that the failure hints at.
    """
    there = [
        release
        for release in known
        if (after := _version(release.after)) is not None
        and (has := _version(newer.get(release.package, ""))) is not None
        and after <= has
        and ((had := _version(older.get(release.package, ""))) is None or had < after)
    ]
    return sorted(there, key=lambda release: release.package not in hints)[:_KNOWN]


async def _same_here(walk: PackageRuns, red: PackageSet, release: KnownRelease) -> Culprit | None:
    """Return a known release as the culprit, if the tests turn from green to red with it here, too."""
    name, before, after = release.package, release.before, release.after
    good = await walk.packages.swapped(red, {name: before})
    if good is None or await walk.outcome(good, f"{name}=={before}") is not ReleaseOutcome.PASSES:
        return None
    bad = await walk.packages.swapped(red, {name: after})
    if bad is None or await walk.outcome(bad, f"{name}=={after}") is not ReleaseOutcome.FAILS:
        return None
    uploads = await walk.packages.uploads({name})
    evidence = await confirmed(walk, bad, good)
    event = release_event(name, before, after, uploads)
    found = culprit_of(walk.tests, event, evidence, alone=True, narrow=True, aim=walk.aim)
    return replace(found, is_known=True)


async def _before_update(walk: PackageRuns, older: PackageSet) -> PackageSet | str:
    """Return the environment from before an update if the tests pass there; else why it tells nothing."""
    outcome = await walk.outcome(older, said.BEFORE_UPDATE)
    if outcome is ReleaseOutcome.PASSES:
        return older
    if outcome is ReleaseOutcome.FAILS and await _always_fails(walk, older):
        return said.FAILS_BEFORE_UPDATE
    return said.UNCLEAR_BEFORE_UPDATE


async def _green(walk: PackageRuns, oldest: datetime, newest: datetime) -> PackageSet | str:
    """Return an environment in which the tests pass, or at least fail otherwise; else why none is known.

    Where all of the same tests fail and only say something else, a release may have changed no more
    than the words.
    """
    otherwise: PackageSet | None = None
    low, at, high = 0, 0, len(_SHARES)
    while low < high:
        moment = oldest + (newest - oldest) * _SHARES[at]
        made, outcome = await walk.at(moment)
        if made is not None and outcome is ReleaseOutcome.PASSES:
            return made
        if made is not None and outcome is ReleaseOutcome.OTHERWISE:
            otherwise = otherwise or (None if walk.fails_the_same(made) else made)
        if at == 0 and made is not None and outcome is ReleaseOutcome.FAILS:
            if await _always_fails(walk, made):
                return said.fails_with_packages_of(moment)
            low = 1
        elif made is not None and outcome is ReleaseOutcome.FAILS:
            high = at
        else:  # a pin that is younger, say
            low = at + 1
        at = (low + high) // 2
    walk.aim = ReleaseOutcome.OTHERWISE
    return otherwise or said.NEVER_GREEN


async def _always_fails(walk: PackageRuns, packages: PackageSet) -> bool:
    """Whether the tests fail in each of several runs, so that it is no chance."""
    for _ in range(FAILURES - 1):
        if await walk.outcome(packages, said.AGAIN, again=True) is not ReleaseOutcome.FAILS:
            return False
    return True


def _nothing(walk: PackageRuns, reason: str) -> WhatChanged:
    return WhatChanged(ruled_out=(reason,), points=tuple(walk.points))


async def _narrowed(
    walk: PackageRuns, green: PackageSet, red: PackageSet, uploads: Sequence[Upload]
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
        lost = sum(low < index < high for index in skipped)
        if len(green.differs_from(red)) <= (_ALONE if lost > 1 else _FEW):
            return green, red, True  # each is tried alone, which takes less than to set up again
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
    walk: PackageRuns,
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
    if walk.aim is ReleaseOutcome.PASSES:
        walk.count_tests_alone()
    culprits = []
    for name in deciding:
        others = {item: green.versions.get(item) for item in deciding if item != name}
        step = await _first_bad(walk, name, green, red, uploads)
        good = await walk.packages.swapped(step.bad, {**others, name: step.before})
        event = release_event(name, step.before, step.after, uploads)
        told = partial(
            culprit_of,
            walk.tests,
            event,
            alone=len(deciding) == 1,
            narrow=step.narrow,
            aim=walk.aim,
        )
        try:
            culprits.append(told(await confirmed(walk, step.bad, good)))
        except BudgetExhausted:
            seen = Evidence(walk.counts_of(step.bad), walk.counts_of(good or green))
            unproven = replace(
                told(seen), certainty=Certainty.LIKELY, missing=said.NO_TIME_FOR_PROOF
            )
            walk.suspects = (*culprits, unproven)
            raise
    cleared = [item for item in differing if item not in deciding]
    if not narrow or walk.aim is ReleaseOutcome.OTHERWISE:
        cleared = []
    ruled_out = (said.do_not_decide(cleared),) if cleared else ()
    return WhatChanged(tuple(culprits), ruled_out, tuple(walk.points))


async def _turns_green(
    walk: PackageRuns, green: PackageSet, red: PackageSet, names: Sequence[str]
) -> bool:
    """Whether the older versions of some packages alone turn the tests green."""
    versions = {name: green.versions.get(name) for name in names}
    state = " ".join(f"{name}=={version or said.ABSENT}" for name, version in versions.items())
    made = await walk.packages.swapped(red, versions)
    if made is None:
        walk.point(state, RunCounts(), said.NOT_INSTALLABLE)
        return False
    return await walk.outcome(made, state) in {ReleaseOutcome.PASSES, walk.aim}


async def _smallest(walk: PackageRuns, green: PackageSet, red: PackageSet) -> tuple[str, ...]:
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
    walk: PackageRuns, name: str, green: PackageSet, red: PackageSet, uploads: Sequence[Upload]
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
