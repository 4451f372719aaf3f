"""Read a repair from its pull request, to be made again on another commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain

from bot.model import Problem, Report, Specification
from bot.model.memory import Became, FailureSignature, TriedRepair
from bot.model.request import ConflictingRepair, FixRequest
from bot.repair.workspace.patches import patch_between
from bot.reporting.reasons import publication
from bot.runs.job_plan import KnownRepair
from bot.runs.remote_checkout import RemoteCheckout
from bot.storage.runs import RunStore


class KnownRepairs:
    """Reads what pull requests of ours change; reading it twice gives the same."""

    def __init__(self, runs: RunStore) -> None:
        self._runs = runs

    async def read(self, request: FixRequest, checkout: RemoteCheckout) -> KnownRepair:
        """Return what the pull request changes whose repair a request makes again.

        Raises:
            UsageError: When GitHub has its commits no longer.
            StorageError: When the database fails.
        """
        repair = request.redoes
        assert repair is not None  # noqa: S101 - seen by the caller
        for commit in (repair.parted, repair.head):
            await checkout.bring(commit)
        run = await self._runs.get(repair.opened_by)
        opened = None if run is None else run.report
        later = await self._later(request)
        written = () if opened is None else _written_first(opened)
        files = tuple(dict.fromkeys((*written, *chain.from_iterable(map(_tests_of, later)))))
        whole = await _changed(request, repair, checkout, None)
        tests = await _changed(request, repair, checkout, files) if files else None
        reports = later if opened is None else (opened, *later)
        return KnownRepair(
            whole,
            tests,
            _joined(
                [report.specification for report in reports if report.specification is not None]
            ),
            None if opened is None else _with_what_was_asked_since(opened.problem, later),
            only_tests_fail=bool(written),
        )

    async def _later(self, request: FixRequest) -> tuple[Report, ...]:
        """Return the reports of the runs whose commits followed on the branch, the oldest first."""
        thread = await self._runs.of_thread(request.repo, request.number or 0)
        pushed = [
            record.id
            for record in reversed(thread)
            if record.pull_request is None
            and record.pull_request_url
            and record.request.redoes is None
        ]
        runs = [await self._runs.get(item) for item in pushed]
        return tuple(run.report for run in runs if run is not None and run.report is not None)


def _written_first(report: Report) -> tuple[str, ...]:
    """Return the files with tests that were written because nothing failed."""
    reproduction = report.reproduction
    if reproduction is None or reproduction.test_patch is None:
        return ()
    return reproduction.test_patch.files


def _tests_of(report: Report) -> tuple[str, ...]:
    """Return the files with tests that a run brought, before its repair and with it."""
    attempt = report.accepted_attempt
    verification = None if attempt is None else attempt.verification
    changed = () if verification is None else verification.changed_tests
    return (*_written_first(report), *changed)


def _joined(specifications: Sequence[Specification]) -> Specification | None:
    """Return one specification with the points of all."""
    if not specifications:
        return None
    points = tuple(chain.from_iterable(specification.points for specification in specifications))
    return specifications[0].with_points(points)


def _with_what_was_asked_since(problem: Problem, later: Sequence[Report]) -> Problem:
    """Return the problem with the instructions of the runs that followed, which count as well."""
    asked = [report.problem.instructions for report in later if report.problem.instructions.strip()]
    told = (problem.instructions, *map(publication.asked_since, asked))
    return replace(problem, instructions="\n\n".join(filter(None, told)))


async def _changed(
    request: FixRequest,
    repair: ConflictingRepair,
    checkout: RemoteCheckout,
    only: tuple[str, ...] | None,
) -> TriedRepair:
    store = checkout.store
    patch = await patch_between(store, repair.parted, repair.head, only)
    before = await store.files(repair.parted, patch.files)
    return TriedRepair(
        id=f"{repair.opened_by}-{request.number}",
        run_id=repair.opened_by,
        signature=FailureSignature(""),
        proposer="memory",
        summary="",
        patch=patch,
        before=tuple(sorted(before.items())),
        became=Became.VERIFIED,
        made_at=datetime.now(UTC),
        pull_request=request.number,
        commit=repair.head,
    )
