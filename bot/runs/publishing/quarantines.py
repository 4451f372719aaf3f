"""Put flaky tests into quarantine on GitHub: an issue each, and a pull request that marks the test."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.errors import Conflict, NotPermitted
from bot.github.github import GitHub
from bot.limited_process import TooMuch, run_limited
from bot.model import Report
from bot.model.quarantine import CodeOwner, Quarantine, QuarantineMark, QuarantineState
from bot.model.repository import Repo
from bot.repair.flaky.mark_edits import NoMark
from bot.repair.flaky.test_marks import marked, reason_of
from bot.reporting import quarantine as words
from bot.reporting.reasons import quarantine as reasons
from bot.runs.publishing.quarantine_pulls import QuarantinePulls, is_open, quarantine_marker
from bot.runs.remote_checkout import RemoteCheckout
from bot.runs.starting_state import Brief
from bot.runs.test_owners import owner_of
from bot.storage.quarantines import QuarantineStore
from sandbox.git import ObjectStore

_REFUSED = (NotPermitted, Conflict, NoMark, TooMuch)


class Quarantines:
    """Opens quarantines; opening one again changes nothing."""

    def __init__(self, github: GitHub, store: QuarantineStore) -> None:
        self._github = github
        self._store = store
        self._pulls = QuarantinePulls(github)

    async def propose(
        self, repo: Repo, brief: Brief, report: Report, checkout: RemoteCheckout
    ) -> Report:
        """Open an issue, and where there is a mark a pull request, for each flaky test of a run.

        Raises:
            GitHubError: When GitHub does not answer.
            StorageError: When the database fails.
        """
        store = (await checkout.provide(report.head)).store
        said = []
        for tried in report.quarantine:
            try:
                said.append(await self._proposed(repo, brief, report, tried, store))
            except _REFUSED as error:
                said.append(reasons.refused(tried.test.test, str(error)))
        return replace(report, notes=tuple(dict.fromkeys((*report.notes, *said))))

    async def _proposed(
        self, repo: Repo, brief: Brief, report: Report, tried: QuarantineMark, store: ObjectStore
    ) -> str:
        """Return what became of it, as a sentence."""
        test, base = tried.test.test, (await self._github.facts(repo)).default_branch
        if tried.kind is not None:
            head = await self._github.branch_head(repo, base)
            if await self._tried_file(repo, head, tried) is None:
                tried = replace(tried, kind=None, why_not=reasons.CHANGED_FILE)
        owner, now = await _owner(brief, report, tried, store), datetime.now(UTC)
        new = Quarantine(
            report.run_id, test, tried.path, tried.kind, owner,
            now + timedelta(days=brief.config.flaky.days), QuarantineState.OPENING, now,
        )  # fmt: skip
        kept = await self._store.begin(repo, new)
        if kept.run_id != report.run_id:
            return reasons.there_already(test, kept.issue)
        try:
            kept = await self._opened(repo, brief, report, kept, tried, base)
        except _REFUSED:
            await self._store.note(repo, kept, state=QuarantineState.ENDED)
            raise
        await self._store.note(repo, kept, state=QuarantineState.OPEN)
        return reasons.proposed(test, kept.issue or 0, kept.pull)

    async def _opened(
        self,
        repo: Repo,
        brief: Brief,
        report: Report,
        kept: Quarantine,
        tried: QuarantineMark,
        base: str,
    ) -> Quarantine:
        """Return a quarantine with its issue and its pull request, each opened if need be."""
        if kept.issue is None:
            mark = quarantine_marker(kept, "issue")
            body = words.issue(kept, tried, report.head, mark, looked=report.flaky is not None)
            issue = await self._earlier_issue(repo, kept)
            if issue is not None:
                await self._github.post_comment(repo, issue, body, mark)
            else:
                title, labels = words.issue_title(kept.test), tuple(brief.config.labels)
                issue = await self._github.open_issue(repo, title, body, labels, mark)
            await self._store.note(repo, kept, issue=issue)
            kept = replace(kept, issue=issue)
        if kept.kind is None or kept.pull is not None:
            return kept
        reason = reason_of(kept.issue or 0, kept.until)

        async def change(parent: str) -> tuple[str, bytes]:
            data = await self._tried_file(repo, parent, tried)
            if data is None:
                raise Conflict(reasons.CHANGED_FILE)
            return kept.path, (await run_limited(marked, kept.path, data, kept.test, reason)).data

        pull = await self._pulls.open(
            repo, brief.config, base, kept, change, lambda mark: words.marking(kept, tried, mark)
        )
        await self._store.note(repo, kept, pull=pull)
        return replace(kept, pull=pull)

    async def _earlier_issue(self, repo: Repo, kept: Quarantine) -> int | None:
        """Return the issue of an earlier quarantine of the test that is still open, or None."""
        issue = await self._store.earlier_issue(repo, kept)
        return issue if issue is not None and await is_open(self._github, repo, issue) else None

    async def _tried_file(self, repo: Repo, commit: str, tried: QuarantineMark) -> bytes | None:
        """Return the file of a test, if it is the one in which the mark was tried."""
        data = await self._github.read_file(repo, tried.path, commit)
        same = data is not None and hashlib.sha256(data).hexdigest() == tried.digest
        return data if same else None


async def _owner(
    brief: Brief, report: Report, tried: QuarantineMark, store: ObjectStore
) -> CodeOwner | None:
    if not tried.path:
        return None
    return await owner_of(store, brief.trusted, report.head, tried.path, tried.first, tried.last)
