"""Look at a commit whose checks failed: ask what it takes to decide, act, note what was decided."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import assert_never

import structlog

from bot.errors import NotPermitted, RepoConfigError
from bot.github.github import GitHub
from bot.github.values import RepositoryFacts
from bot.intake.check_policy import (
    CommitPosition,
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
from bot.intake.commit_facts import CommitFacts
from bot.intake.superseded_commits import LeftHeads
from bot.model.check_report import CheckReport
from bot.model.request import FailedCheck, FailedCommit, FixRequest
from bot.reporting import check_run
from bot.reporting.reasons import deliveries, run_life
from bot.reporting.reasons.deliveries import started
from bot.runs.config_file import read_config
from bot.storage.commits import CommitState, WatchedCommit
from bot.storage.stores import Stores

LONGEST_WAIT = 300.0
"""Seconds between two looks at a commit, at most."""

A_RUN_ENDS = timedelta(seconds=60)
"""Between two looks while another run is waited for, at most: nobody tells when one ends."""

_log = structlog.get_logger(__name__)


class CommitLook:
    """Looks at one commit at a time."""

    def __init__(
        self,
        github: GitHub,
        stores: Stores,
        start: Callable[[FixRequest], Awaitable[None]],
        left: LeftHeads,
        *,
        first_wait: float,
    ) -> None:
        """Describe what looks work with.

        Args:
            github: To ask and to say.
            stores: What is remembered.
            start: Queues a run.
            left: Ends runs on older commits.
            first_wait: Seconds until the second look at something under way; doubles each time.
        """
        self._github = github
        self._stores = stores
        self._start = start
        self._left = left
        self._facts = CommitFacts(github, stores)
        self._first_wait = first_wait

    async def __call__(self, commit: WatchedCommit) -> str:
        """Do what the commit's checks ask for; return what that was."""
        facts = await self._github.facts(commit.repo)
        place = await self._facts.place(commit.repo, commit.sha, facts, commit.branch)
        try:
            ref = _base_of(place, facts)
            config = await read_config(self._github, commit.repo, ref)
        except RepoConfigError as error:
            return await self._unusable(commit, place, error)
        wishes = Wishes(
            config=config.checks,
            switch=await self._facts.switch(commit.repo, place.pull),
            asked_by=commit.asked_by,
            us=(await self._github.app_identity()).bot_login,
        )
        screened = screen_commit(place, wishes)
        if facts.archived or screened is not None:
            return await self._pass_by(commit, screened, place)
        return await self._settled(commit, place, wishes, facts)

    async def _settled(
        self, commit: WatchedCommit, place: CommitPosition, wishes: Wishes, facts: RepositoryFacts
    ) -> str:
        """Decide, once the commit's other checks are over or nobody waits for them any longer."""
        config, now = wishes.config, datetime.now(UTC)
        settles = commit.first_at + timedelta(seconds=config.settle)
        if now < settles and not commit.asked_by:
            return await self._wait(commit, settles, deliveries.SETTLING)
        number = None if place.pull is None else place.pull.number
        if place.group is None:
            await self._left.newer(commit.repo, commit.sha, facts.default_branch, number)
        slug = (await self._github.app_identity()).slug
        checks = await self._github.commit_checks(commit.repo, commit.sha)
        failed = failing(checks, config, slug)
        under_way = running(checks, slug)
        patient = now < commit.first_at + timedelta(seconds=config.patience)
        if under_way and failed and patient and not commit.asked_by:
            later = now + wait_after(commit.looks, self._first_wait)
            return await self._wait(commit, later, deliveries.still_running(under_way))
        on_base = await self._facts.on_base(commit.repo, place, config) if failed else frozenset()
        standing = await self._facts.standing(commit.repo, commit.sha, place)
        group, before = place.group, frozenset[str]()
        if group is not None and failed:
            before = await self._facts.before(commit.repo, group, config)
        decision = decide_commit(wishes, failed, on_base, standing, before)
        match decision:
            case Start(chosen) if not commit.asked_by and await self._stores.queue.is_full():
                return await self._put_off(commit, chosen)
            case Start(chosen):
                return await self._begin(commit, place, facts, chosen)
            case Wait(reason):
                pause = min(wait_after(commit.looks, self._first_wait), A_RUN_ENDS)
                return await self._wait(commit, now + pause, reason)
            case PassBy():
                return await self._pass_by(commit, decision, place)
            case _:
                assert_never(decision)

    async def _begin(
        self,
        commit: WatchedCommit,
        place: CommitPosition,
        facts: RepositoryFacts,
        checks: tuple[FailedCheck, ...],
    ) -> str:
        pull, repo, group = place.pull, commit.repo, place.group
        if group is not None:
            group = await self._facts.with_pulls(repo, group)
        request = FixRequest(
            repository=repo.full_name,
            installation_id=repo.installation_id,
            repository_id=repo.id,
            number=None if pull is None else pull.number,
            is_pull_request=pull is not None,
            actor=commit.asked_by,
            only_explains=commit.only_explains or place.group is not None,
            comment_id=None,
            asked_at=datetime.now(UTC),
            failed=FailedCommit(
                sha=commit.sha,
                branch=_branch_of(place, facts),
                base=_base_of(place, facts),
                pull_request=None if pull is None else pull.number,
                checks=checks,
                group=group,
            ),
            turn=await self._stores.runs.of_commit(repo, commit.sha),
        )
        return await begin(request, commit, self._stores, self._start)

    async def _wait(self, commit: WatchedCommit, due_at: datetime, reason: str) -> str:
        await self._stores.commits.wait(commit, due_at, reason)
        return reason

    async def _put_off(self, commit: WatchedCommit, checks: tuple[FailedCheck, ...]) -> str:
        """Start nothing while the queue is full, and say so; a person may start a run anyway."""
        reason = run_life.CHECKS_PUT_OFF
        await self._tell(commit, check_run.offer(commit.sha, reason, checks))
        return await self._wait(commit, datetime.now(UTC) + A_RUN_ENDS, reason)

    async def _pass_by(
        self, commit: WatchedCommit, decision: PassBy | None, place: CommitPosition
    ) -> str:
        """Start nothing, and say so where a person could want it otherwise."""
        if decision is None:
            return await self._pass(commit, deliveries.ARCHIVED)
        if (decision.why.is_told and place.group is None) or commit.asked_by:
            why = decision.why
            offered = check_run.offer(
                commit.sha, why.sentence, decision.checks, may_start=not why.is_final
            )
            await self._tell(commit, offered)
        if decision.why is Why.ALREADY:
            return await self._pass(commit, decision.why.sentence, CommitState.STARTED)
        return await self._pass(commit, decision.why.sentence)

    async def _unusable(
        self, commit: WatchedCommit, place: CommitPosition, error: RepoConfigError
    ) -> str:
        """Start nothing because of the repo config, and say so on commits that people work on."""
        if place.default_branch or place.pull is not None:
            reason = deliveries.config_invalid_because(error.problems[0])
            await self._tell(commit, check_run.offer(commit.sha, reason))
        return await self._pass(commit, deliveries.CONFIG_INVALID)

    async def _tell(self, commit: WatchedCommit, report: CheckReport) -> None:
        """Show our check run as it should be now, whatever it said before."""
        try:
            check = await self._github.create_check_run(commit.repo, report)
            await self._github.update_check_run(commit.repo, check, report)
        except NotPermitted as error:
            _log.warning("no check run", problem=str(error))

    async def _pass(
        self, commit: WatchedCommit, note: str, state: CommitState = CommitState.PASSED_BY
    ) -> str:
        await self._stores.commits.decided(commit, state, note)
        return deliveries.skipped(note)


def _branch_of(place: CommitPosition, facts: RepositoryFacts) -> str:
    """Return the branch that a commit is the head of."""
    if place.group is not None:
        return place.group.branch
    return facts.default_branch if place.pull is None else place.pull.head_ref


def _base_of(place: CommitPosition, facts: RepositoryFacts) -> str:
    """Return the branch that a commit is merged into, or on."""
    if place.group is not None:
        return place.group.base_branch
    return facts.default_branch if place.pull is None else place.pull.base_ref


async def begin(
    request: FixRequest,
    commit: WatchedCommit,
    stores: Stores,
    start: Callable[[FixRequest], Awaitable[None]],
) -> str:
    """Remember a run, note that the commit has it, and queue it; return what was done."""
    await stores.runs.create(request, "")
    await stores.commits.decided(commit, CommitState.STARTED, started(request.run_id))
    await start(request)
    return started(request.run_id)


def wait_after(looks: int, first_wait: float) -> timedelta:
    """Return how long to wait before the next look: longer each time."""
    return timedelta(seconds=min(first_wait * 2 ** min(looks, 20), LONGEST_WAIT))
