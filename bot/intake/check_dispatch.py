"""Act on webhooks about checks: note what failed, answer buttons, switch pull requests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

from bot.config.memory import MemorySection
from bot.config.repo_config import RepoConfig, WhoSection
from bot.errors import RepoConfigError
from bot.github.github import GitHub
from bot.intake.approval_answers import Approvals
from bot.intake.check_events import ButtonPressed, ChecksFailed
from bot.intake.comment_values import CommentEvent
from bot.intake.permissions import may_approve, may_ask
from bot.intake.pull_events import (
    BranchPushed,
    GroupMerged,
    GroupQueued,
    HeadLeft,
    LabelAdded,
    Reopened,
)
from bot.intake.repair_outcomes import RepairOutcomes
from bot.intake.superseded_commits import LeftHeads
from bot.model import Verdict
from bot.model.merge_group import QueueEntry, queue_branch
from bot.model.repository import Repo
from bot.reporting import check_run
from bot.reporting.answer_instructions import parts
from bot.reporting.reasons import deliveries as did
from bot.runs.config_file import read_config
from bot.runs.display import if_allowed
from bot.runs.merged_pulls import MergedPulls
from bot.runs.publishing.quarantine_ends import QuarantineEnds
from bot.runs.review_feedback import PeopleSaid
from bot.storage.approvals import ApprovalAnswer
from bot.storage.runs import RunRecord
from bot.storage.stores import Stores


class _InVainError(Exception):
    """A button was pressed for nothing; the text says why."""


class CheckEvents:
    """Takes events about checks, and switches that commands set."""

    def __init__(
        self,
        github: GitHub,
        stores: Stores,
        approvals: Approvals,
        left: LeftHeads,
        wake: Callable[[], None],
        merged: MergedPulls,
        said: PeopleSaid,
        quarantines: QuarantineEnds,
        *,
        settle: float = 0.0,
    ) -> None:
        """Describe what events work with.

        Args:
            github: To ask.
            stores: What is remembered.
            approvals: Takes the answers to runs that wait.
            left: Ends runs on superseded commits.
            wake: Says that there is news of a commit, or of a branch.
            merged: Keeps what was merged.
            said: Keeps why pull requests were closed.
            quarantines: End with the repairs of their tests.
            settle: Seconds until a branch that was pushed to is looked at: more pushes may come,
                and GitHub needs some to know what conflicts with it.
        """
        self._settle = settle
        self._left = left
        self._outcomes = RepairOutcomes(stores.outcomes, merged, said, quarantines)
        self._github = github
        self._stores = stores
        self._approvals = approvals
        self._wake = wake

    async def failed(self, event: ChecksFailed) -> str:
        """Note a failure that is not our own check's."""
        if event.by == (await self._github.app_identity()).slug:
            return did.OWN_CHECK
        await self._stores.commits.failed(event.repo, event.sha, event.branch)
        self._wake()
        return did.failure_noted(event.sha)

    async def queued(self, event: GroupQueued) -> str:
        """Note which pull request a merge queue added to which commit."""
        queued = queue_branch(event.branch)
        if queued is None:
            return did.NOTHING_TO_DO
        entry = QueueEntry(queued.number, event.parent, event.head)
        await self._stores.queued_pulls.add(event.repo, queued.base, entry)
        return did.entry_noted(queued.number, event.head)

    async def group_merged(self, event: GroupMerged) -> str:
        """End what looks for the cause of a failure that kept nobody from merging."""
        return await self._left.merged(event.repo, event.head)

    async def labelled(self, event: LabelAdded) -> str:
        """Have a commit looked at that a label may make ours."""
        await self._stores.commits.reconsider(event.repo, event.sha)
        self._wake()
        return did.LABEL_NOTED

    async def left(self, event: HeadLeft) -> str:
        """End what works on a head that nobody works on any more."""
        left = await self._left.pushed(event)
        if not event.closed:
            return left
        await self._stores.pulls.closed(event.repo, event.number)
        return await self._outcomes.closed(event.repo, event.number, event.closed) or left

    async def reopened(self, event: Reopened) -> str:
        """Take back what the end of a pull request taught."""
        return await self._outcomes.reopened(event.repo, event.number)

    async def pushed(self, event: BranchPushed) -> str:
        """Note repairs that a push reverts, and pull requests of ours whose base it moves."""
        reverted = await self._outcomes.pushed(event)
        return await self._moved(event) or reverted or did.NOTHING_TO_DO

    async def _moved(self, event: BranchPushed) -> str:
        """Have pull requests of ours into a branch looked at; return what was done, or ""."""
        due = datetime.now(UTC) + timedelta(seconds=self._settle)
        found = await self._stores.pulls.moved(event.repo, event.branch, due)
        if not found:
            return ""
        self._wake()
        return did.base_moved(event.branch, found)

    async def switch(self, event: CommentEvent, *, on: bool) -> None:
        """Switch a pull request; one that is switched on has its newest commit looked at."""
        repo, number = event.repo, event.thread.number
        await self._stores.switches.set(repo, number, event.sender.login, on=on)
        if on:
            pull = await self._github.pull_request(repo, number)
            await self._stores.commits.failed(repo, pull.head_sha, pull.head_ref)
            self._wake()

    async def pressed(self, event: ButtonPressed) -> str:
        """Do what a button says, or say in its check run why not."""
        try:
            return await self._press(event)
        except _InVainError as error:
            why = str(error)
        note = partial(check_run.with_note, person=event.sender, why=why)
        await if_allowed(self._github.change_summary(event.repo, event.check_run, note))
        return why

    async def _press(self, event: ButtonPressed) -> str:
        """Answer a button: GitHub shows them to everybody who may push, the config may ask more.

        Raises:
            _InVainError: Nothing is done, and who pressed it should know.
        """
        if event.app != (await self._github.app_identity()).slug:
            return did.FOREIGN_CHECK
        permission = await self._github.permission(event.repo, event.sender)
        who = await read_who(self._github, event.repo) if permission.may_write else WhoSection()
        if not may_ask(event.sender, permission, who):
            if permission.may_write:
                raise _InVainError(did.may_not_ask(event.sender))
            return did.may_not_ask(event.sender)
        run = await self._run_of(event)
        if event.button == "stop":
            stopped = run is not None and await self._stores.runs.request_stop(run.id)
            if not stopped:
                raise _InVainError(did.NOTHING_TO_STOP)
            return did.stopping(event.external_id)
        may = may_approve(event.sender, permission, who)
        if parts(event.button)[0] in {"approve", "reject"}:
            return await self._answer(event, run, may_approve=may)
        if event.button not in {"fix", "explain", "retry"}:
            return did.unknown_button(event.button)
        return await self._ask(event, run, may_approve=may)

    async def _run_of(self, event: ButtonPressed) -> RunRecord | None:
        """Return the run whose check run it is; one of another repository does not exist here."""
        run = await self._stores.runs.get(event.external_id)
        if run is None or run.repo.identity != event.repo.identity:
            return None
        return run

    async def _ask(self, event: ButtonPressed, run: RunRecord | None, *, may_approve: bool) -> str:
        """Ask for a run; where the last one used up its budget, another one requires an approval."""
        if run is not None and run.verdict is Verdict.BUDGET_SPENT and not may_approve:
            raise _InVainError(did.may_not_extend(event.sender))
        explains, sha, branch = event.button == "explain", event.sha, event.branch
        if run is not None and run.request.failed is not None and run.request.failed.group:
            sha, branch = run.request.failed.sha, run.request.failed.branch
        await self._stores.commits.ask(
            event.repo, sha, branch, event.sender, only_explains=explains
        )
        self._wake()
        return did.asked(event.sender, sha)

    async def _answer(
        self, event: ButtonPressed, run: RunRecord | None, *, may_approve: bool
    ) -> str:
        """Answer what a run asks in its check run; the button has the id of the question.

        Only one that a Fixpoint of before made has none.
        """
        word, named = parts(event.button)
        questions = () if run is None else await self._approvals.open_of(run)
        if run is None or not questions:
            raise _InVainError(did.NOTHING_WAITS)
        asked = next((one for one in questions if named in {one.id, one.id_on_button}), None)
        if asked is None:
            raise _InVainError(did.ANOTHER_QUESTION)
        approved = word == "approve"
        if approved and not may_approve:
            raise _InVainError(did.may_not_approve(event.sender))
        answer = ApprovalAnswer.APPROVED if approved else ApprovalAnswer.REJECTED
        await self._approvals.answer(asked, answer, event.sender)
        return did.answered(answer, run.id)


async def read_who(github: GitHub, repo: Repo) -> WhoSection:
    """Return the config's `who`; a config that can't be read is reported by the run itself."""
    config = await read_default_config(github, repo)
    return WhoSection() if config is None else config.who


async def read_memory_section(github: GitHub, repo: Repo) -> MemorySection:
    """Return the config's `memory`; with a config that can't be read, nothing is kept."""
    config = await read_default_config(github, repo)
    return MemorySection(enabled=False) if config is None else config.memory


async def read_default_config(github: GitHub, repo: Repo) -> RepoConfig | None:
    """Return the config of the default branch; None when it can't be read."""
    facts = await github.facts(repo)
    try:
        return await read_config(github, repo, facts.default_branch)
    except RepoConfigError:
        return None
