"""Keep how the tests of a run ended, and say how those that fail ended on other commits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from bot.ci.evidence import JobEvidence
from bot.model import Report, Reproduction
from bot.model.observation import names_test
from bot.model.quarantine import Quarantine, same_id
from bot.model.request import FixRequest
from bot.model.seen_tests import HERE, SeenResult, remembered
from bot.reporting.reasons import seen_tests as reasons
from bot.storage.quarantines import QuarantineStore
from bot.storage.seen_tests import SeenTestStore
from bot.telemetry.run_metrics import RunMetrics

_MOST = 100
"""Failing tests of a run that are kept: where more fail, the cause is no single test's."""

_TOLD = 3
"""Of which a report says something."""


class ResultHistory:
    """What is remembered of the tests of repositories."""

    def __init__(
        self, tests: SeenTestStore, quarantines: QuarantineStore, metrics: RunMetrics
    ) -> None:
        self._tests = tests
        self._quarantines = quarantines
        self._metrics = metrics

    async def noted(
        self,
        request: FixRequest,
        report: Report,
        failed: tuple[JobEvidence, ...],
        at: datetime,
        keeps: bool,  # noqa: FBT001 - an argument of a step
        owners: Mapping[str, str] = MappingProxyType({}),
    ) -> Report:
        """Return a report with what is known of its failing tests, and keep how they ended.

        Args:
            request: What was asked.
            report: Of the run.
            failed: What GitHub knows of its failed checks.
            at: When, UTC.
            keeps: Whether the repository has its results kept: a fork's are of somebody else.
            owners: Of its failing tests, by their ids, as far as they are known.

        Raises:
            StorageError: When the database fails.
        """
        quarantined = await self._quarantines.of(request.repo)
        results = tuple(
            replace(result, owner=owners.get(result.test, ""))
            for result in seen_in(request, report, failed, at, quarantined)
        )
        failing = list(dict.fromkeys(result.test for result in results if result.failed))
        commits = {result.commit for result in results}
        earlier = await self._tests.of(request.repo, failing[:_MOST]) if failing else ()
        known = remembered(result for result in earlier if result.commit not in commits)
        if keeps:
            await self._tests.keep(request.repo, results)
            for result in results:
                if result.failed:
                    self._metrics.test_failed("sandbox" if result.where == HERE else "github")
        told = [reasons.failed_before(each, request.number) for each in known[:_TOLD]]
        return replace(report, notes=tuple(dict.fromkeys((*report.notes, *told))))


def seen_in(
    request: FixRequest,
    report: Report,
    failed: tuple[JobEvidence, ...],
    at: datetime,
    quarantined: Sequence[Quarantine] = (),
) -> Iterator[SeenResult]:
    """Yield how the tests of a run ended on the commit that it is about: at GitHub, and here.

    Of a test in quarantine, an expected failure is a failure.
    """
    commit = request.failed
    branch, pull = (commit.branch, commit.pull_request) if commit is not None else ("", None)
    if commit is not None:
        for evidence in failed:
            for failure in evidence.named[:_MOST]:
                if names_test(failure.test):
                    yield SeenResult(
                        failure.test, commit.sha, branch, pull, evidence.check.name,
                        failed=True, message=failure.message, seen_at=at,
                    )  # fmt: skip
    seen = report.reproduction.observation if report.reproduction is not None else None
    if (
        seen is None
        or not report.head
        or report.reproduction is None
        or report.reproduction.test_patch
    ):
        return
    pull = request.number if request.is_pull_request else pull
    for failure in seen.named[:_MOST]:
        if names_test(failure.test):
            yield SeenResult(
                failure.test, report.head, branch, pull, HERE,
                failed=True, message=failure.message, seen_at=at,
            )  # fmt: skip
    for test in sorted(seen.passed):
        yield SeenResult(
            test, report.head, branch, pull, HERE, failed=False, message="", seen_at=at
        )
    for test, fails in sorted(_in_quarantine(report.reproduction, quarantined).items()):
        message = reasons.TOLERATED if fails else ""
        yield SeenResult(
            test, report.head, branch, pull, HERE, failed=fails, message=message, seen_at=at
        )


def _in_quarantine(seen: Reproduction, quarantined: Sequence[Quarantine]) -> dict[str, bool]:
    """Return of the tests in quarantine that ran, by their ids there, whether they failed."""
    ran = {same_id(kept.test): kept.kind for kept in quarantined if kept.kind and kept.kind.runs}
    found: dict[str, bool] = {}
    for part in filter(None, (seen.observation, seen.whole, seen.baseline)):
        for test in part.skipped:
            if same_id(test) in ran:
                found[test] = found.get(test, False) or test in part.tolerated
    return found
