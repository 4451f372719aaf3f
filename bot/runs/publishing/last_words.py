"""The last words of a run, which depend on what it was for. Pure."""

from __future__ import annotations

from bot.model import Report
from bot.model.request import FixRequest
from bot.reporting import conflict_repair, final_report
from bot.reporting.marker import progress_marker


def fixed(
    request: FixRequest, report: Report, url: str, number: int | None = None, *, after: str = ""
) -> str:
    """Return the last words of a run that published its repair.

    Args:
        request: Of the run.
        report: Of the run.
        url: Of the pull request, or of the commit on the branch.
        number: Of the pull request; None for a commit.
        after: What the project's own checks said since then.
    """
    mark = progress_marker(request)
    if request.redoes is not None:
        return conflict_repair.redone(report, request.redoes, url, mark, after)
    return final_report.fixed(report, url, mark, after=after, in_pull_request=number is not None)


def not_redone(request: FixRequest, reason: str, base: str = "", *, gone: bool = False) -> str:
    """Return the last words of a run that could not make a repair again.

    Args:
        request: Of the run.
        reason: Why, as a sentence.
        base: Commit on which it was tried; "" where it was not.
        gone: Whether there is nothing to repair any more.
    """
    assert request.redoes is not None  # noqa: S101 - seen by the callers
    repair, mark = request.redoes, progress_marker(request)
    return conflict_repair.not_redone(
        repair.base_branch, base or repair.base, reason, mark, gone=gone
    )
