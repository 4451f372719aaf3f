"""Read a repair from its pull request, to be made again on another commit."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.model import Report
from bot.model.memory import Became, FailureSignature, TriedRepair
from bot.model.request import ConflictingRepair, FixRequest
from bot.repair.workspace.patching import patch_between
from bot.runs.planning import KnownRepair
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
        report = None if run is None else run.report
        written = _written_first(report)
        whole = await _changed(request, repair, checkout, None)
        tests = await _changed(request, repair, checkout, written) if written else None
        if report is None:
            return KnownRepair(whole, tests)
        return KnownRepair(whole, tests, report.specification, report.problem)


def _written_first(report: Report | None) -> tuple[str, ...]:
    """Return the files with tests that were written because nothing failed."""
    reproduction = None if report is None else report.reproduction
    if reproduction is None or reproduction.test_patch is None:
        return ()
    return reproduction.test_patch.files


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
