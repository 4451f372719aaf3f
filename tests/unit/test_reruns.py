"""When flaky jobs run once more, and how their end is read."""

from __future__ import annotations

import pytest

from bot.github.check_values import ACTIONS, Check, CommitChecks
from bot.intake.followup_checks import failed_again
from bot.model import Cause, FailedJob, Problem, Report, Reproduction, Verdict
from bot.model.request import FailedCheck
from bot.reporting import reruns
from bot.runs.reruns import RerunNeed, need_of


@pytest.mark.parametrize(
    ("failed_at", "now", "need"),
    [
        (1, 1, RerunNeed.ASK),
        (1, 2, RerunNeed.UNDER_WAY),  # asked before a crash, or by a person in the meantime
        (2, 2, RerunNeed.HAD_IT),
        (2, 3, RerunNeed.HAD_IT),
    ],
)
def test_once_is_enough(failed_at: int, now: int, need: RerunNeed) -> None:
    """Whoever asked: what failed in its second attempt runs no third time by itself."""
    assert need_of(failed_at, now) is need


CLAIMED = (
    FailedCheck("test", ACTIONS, check_run_id=1, job_id=1),
    FailedCheck("lint", ACTIONS, check_run_id=2, job_id=2),
    FailedCheck("ci/other", check_run_id=None),
)


@pytest.mark.parametrize(
    ("now", "names"),
    [
        ([("test", 1, "failure"), ("lint", 2, "failure")], None),  # nothing has begun
        ([("test", 7, "success"), ("lint", 2, "failure")], None),
        ([("test", 7, "success"), ("lint", 8, None)], None),
        ([("test", 7, "success"), ("lint", 8, "success")], ()),
        ([("test", 7, "success"), ("lint", 8, "timed_out")], ("lint",)),
    ],
)
def test_the_end_is_that_of_new_check_runs(
    now: list[tuple[str, int, str | None]], names: tuple[str, ...] | None
) -> None:
    """The old ones say `failure` for ever; checks that no job stands behind are not waited for."""
    checks = tuple(Check(name, ACTIONS, end, check_run_id=id_) for name, id_, end in now)
    other = Check("ci/other", conclusion="failure")
    assert failed_again(CLAIMED, CommitChecks((*checks, other))) == names


def test_failures_are_named_up_to_five() -> None:
    """And counted beyond."""
    assert reruns.ended([*"abcdefg"]).endswith("`a`, `b`, `c`, `d`, `e` and 2 more.")


@pytest.mark.parametrize(
    ("verdict", "helps", "wanted"),
    [
        (Verdict.FLAKY, (), True),
        (Verdict.INFRASTRUCTURE, (True, True), True),
        (Verdict.INFRASTRUCTURE, (True, False), False),
        (Verdict.INFRASTRUCTURE, (), False),
        (Verdict.NOT_REPRODUCED, (True,), False),
    ],
)
def test_what_may_pass_when_it_runs_again(
    verdict: Verdict,
    helps: tuple[bool, ...],
    wanted: bool,  # noqa: FBT001 - a table
) -> None:
    """Flaky failures, and jobs that all failed for want of something that comes back."""
    jobs = tuple(FailedJob("test", rerun_helps=each) for each in helps)
    reproduction = Reproduction(Cause.INFRASTRUCTURE, None, jobs=jobs)
    report = Report("r", verdict, "", Problem(), "0" * 40, reproduction=reproduction)
    assert report.rerun_may_help is wanted
