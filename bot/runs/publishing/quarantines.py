"""Put flaky tests into quarantine on GitHub, and take them out again once that is due."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath

import structlog

from bot.background import again_and_again
from bot.config.repo_config import RepoConfig, Titles
from bot.errors import Conflict, GitHubError, NotPermitted, RepoConfigError
from bot.github.github import GitHub
from bot.github.refusals import Gone
from bot.github.values import FileChange, Publication
from bot.limited_process import run_limited
from bot.model import Report, Verdict
from bot.model.quarantine import (
    Quarantine,
    QuarantineMark,
    QuarantineState,
    same_id,
)
from bot.model.repository import Repo
from bot.repair.flaky.test_marks import TEST_FILE, marked, reason_of, unmarked
from bot.reporting import quarantine as words
from bot.reporting.commit_text import TitleStyle, style_of
from bot.reporting.marker import marker
from bot.reporting.reasons import quarantine as reasons
from bot.runs.config_file import read_config
from bot.runs.publishing.conventions import signs_off
from bot.runs.remote_checkout import RemoteCheckout
from bot.runs.starting_state import Brief
from bot.runs.test_owners import owner_of
from bot.storage.quarantines import QuarantineStore
from bot.storage.runs import RunStore
from sandbox.git import ObjectStore

_EVERY_SECONDS = 3600.0

_GIVEN_UP = timedelta(days=30)
"""After which nothing is tried any more, where GitHub refuses all the time."""

_MOST_READ = 40
"""Files that are read to find a mark whose file was renamed."""

_log = structlog.get_logger(__name__)


class Quarantines:
    """Opens and ends quarantines; doing either again changes nothing."""

    def __init__(self, github: GitHub, store: QuarantineStore, runs: RunStore) -> None:
        self._github = github
        self._store = store
        self._runs = runs

    # --- the beginning ---

    async def propose(
        self, repo: Repo, brief: Brief, report: Report, checkout: RemoteCheckout
    ) -> Report:
        """Open an issue, and where there is a mark a pull request, for each flaky test of a run.

        Raises:
            GitHubError: When GitHub does not answer.
            StorageError: When the database fails.
        """
        source = await checkout.provide(report.head)
        said = [
            await self._proposed(repo, brief, report, tried, source.store)
            for tried in report.quarantine
        ]
        return replace(report, notes=tuple(dict.fromkeys((*report.notes, *said))))

    async def _proposed(
        self,
        repo: Repo,
        brief: Brief,
        report: Report,
        tried: QuarantineMark,
        store: ObjectStore,
    ) -> str:
        """Return what became of it, as a sentence."""
        config = brief.config
        test, base = tried.test.test, (await self._github.facts(repo)).default_branch
        head = await self._github.branch_head(repo, base)
        data = await self._github.read_file(repo, tried.path, head) if tried.path else None
        if tried.kind is not None and (data is None or _digest(data) != tried.digest):
            tried = replace(tried, kind=None, why_not=reasons.CHANGED_FILE)
        now = datetime.now(UTC)
        lines = range(tried.first, tried.last + 1) if tried.first else range(0)
        owner = (
            await owner_of(store, brief.trusted, report.head, tried.path, lines)
            if tried.path
            else None
        )
        new = Quarantine(
            report.run_id, test, tried.path, tried.kind, owner,
            now + timedelta(days=config.flaky.days), QuarantineState.OPENING, now,
        )  # fmt: skip
        kept = await self._store.begin(repo, new)
        if kept.run_id != report.run_id:
            return reasons.there_already(test, kept.issue)
        try:
            kept = await self._with_issue(repo, config, report, kept, tried)
            if kept.kind is not None and kept.pull is None:
                kept = await self._with_pull(repo, config, kept, tried, base)
        except (NotPermitted, Conflict) as error:
            await self._store.note(repo, kept, state=QuarantineState.ENDED)
            return reasons.refused(test, str(error))
        await self._store.note(repo, kept, state=QuarantineState.OPEN)
        return reasons.proposed(test, kept.issue or 0, kept.pull)

    async def _with_issue(
        self,
        repo: Repo,
        config: RepoConfig,
        report: Report,
        kept: Quarantine,
        tried: QuarantineMark,
    ) -> Quarantine:
        if kept.issue is not None:
            return kept
        mark = _marker(kept, "issue")
        body = words.issue(kept, tried, report.head, mark, looked=report.flaky is not None)
        title = words.issue_title(kept.test)
        labels = tuple(config.labels)
        issue = await self._github.open_issue(repo, title, body, labels, mark)
        await self._store.note(repo, kept, issue=issue)
        return replace(kept, issue=issue)

    async def _with_pull(
        self, repo: Repo, config: RepoConfig, kept: Quarantine, tried: QuarantineMark, base: str
    ) -> Quarantine:
        branch = _branch(config, kept)
        parent = await self._parent(repo, branch, base)
        data = await self._github.read_file(repo, kept.path, parent)
        if data is None or _digest(data) != tried.digest:
            raise Conflict(reasons.CHANGED_FILE)
        reason = reason_of(kept.issue or 0, kept.until)
        found = await run_limited(marked, kept.path, data, kept.test, reason)
        mark = _marker(kept, "pull-request")
        style, signed_off_by = await self._manner(repo, config, base)
        title = words.title(kept.test, style)
        publication = Publication(
            branch=branch,
            base=base,
            parent=parent,
            changes=(FileChange(kept.path, await self._mode(repo, parent, kept.path), found.data),),
            commit_message=words.commit_message(title, kept, signed_off_by),
            title=title,
            body=words.marking(kept, tried, mark),
            labels=tuple(config.labels),
            draft=config.draft,
            marker=mark,
        )
        pull = (await self._github.publish(repo, publication)).number
        await self._store.note(repo, kept, pull=pull)
        return replace(kept, pull=pull)

    async def _parent(self, repo: Repo, branch: str, base: str) -> str:
        """Return the commit that a branch of ours is made on: the same as before a crash."""
        try:
            return await self._github.first_parent(
                repo, await self._github.branch_head(repo, branch)
            )
        except Gone:
            return await self._github.branch_head(repo, base)

    async def _mode(self, repo: Repo, commit: str, path: str) -> str:
        return (await self._github.modes(repo, commit)).get(path, "100644")

    async def _manner(self, repo: Repo, config: RepoConfig, base: str) -> tuple[TitleStyle, str]:
        """Return how the project titles its commits, and the login that signs them off, or ""."""
        messages: tuple[str, ...] = ()
        if config.titles is Titles.AUTO or config.sign_off == "auto":
            messages = await self._github.recent_messages(repo, base)
        auto = config.titles is Titles.AUTO
        titles = [message.partition("\n")[0] for message in messages]
        style = style_of(titles) if auto else TitleStyle(config.titles.value)
        signs = signs_off(messages) if config.sign_off == "auto" else config.sign_off
        return style, (await self._github.app_identity()).bot_login if signs else ""

    # --- the end ---

    async def repaired(self, repo: Repo, number: int) -> None:
        """Have the quarantine end of what a pull request of ours repaired that was merged.

        Raises:
            StorageError: When the database fails.
        """
        opened = await self._runs.opened(repo, number)
        run = await self._runs.get(opened.id) if opened is not None else None
        tests = mended(run.report) if run is not None and run.report is not None else ()
        if tests:
            await self._store.repaired(repo, tests, number, datetime.now(UTC))

    async def keep_looking(self, turn: Callable[[], Awaitable[object]]) -> None:
        """End for ever what is due, when it is this server's turn."""
        await again_and_again(
            lambda: self.look(datetime.now(UTC)),
            pause=_EVERY_SECONDS,
            failed="quarantines not looked at",
            turn=turn,
        )

    async def look(self, now: datetime) -> None:
        """End what is due at that moment.

        Of a file with several marks, one is taken away after the other: the last one takes along
        what all of them need, such as an import.

        Raises:
            StorageError: When the database fails.
        """
        due = await self._store.due(now)
        busy: set[tuple[str, str]] = set()
        for stored in sorted(due, key=lambda each: each.quarantine.removal is None):
            repo, kept = stored.repo, stored.quarantine
            file = repo.identity, kept.path
            if kept.removal is None and kept.path and file in busy:
                continue
            try:
                state = await self._next(repo, kept)
            except (GitHubError, RepoConfigError) as error:
                _log.warning("quarantine not ended", test=kept.test, problem=str(error))
                state = QuarantineState.ENDED if kept.until < now - _GIVEN_UP else kept.state
            if state is QuarantineState.ENDING:
                busy.add(file)
            if state is not kept.state:
                await self._store.note(repo, kept, state=state)

    async def _next(self, repo: Repo, kept: Quarantine) -> QuarantineState:
        """Bring a quarantine that is due one step further; return how far it is.

        What people ended themselves, or never wanted, ends quietly.
        """
        if kept.issue is None or not await self._is_open(repo, kept.issue):
            return QuarantineState.ENDED
        if kept.removal is not None:
            removal = await self._github.pull_request(repo, kept.removal)
            if removal.merged:
                mark = _marker(kept, "ended")
                said = words.ended(kept.removal, mark)
                await self._github.post_comment(repo, kept.issue, said, mark)
                await self._github.close_issue(repo, kept.issue)
            is_open = removal.state == "open"
            return QuarantineState.ENDING if is_open else QuarantineState.ENDED
        if kept.pull is None:
            return QuarantineState.ENDED
        pull = await self._github.pull_request(repo, kept.pull)
        if not pull.merged:
            if pull.state == "open":
                mark = _marker(kept, "not-needed")
                said = words.not_needed(kept, mark)
                await self._github.post_comment(repo, kept.pull, said, mark)
                await self._github.close_issue(repo, kept.pull)
            return QuarantineState.ENDED
        return await self._unmark(repo, kept, pull.base_ref)

    async def _is_open(self, repo: Repo, issue: int) -> bool:
        try:
            return bool((await self._github.shown_issue(repo, issue))["state"] == "open")
        except Gone:
            return False

    async def _unmark(self, repo: Repo, kept: Quarantine, base: str) -> QuarantineState:
        """Open the pull request that takes a mark away, wherever it went; without a mark, none."""
        assert kept.issue is not None  # noqa: S101 - seen by the caller
        config = await read_config(self._github, repo, base)
        branch = f"{_branch(config, kept)}-end"
        parent = await self._parent(repo, branch, base)
        found = await self._found(repo, kept, parent)
        if found is None:
            return QuarantineState.ENDED
        path, mode, data = found
        mark = _marker(kept, "end")
        style, signed_off_by = await self._manner(repo, config, base)
        title = words.title(kept.test, style, ends=True)
        publication = Publication(
            branch=branch,
            base=base,
            parent=parent,
            changes=(FileChange(path, mode, data),),
            commit_message=words.commit_message(title, kept, signed_off_by, ends=True),
            title=title,
            body=words.unmarking(kept, mark),
            labels=tuple(config.labels),
            draft=False,
            marker=mark,
        )
        removal = (await self._github.publish(repo, publication)).number
        await self._store.note(repo, kept, removal=removal)
        mark = _marker(kept, "ending")
        said = words.ending(kept, removal, mark)
        await self._github.post_comment(repo, kept.issue, said, mark)
        return QuarantineState.ENDING

    async def _found(
        self, repo: Repo, kept: Quarantine, commit: str
    ) -> tuple[str, str, bytes] | None:
        """Return path, mode and content without its mark of the file that has it now, or None."""
        assert kept.issue is not None  # noqa: S101 - seen by the caller
        modes = await self._github.modes(repo, commit)
        for path in likely_paths(kept.path, list(modes)):
            data = await self._github.read_file(repo, path, commit)
            if data is not None and f"see #{kept.issue}".encode() in data:
                left = await run_limited(unmarked, path, data, kept.issue)
                if left is not None:
                    return path, modes[path], left
        return None


def mended(report: Report) -> tuple[str, ...]:
    """Return the flaky tests that a repair mends: those whose command it was verified with."""
    seen = report.reproduction.observation if report.reproduction is not None else None
    if report.verdict is not Verdict.FIXED or report.flaky is None or seen is None:
        return ()
    return tuple(
        test.test
        for test in report.flaky.tests
        if any(cause.command == seen.command for cause in test.causes)
    )


def likely_paths(path: str, paths: list[str]) -> list[str]:
    """Return where a test may stand now: its file first, then those that it may be renamed to."""
    suffix = PurePosixPath(path).suffix
    others = [each for each in paths if each != path and each.endswith(suffix)]

    def likeness(other: str) -> tuple[bool, float]:
        return bool(TEST_FILE.search(other)), difflib.SequenceMatcher(None, path, other).ratio()

    nearest = sorted(others, key=likeness, reverse=True)[:_MOST_READ]
    return [*([path] if path in paths else []), *nearest]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _marker(kept: Quarantine, kind: str) -> str:
    """Return the marker of something posted for one test of a run."""
    test = hashlib.sha256(same_id(kept.test).encode("utf-8", "replace")).hexdigest()[:8]
    return marker(kept.run_id, f"quarantine-{kind}-{test}")


def _branch(config: RepoConfig, kept: Quarantine) -> str:
    return f"{config.branch_prefix.rstrip('/')}/quarantine-{kept.issue}"
