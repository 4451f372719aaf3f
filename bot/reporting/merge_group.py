"""What is said of a merge group that failed: of the whole, and to each of its pull requests.

A pull request is told that it is the cause, or that it is none of it, only where that was measured.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.model import Report, Verdict
from bot.model.check_report import CheckReport
from bot.model.culprit import RunCounts
from bot.model.merge_group import EntryCause, GroupFinding, MergeGroup
from bot.model.request import FixRequest
from bot.reporting.markdown import code
from bot.reporting.prose import line
from bot.reporting.reasons import merge_groups as reasons
from bot.reporting.series import series
from bot.reporting.what_changed import section

NAME = "Merge group"
"""Of the check run on each pull request."""

_TESTS = 3
_ENDS = {
    Verdict.FLAKY: "The failure of the merge group comes and goes",
    Verdict.RED_ON_BASE: "The merge group fails on its base, too",
    Verdict.NOT_REPRODUCED: "The failure of the merge group could not be reproduced",
}
NOT_LOOKED_INTO = "The failure of the merge group could not be looked into"
AGAIN = "It can be added to the queue again."
NO_PART_SHOWN = "Whether this pull request has a part in it was not shown."
NOBODY = "No pull request of the merge group was found to be the cause."


def opening(group: MergeGroup, found: GroupFinding) -> str:
    """Return what was found of a group, in a few sentences."""
    said = [_caused(group, cause) for cause in found.causes] or [NOBODY]
    return " ".join((*said, *_besides(found)))


def whole(request: FixRequest, report: Report, mark: str) -> str:
    """Return the same for the check run of the group's own commit."""
    parts = [
        f"**{title(report)}.** {line(report.reason, limit=2_000)}",
        section(report.what_changed).forms[0],
    ]
    group = request.failed.group if request.failed is not None else None
    numbers = [entry.number for entry in group.entries] if group is not None else []
    parts.append(f"The group: {reasons.numbers(numbers)}." if numbers else "")
    return "\n\n".join((*filter(None, parts), mark))


def title(report: Report) -> str:
    """Return how a run on a group ended, as a title without a period."""
    if report.verdict is not Verdict.EXPLAINED:
        return _ENDS.get(report.verdict, NOT_LOOKED_INTO)
    causes = report.group.causes if report.group is not None else ()
    if not causes:
        return NOBODY.rstrip(".")
    return (
        "The cause is known"
        if all(cause.is_sure for cause in causes)
        else "A likely cause is known"
    )


def entry_check(request: FixRequest, report: Report, place: int) -> CheckReport:
    """Return the check run on a pull request of a group.

    Args:
        request: Of the run; it is about a group.
        report: Of it.
        place: Of the pull request in the queue, from 0.
    """
    assert request.failed is not None  # noqa: S101 - seen by the caller
    group = request.failed.group
    assert group is not None  # noqa: S101 - likewise
    shown, summary = title(report), line(report.reason, limit=2_000)
    found = report.group if report.verdict is Verdict.EXPLAINED else None
    if found is not None:
        shown, summary = _told(group, found, place, shown)
    elif report.verdict is Verdict.FLAKY:
        summary = f"{summary} {AGAIN}"
    return CheckReport(
        name=NAME,
        head_sha=group.entries[place].pull_head,
        external_id=request.run_id,
        status="completed",
        conclusion="neutral",
        title=shown,
        summary=summary,
    )


def _told(group: MergeGroup, found: GroupFinding, place: int, otherwise: str) -> tuple[str, str]:
    """Return a title and a summary for a pull request of a group about which something was found."""
    said = opening(group, found)
    own = [cause for cause in found.causes if place in cause.entries]
    joint = [cause for cause in found.causes if place == cause.together_with]
    named = " and ".join(dict.fromkeys(_label(group, cause) for cause in found.causes))
    if own:
        return _own_title(group, own[0], place), said
    if joint:
        return (
            f"The merge group fails with this pull request and {_other(group, joint[0])} together",
            said,
        )
    if place in found.cleared(len(group.entries)):
        causes = sorted({number for cause in found.causes for number in _numbers(group, cause)})
        rest = reasons.rest_passes(causes)
        return (
            f"The merge group fails with {named}, not with this pull request",
            f"{said} {rest} {AGAIN}",
        )
    if named:
        sure = "" if all(cause.is_sure for cause in found.causes) else "likely "
        return f"The merge group {sure}fails with {named}", f"{said} {NO_PART_SHOWN}"
    return otherwise, said


def _label(group: MergeGroup, cause: EntryCause) -> str:
    """Return the pull requests of a cause, as a title names them."""
    if cause.together_with is not None:
        partner = group.entries[cause.together_with].number
        return f"#{partner} and {_other(group, cause)} together"
    return _other(group, cause)


def _other(group: MergeGroup, cause: EntryCause) -> str:
    return " or ".join(f"#{number}" for number in _numbers(group, cause))


def _own_title(group: MergeGroup, cause: EntryCause, place: int) -> str:
    sure = "" if cause.is_sure else "likely "
    others = [group.entries[other].number for other in cause.entries if other != place]
    if cause.together_with is not None:
        partner = group.entries[cause.together_with].number
        return f"The merge group {sure}fails with this pull request and #{partner} together"
    beside = f" or {reasons.numbers(others)}" if others else ""
    return f"The merge group {sure}fails with this pull request{beside}"


def _numbers(group: MergeGroup, cause: EntryCause) -> list[int]:
    return [group.entries[place].number for place in cause.entries]


def _caused(group: MergeGroup, cause: EntryCause) -> str:
    """Return a cause with what was seen of it."""
    numbers = _numbers(group, cause)
    tests = [code(test) for test in cause.tests if test]
    named = series(tests, most=_TESTS) if tests else "The failing command"
    one = len(tests) < 2  # noqa: PLR2004 - the verb's number
    has_rest = len(group.entries) > len(cause.entries)
    is_whole = cause.rest_passes or not has_rest
    said = reasons.caused(
        named,
        numbers,
        _of(cause.with_it),
        _passed(cause.without_it),
        is_one=one,
        is_whole=is_whole,
        has_rest=has_rest,
    )
    parts = [said]
    if cause.alone.failed:
        parts.append(reasons.alone(numbers[0], *_of(cause.alone)))
    if cause.together_with is not None:
        partner = group.entries[cause.together_with].number
        parts.append(reasons.together(numbers[0], partner, *_passed(cause.alone)))
    if not cause.is_sure:
        parts.append(reasons.NOT_PROVEN)
    return " ".join(parts)


def _of(runs: RunCounts) -> tuple[int, int]:
    return runs.failed, runs.failed + runs.passed


def _passed(runs: RunCounts) -> tuple[int, int]:
    return runs.passed, runs.failed + runs.passed


def _besides(found: GroupFinding) -> Iterator[str]:
    if found.on_base:
        yield reasons.on_base(len(found.on_base))
    if found.unsteady:
        yield reasons.unsteady(
            [code(test) if test else "The failing command" for test in found.unsteady]
        )
    if found.open:
        yield reasons.not_told(len(found.open))
