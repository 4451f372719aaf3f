"""Follow what becomes of our repairs: merged, closed, reverted."""

from __future__ import annotations

from bot.intake.pull_events import BranchPushed, Closed
from bot.intake.reverts import Reverted, reverted_by
from bot.model.repository import Repo
from bot.reporting.reasons import deliveries as did
from bot.runs.merged_pulls import MergedPulls
from bot.runs.publishing.quarantine_ends import QuarantineEnds
from bot.runs.review_feedback import PeopleSaid
from bot.storage.outcomes import OutcomeStore


class RepairOutcomes:
    """Notes what GitHub tells of pull requests and commits."""

    def __init__(
        self,
        outcomes: OutcomeStore,
        merged: MergedPulls,
        said: PeopleSaid,
        quarantines: QuarantineEnds,
    ) -> None:
        self._outcomes = outcomes
        self._merged = merged
        self._said = said
        self._quarantines = quarantines

    async def closed(self, repo: Repo, number: int, closed: Closed) -> str:
        """Note that a pull request was merged or closed; return what that changed, or "".

        One that was merged may revert an earlier one.
        """
        if closed.merge_commit is None:
            await self._said.at_the_end(repo, number)
            changed = await self._outcomes.closed(repo, number, merge_commit=None)
            return did.repair_closed(number) if changed else ""
        changed = await self._merged.merged(repo, number, closed.merge_commit)
        await self._quarantines.repaired(repo, number)
        reverted = reverted_by(closed.body, repo.full_name)
        if await self._reverted(repo, reverted):
            return did.REPAIR_REVERTED
        return did.repair_merged(number) if changed else ""

    async def reopened(self, repo: Repo, number: int) -> str:
        """Note that a closed pull request was opened again; return what that changed."""
        changed = await self._outcomes.reopened(repo, number)
        return did.repair_reopened(number) if changed else did.NOTHING_TO_DO

    async def pushed(self, event: BranchPushed) -> str:
        """Note which repairs the commits of a push revert; return what that changed, or ""."""
        if await self._reverted(event.repo, Reverted(commits=event.reverted)):
            return did.REPAIR_REVERTED
        return ""

    async def _reverted(self, repo: Repo, what: Reverted) -> bool:
        if not what:
            return False
        return await self._outcomes.reverted(repo, what.numbers, what.commits)
