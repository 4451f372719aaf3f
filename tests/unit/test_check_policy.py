"""What becomes of a commit whose checks failed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.config.checks import ChecksSection
from bot.config.values import Auto
from bot.github.check_values import Check, CommitChecks
from bot.github.values import PullRequest
from bot.intake.check_policy import (
    CommitPosition,
    CompetingRuns,
    PassBy,
    Start,
    Wait,
    Why,
    Wishes,
    decide_commit,
    failing,
    running,
    screen_commit,
)
from bot.model.merge_group import MergeGroup, QueueEntry
from bot.model.request import FailedCheck
from bot.reporting.reasons import deliveries

PULL = PullRequest(
    number=7,
    title="Work",
    url="https://github.test/acme/app/pull/7",
    state="open",
    draft=False,
    head_ref="work",
    head_sha="1" * 40,
    head_repository="acme/app",
    base_ref="main",
    is_fork=False,
    maintainer_can_modify=False,
    author="ada",
)
ON_MAIN = CommitPosition(default_branch=True, pull=None)
ON_PULL = CommitPosition(default_branch=False, pull=PULL)
LINT = FailedCheck("lint")
TEST = FailedCheck("test")


def wishes(
    auto: Auto = "all", *, switch: bool | None = None, asked_by: str = "", **config: Any
) -> Wishes:
    """Return what a repository with that section `checks` wishes."""
    section = ChecksSection.model_validate({"auto": auto, **config})
    return Wishes(section, switch=switch, asked_by=asked_by, us="fixpoint[bot]")


@pytest.mark.parametrize(
    ("auto", "place", "why"),
    [
        ("off", ON_MAIN, Why.OFF),
        ("off", ON_PULL, Why.OFF),
        ("default-branch", ON_MAIN, None),
        ("default-branch", ON_PULL, Why.NOT_HERE),
        ("pull-requests", ON_MAIN, Why.NOT_HERE),
        ("pull-requests", ON_PULL, None),
        ("all", ON_MAIN, None),
        ("all", ON_PULL, None),
        ("all", CommitPosition(default_branch=False, pull=None), Why.NOT_THE_NEWEST),
    ],
)
def test_auto_says_where(auto: Auto, place: CommitPosition, why: Why | None) -> None:
    """Each value of `auto` holds where it says, and a commit that nobody works on nowhere."""
    assert screen_commit(place, wishes(auto)) == (None if why is None else PassBy(why))


@pytest.mark.parametrize(
    ("pull", "key", "why"),
    [
        (replace(PULL, draft=True), "drafts", Why.DRAFT),
        (replace(PULL, by_bot=True), "bots", Why.BOT),
        (replace(PULL, is_fork=True), "forks", Why.FORK),
    ],
)
def test_special_pull_requests_have_a_key_each(pull: PullRequest, key: str, why: Why) -> None:
    """Drafts, bots and forks are passed by, unless config, command or button want them."""
    place = CommitPosition(default_branch=False, pull=pull)
    assert screen_commit(place, wishes()) == PassBy(why)
    wanted: dict[str, Any] = {key: True}
    assert screen_commit(place, wishes(**wanted)) is None
    assert screen_commit(place, wishes(switch=True)) is None
    assert screen_commit(place, wishes(asked_by="wes")) is None


@pytest.mark.parametrize("auto", ["off", "default-branch", "pull-requests"])
def test_updates_are_switched_on_alone(auto: Auto) -> None:
    """Whatever `auto` says, a bot's update starts a run, and a bot's other pull request doesn't."""
    update = replace(PULL, by_bot=True, author="dependabot[bot]")
    renamed = replace(PULL, by_bot=True, author="acme-updates[bot]", head_ref="renovate/lxml-5.x")
    for pull in (update, renamed):
        place = CommitPosition(default_branch=False, pull=pull)
        assert screen_commit(place, wishes(auto, bots="updates")) is None
        assert screen_commit(place, wishes("off", bots=True)) == PassBy(Why.OFF)
    person = CommitPosition(default_branch=False, pull=replace(PULL, head_ref="renovate/lxml"))
    expected = screen_commit(person, wishes(auto))
    assert screen_commit(person, wishes(auto, bots="updates")) == expected
    other = CommitPosition(default_branch=False, pull=replace(PULL, by_bot=True))
    assert screen_commit(other, wishes("pull-requests", bots="updates")) == PassBy(Why.BOT)


def test_a_label_switches_on_but_opens_no_door_to_forks() -> None:
    """People without write access may label."""
    labelled = replace(PULL, labels=("Robots",), draft=True)
    place = CommitPosition(default_branch=False, pull=labelled)
    config = wishes("off", label="robots")
    assert screen_commit(place, config) is None
    assert screen_commit(place, replace(config, switch=False)) == PassBy(Why.SWITCHED_OFF)
    fork = CommitPosition(default_branch=False, pull=replace(labelled, is_fork=True))
    assert screen_commit(fork, config) == PassBy(Why.FORK)
    assert screen_commit(ON_PULL, config) == PassBy(Why.NOT_HERE)


def test_our_own_pull_requests_start_nothing() -> None:
    """What we published is watched elsewhere; what people push on top is theirs, unless they ask."""
    place = CommitPosition(default_branch=False, pull=replace(PULL, author="Fixpoint[bot]"))
    assert screen_commit(place, wishes(switch=True)) == PassBy(Why.OUR_OWN)
    assert screen_commit(place, wishes(asked_by="wes")) is None


def test_only_failures_that_count_are_taken() -> None:
    """Neither our own check, nor one that somebody cancelled, nor one that is ignored."""
    config = ChecksSection(names=("CI / *", "lint"), ignore=("*flaky*",))
    checks = CommitChecks(
        checks=(
            Check("lint", "github-actions", "failure", 11, 21),
            Check("CI / test (3.11)", "", "error"),
            Check("CI / flaky", "github-actions", "failure", 12, 21),
            Check("deploy", "github-actions", "failure", 13, 21),
            Check("CI / stopped", "github-actions", "cancelled", 14, 21),
            Check("CI / slow", "github-actions", None, 15, 21),
            Check("lint", "fixpoint", "failure", 16),
            Check("CI / ours", "fixpoint", None, 17),
        ),
        running=("CI", "CI"),
    )
    assert failing(checks, config, "fixpoint") == (
        FailedCheck("lint", "github-actions", "failure", 11, 21, 11),
        FailedCheck("CI / test (3.11)", "", "error"),
    )
    assert running(checks, "fixpoint") == ("CI / slow", "CI")


@pytest.mark.parametrize(
    ("standing", "on_base", "asked_by", "decision"),
    [
        (CompetingRuns(), frozenset(), "", Start((LINT, TEST))),
        (CompetingRuns(), frozenset({"lint"}), "", Start((TEST,))),
        (CompetingRuns(), frozenset({"lint", "test"}), "", PassBy(Why.RED_ON_BASE, (LINT, TEST))),
        (CompetingRuns(), frozenset({"lint", "test"}), "wes", Start((LINT, TEST))),
        (CompetingRuns(earlier=1), frozenset(), "", PassBy(Why.ALREADY, (LINT, TEST))),
        (CompetingRuns(earlier=1), frozenset(), "wes", Start((LINT, TEST))),
        (CompetingRuns(open_fixes=2), frozenset(), "", Start((LINT, TEST))),
        (CompetingRuns(open_fixes=3), frozenset(), "", PassBy(Why.TOO_MANY_OPEN, (LINT, TEST))),
        (CompetingRuns(open_fixes=3), frozenset(), "wes", Start((LINT, TEST))),
        (CompetingRuns(in_a_row=9), frozenset(), "", Start((LINT, TEST))),
        (CompetingRuns(in_a_row=10), frozenset(), "", PassBy(Why.TOO_MANY_RUNS, (LINT, TEST))),
        (CompetingRuns(in_a_row=99), frozenset(), "wes", Start((LINT, TEST))),
        (CompetingRuns(here=True), frozenset(), "", Wait(deliveries.ANOTHER_RUN_HERE)),
        (
            CompetingRuns(elsewhere=1),
            frozenset(),
            "wes",
            Wait(deliveries.OTHER_RUNS),
        ),
    ],
)
def test_what_else_goes_on_decides(
    standing: CompetingRuns, on_base: frozenset[str], asked_by: str, decision: object
) -> None:
    """Once for each commit; not what the base has; few at a time; a person who asks goes before."""
    found = decide_commit(wishes(asked_by=asked_by), (LINT, TEST), on_base, standing)
    assert found == decision


def test_what_the_base_has_is_repaired_where_the_config_says_so() -> None:
    """With `red_on_base`, a pull request's run takes what fails on its base too."""
    both = frozenset({"lint", "test"})
    asked = Wishes(ChecksSection(auto="all", red_on_base=True))
    assert decide_commit(asked, (LINT, TEST), both, CompetingRuns()) == Start((LINT, TEST))


def test_a_commit_without_failures_is_passed_by() -> None:
    """Whoever asks: there is nothing to repair."""
    found = decide_commit(wishes(asked_by="wes"), (), frozenset(), CompetingRuns())
    assert found == PassBy(Why.NOTHING_FAILED)


def test_a_merge_group_is_looked_into_where_the_config_says_so() -> None:
    """Whatever `auto` says, and whoever's fork it has; a person who asks is answered anyway."""
    entry = QueueEntry(7, "2" * 40, "3" * 40, is_fork=True)
    place = CommitPosition(default_branch=False, pull=None, group=MergeGroup("main", (entry,)))
    assert screen_commit(place, wishes("all")) == PassBy(Why.OFF)
    assert screen_commit(place, wishes("off", merge_groups=True)) is None
    assert screen_commit(place, wishes("off", asked_by="ada")) is None


def test_what_fails_on_an_entry_before_it_is_that_ones() -> None:
    """Only checks that fail on none of them start a run."""
    wanted = wishes("off", merge_groups=True)
    nothing, before = frozenset[str](), frozenset({"test"})
    standing = CompetingRuns()
    decided = decide_commit(wanted, (LINT, TEST), nothing, standing, before)
    assert decided == Start((LINT,))
    decided = decide_commit(wanted, (TEST,), nothing, standing, before)
    assert decided == PassBy(Why.RED_BEFORE, (TEST,))
