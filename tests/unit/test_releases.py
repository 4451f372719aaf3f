"""Which release a failure comes from."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from bot.errors import BudgetExhausted
from bot.model import Failure, Observation
from bot.model.culprit import Certainty, KnownRelease, WhatChanged
from bot.repair.culprit.dated_packages import outcome_of
from bot.repair.culprit.explained_failure import LookCutShort
from bot.repair.culprit.package_runs import PackageSet, ReleaseOutcome, Upload
from bot.repair.culprit.release_walk import find_releases
from bot.repair.culprit.releases import errors_in, hinted
from bot.reporting.reasons import releases as releases_said

BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
END = datetime(2025, 1, 1, tzinfo=UTC)

Versions = Mapping[str, str]


@dataclass
class Registry:
    """Packages with their releases, and tests that fail with some of them."""

    releases: Sequence[Upload]
    fails: Callable[[Versions], bool]
    broken: Callable[[Versions], bool] = lambda versions: not versions
    noise: Callable[[bool], bool] = lambda fails: False  # noqa: ARG005 - never
    differs: Callable[[Versions], bool] = lambda versions: False  # noqa: ARG005 - never
    most: int = 10_000
    ran: int = 0
    sets: list[Versions] = field(default_factory=list)
    installed: int = 0

    def _kept(self, versions: Versions, moment: datetime) -> PackageSet | None:
        self.installed += 1
        if self.broken(versions):
            return None
        self.sets.append(versions)
        return PackageSet(str(len(self.sets) - 1), versions, moment)

    async def at_hand(self) -> PackageSet | None:
        return await self.as_of(END)

    async def require_time(self) -> None:
        pass

    def take_all_time(self) -> None:
        pass

    async def as_of(self, moment: datetime) -> PackageSet | None:
        there = (upload for upload in sorted(self.releases, key=lambda item: item.moment))
        versions = {upload.package: upload.version for upload in there if upload.moment < moment}
        return self._kept(versions, moment)

    async def swapped(
        self, packages: PackageSet, versions: Mapping[str, str | None]
    ) -> PackageSet | None:
        mixed = {**packages.versions, **versions}
        exact = {name: version for name, version in mixed.items() if version is not None}
        return self._kept(exact, packages.moment)

    async def run(self, packages: PackageSet, n: int) -> ReleaseOutcome:
        del n
        self.ran += 1
        if self.ran > self.most:
            raise BudgetExhausted("The time budget is used up.")
        if self.differs(packages.versions):
            return ReleaseOutcome.DIFFERS
        fails = self.fails(packages.versions)
        return ReleaseOutcome.FAILS if fails != self.noise(fails) else ReleaseOutcome.PASSES

    async def uploads(self, names: Iterable[str]) -> Sequence[Upload]:
        return [upload for upload in self.releases if upload.package in {*names}]


def releases(*packages: str, each: int = 20) -> list[Upload]:
    """Packages that release by turns, all through the year; the first ones are older."""
    first = [Upload(BEGIN - timedelta(days=9), name, "1.0") for name in packages]
    step = (END - BEGIN) / (each * len(packages) + 1)
    later = [
        Upload(BEGIN + step * (n * len(packages) + at + 1), name, f"1.{n + 1}")
        for n in range(each)
        for at, name in enumerate(packages)
    ]
    return first + later


def minor(versions: Versions, name: str) -> int:
    return int(versions[name].split(".")[1])


def find(
    registry: Registry, hints: tuple[str, ...] = (), known: tuple[KnownRelease, ...] = ()
) -> WhatChanged:
    return asyncio.run(find_releases(registry, BEGIN, END, ("test_it",), lambda: hints, known))


@pytest.mark.parametrize("first_bad", [1, 7, 20])
@pytest.mark.parametrize("hints", [(), ("b",), ("c",)])
def test_names_the_first_bad_version(first_bad: int, hints: tuple[str, ...]) -> None:
    """Whatever the failure hints at, the release is named, with proof, in about log2 steps."""
    registry = Registry(
        releases("a", "b", "c", "d"), lambda versions: minor(versions, "b") >= first_bad
    )
    found = find(registry, hints)
    (culprit,) = found.culprits
    assert (culprit.event.name, culprit.event.before, culprit.event.after) == (
        "b",
        f"1.{first_bad - 1}",
        f"1.{first_bad}",
    )
    assert culprit.certainty is Certainty.PROVEN
    assert culprit.with_it.failed >= 2
    assert culprit.without_it.passed >= 2
    assert culprit.event.date.startswith("2024-")
    assert registry.installed <= 16


def test_what_broke_another_repository_is_tried_first() -> None:
    """Three installations prove it; what is not so here leads nowhere, and costs one."""
    registry = Registry(releases("a", "b", "c"), lambda versions: minor(versions, "b") >= 7)
    elsewhere = (KnownRelease("a", "1.4", "1.5"), KnownRelease("absent", "1.0", "1.1"))
    same = KnownRelease("b", "1.6", "1.7")
    (culprit,) = find(registry, ("b",), (*elsewhere, same)).culprits
    assert (culprit.event.name, culprit.event.after) == ("b", "1.7")
    assert culprit.certainty is Certainty.PROVEN
    assert culprit.is_known
    assert registry.installed <= 4
    (found,) = find(registry, (), elsewhere).culprits
    assert (found.event.name, found.event.after, found.is_known) == ("b", "1.7", False)


def test_the_first_bad_version_may_say_something_else() -> None:
    """Tests that pass with one version and fail with the next are broken by that, whatever they say."""
    registry = Registry(
        releases("a", "b"),
        lambda versions: minor(versions, "b") >= 15,
        differs=lambda versions: 7 <= minor(versions, "b") < 15,
    )
    (culprit,) = find(registry, ("b",)).culprits
    assert (culprit.event.before, culprit.event.after) == ("1.6", "1.7")
    assert culprit.certainty is Certainty.PROVEN


def test_a_release_that_only_changes_the_words_is_not_named() -> None:
    """The same tests fail with every version, as where a test runner words a failure anew."""
    registry = Registry(
        releases("a", "b"),
        lambda versions: minor(versions, "b") >= 15,
        differs=lambda versions: minor(versions, "b") < 15,
    )
    found = find(registry, ("b",))
    assert found.culprits == ()
    assert found.ruled_out


def test_a_message_of_several_lines_counts_as_a_whole() -> None:
    """What to install instead stands in its second line, with pytest and without."""
    plain = "  File app.py\nImportError: gone\nInstall lxml[html_clean].\n\n-----\nRan 1"
    assert list(errors_in(plain)) == ["ImportError: gone", "Install lxml[html_clean]."]
    marked = "x.py:1: in f\nE   ImportError: gone\nE   Install lxml.\n_____ b _____\nbody"
    assert list(errors_in(marked)) == ["E   ImportError: gone", "E   Install lxml."]


def test_what_is_found_is_named_although_the_time_is_up() -> None:
    """As likely, with what is missing; what ran until then is not lost."""
    registry = Registry(releases("a", "b"), lambda versions: minor(versions, "b") >= 7)
    find(registry)
    registry.ran, registry.most = 0, registry.ran - 4
    with pytest.raises(LookCutShort) as cut:
        find(registry)
    (culprit,) = cut.value.found.culprits
    assert (culprit.event.name, culprit.event.after) == ("b", "1.7")
    assert (culprit.certainty, culprit.missing) == (
        Certainty.LIKELY, releases_said.NO_TIME_FOR_PROOF,
    )  # fmt: skip


def test_names_two_that_decide_together() -> None:
    """Neither alone turns the tests green or red: that is said, and not called proven."""
    moment = BEGIN + timedelta(days=100)
    both = [Upload(moment, name, "2.0") for name in ("a", "b")]
    known = [Upload(BEGIN - timedelta(days=9), name, "1.0") for name in ("a", "b", "c")]
    registry = Registry([*known, *both], lambda versions: "2.0" in {versions["a"], versions["b"]})
    found = find(registry)
    assert {culprit.event.name for culprit in found.culprits} == {"a", "b"}
    assert {culprit.certainty for culprit in found.culprits} == {Certainty.LIKELY}


def test_only_likely_where_releases_between_could_not_be_installed() -> None:
    """A gap of releases that can't be tried is no proof."""
    registry = Registry(
        releases("a", "b"),
        lambda versions: minor(versions, "a") >= 10,
        lambda versions: 8 <= minor(versions, "a") <= 11,
    )
    (culprit,) = find(registry).culprits
    assert culprit.event.name == "a"
    assert culprit.certainty is Certainty.LIKELY
    assert culprit.missing


def test_says_what_was_ruled_out() -> None:
    """Tests that fail with the packages of the oldest day fail for another reason."""
    found = find(Registry(releases("a"), bool))
    assert found.culprits == ()
    assert found.ruled_out == (releases_said.fails_with_packages_of(BEGIN),)


def test_fails_no_more_when_installed_afresh() -> None:
    """A release that mended it is no culprit."""
    found = find(Registry(releases("a"), lambda versions: minor(versions, "a") == 7))
    assert found.culprits == ()
    assert found.ruled_out


def test_what_is_older_than_the_commit_is_ruled_out_without_an_installation() -> None:
    """Nothing that is installed was uploaded since, so nothing is installed to find out."""
    old = [upload for upload in releases("a", "b") if upload.moment < BEGIN]
    registry = Registry(old, bool)
    assert find(registry).ruled_out == (releases_said.nothing_newer(BEGIN),)
    assert registry.installed == 1  # where it failed


def test_an_index_without_upload_times_is_not_asked_for_days() -> None:
    """Nobody can install as of a day from it."""
    registry = Silent(releases("a"), bool)
    assert find(registry).ruled_out == (releases_said.NO_UPLOAD_TIMES,)
    assert registry.installed == 1  # where it failed


class Silent(Registry):
    """An index without upload times."""

    async def uploads(self, names: Iterable[str]) -> Sequence[Upload]:
        del names
        return []


@pytest.mark.parametrize("first", [1, 9, 17, 20])
def test_days_before_a_pin_are_skipped_in_few_steps(first: int) -> None:
    """What the project pins is younger than the commit: the days on which it could be installed are halved."""
    registry = Registry(
        releases("a", "pinned"), bool, broken=lambda versions: minor(versions, "pinned") < first
    )
    assert find(registry).ruled_out == (releases_said.NEVER_GREEN,)
    assert registry.installed <= 5


NAMED = (Failure("tests.test_a::test_it", message="AssertionError: 5 != 6"),)


@pytest.mark.parametrize(
    ("seen", "outcome"),
    [
        (Observation("pytest", 0, passed=frozenset({NAMED[0].test})), ReleaseOutcome.PASSES),
        (Observation("pytest", 0), ReleaseOutcome.PASSES),
        (Observation("pytest", 0, skipped=frozenset({NAMED[0].test})), ReleaseOutcome.UNCLEAR),
        (
            Observation("pytest", 0, passed=frozenset({"tests.test_b::test"})),
            ReleaseOutcome.UNCLEAR,
        ),
    ],
)
def test_what_is_skipped_does_not_pass(seen: Observation, outcome: ReleaseOutcome) -> None:
    """With a version that the tests skip, nothing is known of them."""
    assert outcome_of(Observation("pytest", 1, failing=NAMED), seen) is outcome


def by_chance(chance: random.Random, rate: float, fails: bool) -> bool:  # noqa: FBT001 - as asked
    return not fails and chance.random() < rate


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.2])
def test_noise_never_proves_a_wrong_release(rate: float) -> None:
    """Tests that also fail at random name no wrong release as proven, and often the right one."""
    proven = 0
    for seed in range(100):
        chance = random.Random(seed)
        registry = Registry(
            releases("a", "b", "c"),
            lambda versions: minor(versions, "b") >= 9,
            noise=partial(by_chance, chance, rate),
        )
        found = find(registry)
        assert not any("no later release" in said for said in found.ruled_out)
        for culprit in found.culprits:
            if culprit.certainty is Certainty.PROVEN:
                proven += 1
                assert (culprit.event.name, culprit.event.after) == ("b", "1.9")
    assert proven > 20


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("ModuleNotFoundError: No module named 'pkg_resources'", "setuptools"),
        ("lib/python3.11/site-packages/lxml/html/clean.py:18: in <module>", "lxml"),
        ("cannot import name 'safe_str_cmp' from 'werkzeug.security' (PATH)", "werkzeug"),
        ("pytest.PytestRemovedIn8Warning: Support for nose tests is deprecated", "pytest"),
    ],
)
def test_a_failure_hints_at_packages(text: str, first: str) -> None:
    """Tracebacks and messages name the package that they come from."""
    modules = {"pkg_resources": "setuptools", "lxml": "lxml", "werkzeug": "werkzeug"}
    assert hinted(f"E   {text}", {**modules, "pytest": "pytest"})[:1] == (first,)


def test_what_kept_all_tests_from_starting_is_gone_once_one_passes() -> None:
    """No test is called as the file that could not be read."""
    red = Observation("pytest", 4, failing=(Failure("conftest", message="No module named 'x'"),))
    passes = Observation("pytest", 0, passed=frozenset({"tests.test_app::test_it"}))
    assert outcome_of(red, passes) is ReleaseOutcome.PASSES


def test_the_same_tests_may_fail_of_something_else() -> None:
    """They ran: what kept a file from being read tells nothing of them."""
    red = Observation(
        "pytest", 1, failing=(Failure("tests.test_app::test_it", message="KeyError: 1"),)
    )
    other = Failure("tests.test_app::test_it", message="TypeError: argument missing")
    whole = Failure("conftest", message="No module named 'x'")
    assert outcome_of(red, Observation("pytest", 1, failing=(other,))) is ReleaseOutcome.DIFFERS
    assert outcome_of(red, Observation("pytest", 4, failing=(whole,))) is ReleaseOutcome.OTHERWISE
