"""End quarantines on GitHub, once their time is over or a repair was merged."""

from __future__ import annotations

import heapq
from collections.abc import Awaitable, Callable, Collection
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath

import structlog

from bot.background import again_and_again
from bot.code.files import is_test_file
from bot.errors import FixpointError, StorageError
from bot.github.github import GitHub
from bot.limited_process import run_limited
from bot.model import Report, Verdict
from bot.model.quarantine import Quarantine, QuarantineState
from bot.model.repository import Repo
from bot.repair.flaky.test_marks import unmarked
from bot.reporting import quarantine as words
from bot.runs.config_file import read_config
from bot.runs.publishing.quarantine_pulls import QuarantinePulls, is_open, quarantine_marker
from bot.storage.quarantines import QuarantineStore
from bot.storage.runs import RunStore

_EVERY_SECONDS = 3600.0

_GIVEN_UP = timedelta(days=30)
"""After which nothing is tried any more, where GitHub refuses all the time."""

_MOST_READ = 40
"""Files that are read to find a mark whose file was renamed."""

_log = structlog.get_logger(__name__)


class QuarantineEnds:
    """Ends quarantines; ending one again changes nothing."""

    def __init__(self, github: GitHub, store: QuarantineStore, runs: RunStore) -> None:
        self._github = github
        self._store = store
        self._runs = runs
        self._pulls = QuarantinePulls(github)

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
            except StorageError:
                raise
            except FixpointError as error:
                # of GitHub, the repo config, or a file: the others go on
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
        if kept.issue is None or not await is_open(self._github, repo, kept.issue):
            return QuarantineState.ENDED
        if kept.removal is not None:
            removal = await self._github.pull_request(repo, kept.removal)
            if removal.merged:
                mark = quarantine_marker(kept, "ended")
                said = words.ended(kept.removal, mark)
                await self._github.post_comment(repo, kept.issue, said, mark)
                await self._github.close_issue(repo, kept.issue)
            waits = removal.state == "open"
            return QuarantineState.ENDING if waits else QuarantineState.ENDED
        if kept.pull is None:
            return QuarantineState.ENDED
        pull = await self._github.pull_request(repo, kept.pull)
        if not pull.merged:
            if pull.state == "open":
                mark = quarantine_marker(kept, "not-needed")
                said = words.not_needed(kept, mark)
                await self._github.post_comment(repo, kept.pull, said, mark)
                await self._github.close_issue(repo, kept.pull)
            return QuarantineState.ENDED
        return await self._unmark(repo, kept, pull.base_ref)

    async def _unmark(self, repo: Repo, kept: Quarantine, base: str) -> QuarantineState:
        """Open the pull request that takes a mark away, wherever it went; without a mark, none."""
        assert kept.issue is not None  # noqa: S101 - seen by the caller
        config = await read_config(self._github, repo, base)

        async def change(parent: str) -> tuple[str, bytes] | None:
            return await self._found(repo, kept, parent)

        removal = await self._pulls.open(
            repo, config, base, kept, change, lambda mark: words.unmarking(kept, mark), ends=True
        )
        if removal is None:
            return QuarantineState.ENDED
        await self._store.note(repo, kept, removal=removal)
        mark = quarantine_marker(kept, "ending")
        said = words.ending(kept, removal, mark)
        await self._github.post_comment(repo, kept.issue, said, mark)
        return QuarantineState.ENDING

    async def _found(self, repo: Repo, kept: Quarantine, commit: str) -> tuple[str, bytes] | None:
        """Return path and content, without its mark, of the file that has it now, or None."""
        assert kept.issue is not None  # noqa: S101 - seen by the caller
        for path in likely_paths(kept.path, await self._github.paths(repo, commit)):
            data = await self._github.read_file(repo, path, commit)
            if data is not None and f"see #{kept.issue}".encode() in data:
                left = await run_limited(unmarked, path, data, kept.issue)
                if left is not None:
                    return path, left
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


def likely_paths(path: str, paths: Collection[str]) -> list[str]:
    """Return where a test may stand now: its file first, then those that it may be renamed to."""
    place = PurePosixPath(path)

    def likeness(other: str) -> tuple[bool, bool, int, str]:
        there = PurePosixPath(other)
        shared = len(set(there.parts) & set(place.parts))
        return there.name == place.name, is_test_file(other), shared, other

    others = [other for other in paths if other != path and other.endswith(place.suffix)]
    nearest = heapq.nlargest(_MOST_READ, others, key=likeness)
    return [*([path] if path in paths else []), *nearest]
