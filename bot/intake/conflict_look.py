"""Look at a pull request of ours whose base moved: if it conflicts now, have it repaired anew."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import assert_never

import structlog

from bot.config.repo_config import RepoConfig
from bot.errors import NotPermitted
from bot.github.github import GitHub
from bot.github.payloads import GHOST
from bot.github.values import Comparison, PullRequest
from bot.intake.check_dispatch import read_default_config
from bot.intake.commit_look import wait_after
from bot.intake.conflict_policy import (
    ConflictFacts,
    LeaveConflict,
    PutOff,
    Redo,
    WhyLeft,
    decide_conflict,
)
from bot.intake.followup_policy import Budget
from bot.intake.repair_spending import spent_in_vain
from bot.model.quota import Urgency
from bot.model.request import ConflictingRepair, FixRequest
from bot.reporting import conflict_repair
from bot.reporting.marker import marker
from bot.reporting.reasons import deliveries, publication, run_life
from bot.reporting.reasons.deliveries import started
from bot.storage.open_pulls import OpenPull
from bot.storage.runs import RunRecord, RunStatus
from bot.storage.stores import Stores

MOST_LOOKS = 10
"""After so many without an answer from GitHub, it is looked at again when somebody compares."""

_log = structlog.get_logger(__name__)


class ConflictLook:
    """Looks at one pull request at a time."""

    def __init__(
        self,
        github: GitHub,
        stores: Stores,
        start: Callable[[FixRequest], Awaitable[None]],
        *,
        first_wait: float,
    ) -> None:
        """Describe what looks work with.

        Args:
            github: To ask and to say.
            stores: What is remembered.
            start: Queues a run.
            first_wait: Seconds until the second look at what is not known yet; doubles each time.
        """
        self._github = github
        self._stores = stores
        self._start = start
        self._first_wait = first_wait

    async def __call__(self, at: OpenPull) -> str:
        """Do what the state of a pull request asks for; return what that was."""
        if await self._stores.runs.active(at.repo, at.number):
            return await self._wait(at, publication.ANOTHER_RUN_HERE)
        pull = await self._github.pull_request(at.repo, at.number, Urgency.PROGRESS)
        us = (await self._github.app_identity()).bot_login
        if pull.state != "open" or pull.author != us or pull.is_fork:
            await self._stores.pulls.closed(at.repo, at.number)
            return publication.looked(at.number, publication.CLOSED)
        if pull.mergeable is None:
            if at.looks >= MOST_LOOKS:
                return await self._looked(at, "", publication.never_known(at.looks))
            return await self._wait(at, publication.NOT_KNOWN_YET)
        base = await self._github.branch_head(at.repo, pull.base_ref)
        if pull.mergeable:
            return await self._looked(at, base, publication.MERGES)
        return await self._conflicting(at, pull, base)

    async def _conflicting(self, at: OpenPull, pull: PullRequest, base: str) -> str:
        config = await read_default_config(self._github, at.repo)
        if config is None:
            return await self._looked(at, "", deliveries.CONFIG_INVALID)
        if not config.conflicts:
            return await self._looked(at, base, publication.OFF)
        opened = await self._stores.runs.opened(at.repo, at.number)
        if opened is None:  # the run is perhaps about to report that it opened it
            return await self._looked(at, "", publication.OPENED_ELSEWHERE)
        return await self._redoable(at, pull, base, config, opened)

    async def _redoable(
        self, at: OpenPull, pull: PullRequest, base: str, config: RepoConfig, opened: RunRecord
    ) -> str:
        compared = await self._github.compared(at.repo, base, pull.head_sha)
        request = _request(at, pull, base, compared.parted, opened.request, opened.id)
        facts, last = await self._facts(at, pull, config, compared, request, opened)
        decision = decide_conflict(facts)
        match decision:
            case Redo() if await self._stores.queue.is_full():
                return await self._wait(at, run_life.CHECKS_PUT_OFF)
            case Redo(attempts, cost):
                options = replace(request.options, attempts=attempts, budget_usd=cost)
                begun = replace(request, options=options, follows=last)
                return await self._begin(at, base, begun)
            case PutOff(reason):
                return await self._wait(at, reason)
            case LeaveConflict(why, reason):
                await self._say(at, pull, why, reason)
                return await self._looked(at, base, reason)
            case _:
                assert_never(decision)

    async def _facts(
        self,
        at: OpenPull,
        pull: PullRequest,
        config: RepoConfig,
        compared: Comparison,
        request: FixRequest,
        opened: RunRecord,
    ) -> tuple[ConflictFacts, str]:
        """Return what there is to know, and the id of the run that the branch's head is of."""
        runs = self._stores.runs
        us = (await self._github.app_identity()).bot_login
        active = [run.request for run in await runs.active(at.repo)]
        noted = await self._stores.commits.get(at.repo, pull.head_sha)
        last = await runs.get((noted.published_by if noted else None) or opened.id) or opened
        again = [
            run
            for run in await runs.of_thread(at.repo, at.number)
            if run.request.redoes is not None and run.request.redoes.head == pull.head_sha
        ]
        ended = [await runs.get(run.id) for run in again if run.status is RunStatus.DONE]
        facts = ConflictFacts(
            switch=await self._stores.switches.get(at.repo, at.number),
            ours=compared.complete and compared.authors <= {us},
            others=tuple(sorted(compared.authors - {us, GHOST})),
            tried=any(run.id == request.run_id for run in again),
            elsewhere=sum(fix_request.is_automatic for fix_request in active),
            at_once=config.checks.at_once,
            spent=await spent_in_vain(runs, last, [run for run in ended if run is not None]),
            budget=Budget(config.attempts, config.budget_usd),
        )
        return facts, last.id

    async def _begin(self, at: OpenPull, base: str, request: FixRequest) -> str:
        """Remember the run before it is queued, so that a crash in between starts no second one."""
        await self._stores.runs.create(request, "")
        note = await self._looked(at, base, started(request.run_id))
        await self._start(request)
        return note

    async def _say(self, at: OpenPull, pull: PullRequest, why: WhyLeft, reason: str) -> None:
        """Say why a conflict is left to people: in the one comment that is about conflicts."""
        if not why.is_told:
            return
        mark = marker(f"pull-{at.number}", "conflict")
        text = conflict_repair.left(pull.base_ref, reason, mark)
        try:
            comment = await self._github.find_comment(at.repo, at.number, mark)
            if comment is None:
                await self._github.post_comment(at.repo, at.number, text, mark)
            elif await self._github.comment_text(at.repo, comment) != text:
                await self._github.edit_comment(at.repo, comment, text)
        except NotPermitted as error:
            _log.warning("conflict not told", problem=str(error))

    async def _wait(self, at: OpenPull, reason: str) -> str:
        due = datetime.now(UTC) + wait_after(at.looks, self._first_wait)
        await self._stores.pulls.wait(at, due, reason)
        return publication.looked(at.number, reason)

    async def _looked(self, at: OpenPull, seen: str, note: str) -> str:
        await self._stores.pulls.looked(at, seen, note)
        return publication.looked(at.number, note)


def _request(
    at: OpenPull, pull: PullRequest, base: str, parted: str, asked: FixRequest, opened_by: str
) -> FixRequest:
    """Return the request of a run that makes the repair again, with the options of the first one."""
    return FixRequest(
        repository=at.repo.full_name,
        installation_id=at.repo.installation_id,
        repository_id=at.repo.id,
        number=at.number,
        is_pull_request=True,
        actor="",
        comment_id=None,
        asked_at=datetime.now(UTC),
        instructions=asked.instructions,
        options=asked.options,
        redoes=ConflictingRepair(
            asked=asked,
            opened_by=opened_by,
            branch=pull.head_ref,
            head=pull.head_sha,
            base_branch=pull.base_ref,
            base=base,
            parted=parted,
        ),
    )
