"""Decide what becomes of a commit whose checks failed: start a run, wait, or pass it by.

`screen_commit` needs to know where the commit is, so that most commits cost few requests.
`decide_commit` needs its checks and what else happens in the repository.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from bot.config.checks import ChecksSection
from bot.github.check_values import ACTIONS, Check, CommitChecks
from bot.github.values import PullRequest
from bot.model.merge_group import MergeGroup
from bot.model.request import FailedCheck
from bot.reporting.reasons import deliveries, simulation


@dataclass(frozen=True, slots=True)
class CommitPosition:
    """Where a commit stands.

    Attributes:
        default_branch: Whether it is the head of the default branch.
        pull: The open pull request that has it as its head, or None.
        group: The merge group that it is the head of, or None.
    """

    default_branch: bool
    pull: PullRequest | None
    group: MergeGroup | None = None


@dataclass(frozen=True, slots=True)
class Wishes:
    """Who wants runs there.

    Attributes:
        config: Of the branch that people merge into.
        switch: What `/fix auto` said on the pull request; None when nobody said it.
        asked_by: Login of the person who pressed a button, or "".
        us: Our own login.
    """

    config: ChecksSection
    switch: bool | None = None
    asked_by: str = ""
    us: str = ""


@dataclass(frozen=True, slots=True)
class CompetingRuns:
    """Other runs and pull requests of ours.

    Attributes:
        earlier: How many runs the commit had.
        here: Whether a run is under way on the commit or its pull request.
        elsewhere: How many runs of failed checks, or of conflicts, are under way in the repository.
        open_fixes: How many pull requests of ours are open.
        in_a_row: How many runs the pull request's failed checks started, and nobody asked for one.
    """

    earlier: int = 0
    here: bool = False
    elsewhere: int = 0
    open_fixes: int = 0
    in_a_row: int = 0


class Why(StrEnum):
    """Why a commit gets no run."""

    NOT_THE_NEWEST = "not the newest"
    OFF = "off"
    SWITCHED_OFF = "switched off"
    NOT_HERE = "not here"
    OUR_OWN = "our own"
    FORK = "fork"
    BOT = "bot"
    DRAFT = "draft"
    NOTHING_FAILED = "nothing failed"
    ALREADY = "already"
    RED_ON_BASE = "red on base"
    RED_BEFORE = "red before"
    TOO_MANY_OPEN = "too many open"
    TOO_MANY_RUNS = "too many runs"

    @property
    def is_told(self) -> bool:
        """Whether people are told on the commit, with a button to ask for a run all the same."""
        return self in _TOLD

    @property
    def is_final(self) -> bool:
        """Whether nobody's asking could change it."""
        return self in {Why.NOT_THE_NEWEST, Why.NOTHING_FAILED}

    @property
    def sentence(self) -> str:
        """The reason in words: for the database, and where a person should know, for GitHub."""
        return _SENTENCES[self]

    @property
    def rule(self) -> str:
        """What would have to be so for this not to be the reason, in words."""
        return _RULES[self]


_SENTENCES: Mapping[Why, str] = MappingProxyType(
    {
        Why.NOT_THE_NEWEST: deliveries.NOT_A_HEAD,
        Why.OFF: deliveries.NOT_ENABLED,
        Why.SWITCHED_OFF: deliveries.SWITCHED_OFF,
        Why.NOT_HERE: deliveries.NOT_ENABLED_HERE,
        Why.OUR_OWN: deliveries.PUSHED_TO_OURS,
        Why.FORK: deliveries.FROM_A_FORK,
        Why.BOT: deliveries.BY_A_BOT,
        Why.DRAFT: deliveries.IS_A_DRAFT,
        Why.NOTHING_FAILED: deliveries.NOTHING_FAILED,
        Why.ALREADY: deliveries.HAD_ITS_RUN,
        Why.RED_ON_BASE: deliveries.SAME_ON_BASE,
        Why.RED_BEFORE: deliveries.SAME_BEFORE,
        Why.TOO_MANY_OPEN: deliveries.TOO_MANY_OPEN,
        Why.TOO_MANY_RUNS: deliveries.TOO_MANY_RUNS,
    }
)
_RULES: Mapping[Why, str] = MappingProxyType(
    {
        Why.NOT_THE_NEWEST: simulation.IS_A_HEAD,
        Why.OFF: simulation.CHECKS_ENABLED,
        Why.SWITCHED_OFF: simulation.NOT_SWITCHED_OFF,
        Why.NOT_HERE: simulation.CHECKS_ENABLED,
        Why.OUR_OWN: simulation.NOT_OURS,
        Why.FORK: simulation.NO_FORK,
        Why.BOT: simulation.NO_BOT,
        Why.DRAFT: simulation.NO_DRAFT,
        Why.NOTHING_FAILED: simulation.SOMETHING_FAILED,
        Why.ALREADY: simulation.FIRST_RUN,
        Why.RED_ON_BASE: simulation.GREEN_ON_BASE,
        Why.RED_BEFORE: simulation.GREEN_BEFORE,
        Why.TOO_MANY_OPEN: simulation.FEW_OPEN,
        Why.TOO_MANY_RUNS: simulation.FEW_RUNS,
    }
)
_TOLD = frozenset({
    Why.NOT_HERE, Why.FORK, Why.BOT, Why.DRAFT, Why.RED_ON_BASE, Why.TOO_MANY_OPEN,
    Why.TOO_MANY_RUNS,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Start:
    """Start a run for these checks."""

    checks: tuple[FailedCheck, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    """Look again later; `reason` is for the log."""

    reason: str


@dataclass(frozen=True, slots=True)
class PassBy:
    """Start nothing; `checks` are those that failed."""

    why: Why
    checks: tuple[FailedCheck, ...] = ()


CommitDecision = Start | Wait | PassBy


Hindrances = Mapping[Why, bool]
"""Whether each reason holds, in the order in which they decide: the first one that does."""


def screen_commit(place: CommitPosition, wishes: Wishes) -> PassBy | None:
    """Return why a commit can't start a run, or None when its checks have to be asked for."""
    why = _first(screening(place, wishes))
    return None if why is None else PassBy(why)


def screening(place: CommitPosition, wishes: Wishes) -> Hindrances:
    """Return what could keep a commit from a run, whatever its checks say."""
    pull, asked = place.pull, bool(wishes.asked_by)
    if place.group is not None:
        return {Why.OFF: not wishes.config.merge_groups and not asked}
    is_ours = pull is not None and pull.author.lower() == wishes.us.lower()
    found = {
        Why.NOT_THE_NEWEST: not place.default_branch and pull is None,
        Why.OUR_OWN: is_ours and not asked,
    }
    return found if is_ours or asked else {**found, **_unwanted(place, wishes)}


def _unwanted(place: CommitPosition, wishes: Wishes) -> Hindrances:
    """Return why nobody may want a run there: a person's word first, then label, then the config."""
    config, pull = wishes.config, place.pull
    if place.default_branch or pull is None:
        return {_off(config): not config.default_branch}
    if wishes.switch is not None:
        return {Why.SWITCHED_OFF: not wishes.switch}
    wanted = config.label.lower() if config.label is not None else None
    labelled = wanted in {label.lower() for label in pull.labels}
    is_update = pull.is_update and config.updates
    return {
        _off(config): not labelled and not is_update and not config.pull_requests,
        # A label may come from people without write access: it opens no door to forks.
        Why.FORK: pull.is_fork and not config.forks,
        Why.BOT: pull.by_bot and not (config.bots is True or is_update or labelled),
        Why.DRAFT: pull.draft and not config.drafts and not labelled,
    }


def _first(found: Hindrances) -> Why | None:
    return next((why for why, hinders in found.items() if hinders), None)


def _off(config: ChecksSection) -> Why:
    """Return whether a repository that asks for no run here asks for any at all."""
    return Why.OFF if config.auto == "off" and config.label is None else Why.NOT_HERE


def failing(checks: CommitChecks, config: ChecksSection, our_slug: str) -> tuple[FailedCheck, ...]:
    """Return the checks that failed and count; our own never do."""
    return tuple(
        _failed_check(check)
        for check in checks.checks
        if check.failed and check.app != our_slug and config.counts(check.name)
    )


def running(checks: CommitChecks, our_slug: str) -> tuple[str, ...]:
    """Return the names of what is under way on the commit, ours left out."""
    names = [
        check.name for check in checks.checks if check.conclusion is None and check.app != our_slug
    ]
    return tuple(dict.fromkeys([*names, *checks.running]))


def decide_commit(
    wishes: Wishes,
    failed: tuple[FailedCheck, ...],
    on_base: frozenset[str],
    standing: CompetingRuns,
    before: frozenset[str] = frozenset(),
) -> CommitDecision:
    """Return what becomes of a commit that `screen_commit` let through and that has settled.

    Args:
        wishes: Who wants runs there.
        failed: The checks that failed and count.
        on_base: Names of the checks that fail on the base commit too.
        standing: Other runs and pull requests of ours.
        before: Names of the checks that fail on an entry of the merge queue before this one.
    """
    why = _first(hindrances(wishes, failed, on_base, standing, before))
    if why is not None:
        return PassBy(why, failed)
    if standing.here:
        return Wait(deliveries.ANOTHER_RUN_HERE)
    if standing.elsewhere >= wishes.config.at_once:
        return Wait(deliveries.OTHER_RUNS)
    return Start(_repairable(wishes, failed, on_base | before))


def hindrances(
    wishes: Wishes,
    failed: tuple[FailedCheck, ...],
    on_base: frozenset[str],
    standing: CompetingRuns,
    before: frozenset[str] = frozenset(),
) -> Hindrances:
    """Return what could keep a commit that was let through from a run; see `decide_commit`."""
    asked, config = bool(wishes.asked_by), wishes.config
    red_before = not _repairable(wishes, failed, on_base | before)
    return {
        Why.NOTHING_FAILED: not failed,
        Why.ALREADY: bool(standing.earlier) and not asked,
        Why.RED_ON_BASE: not _repairable(wishes, failed, on_base),
        **({Why.RED_BEFORE: red_before} if before else {}),
        Why.TOO_MANY_OPEN: standing.open_fixes >= config.most_open and not asked,
        Why.TOO_MANY_RUNS: standing.in_a_row >= config.most_runs and not asked,
    }


def _repairable(
    wishes: Wishes, failed: tuple[FailedCheck, ...], on_base: frozenset[str]
) -> tuple[FailedCheck, ...]:
    """Return the failed checks that a run would be about."""
    everything = bool(wishes.asked_by) or wishes.config.red_on_base
    return failed if everything else tuple(check for check in failed if check.name not in on_base)


def _failed_check(check: Check) -> FailedCheck:
    return FailedCheck(
        name=check.name,
        app=check.app,
        conclusion=check.conclusion or "",
        check_run_id=check.check_run_id,
        workflow_run_id=check.workflow_run_id,
        # On GitHub a job and its check run have the same id.
        job_id=check.check_run_id if check.app == ACTIONS else None,
        url=check.url,
    )
