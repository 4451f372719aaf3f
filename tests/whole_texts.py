"""The texts that tell of a whole run, made from the sample reports of the tests."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from rich.console import Console

from bot.model import (
    Cause,
    FailedJob,
    GuardFinding,
    Limits,
    Patch,
    Report,
    Reproduction,
    Severity,
    Verdict,
    Verification,
)
from bot.model.check_report import CheckReport
from bot.model.offer import Offer
from bot.model.progress import RunFinished
from bot.model.request import ConflictingRepair, FailedCheck, FailedCommit, FixRequest
from bot.reporting import (
    approval,
    check_run,
    conflict_repair,
    final_report,
    progress_comment,
    pull_request,
    verdict_text,
)
from bot.reporting.answer_instructions import AnswerBy
from bot.reporting.commit_text import commit_message
from bot.reporting.failed_checks import failed_checks
from bot.reporting.final_report import next_step
from bot.reporting.outcome import outcome
from bot.reporting.patch_comment import patch_comment
from bot.reporting.proof import proof
from bot.reporting.reasons import deliveries, publication
from bot.reporting.terminal import block_lines, progress_line
from bot.reporting.terminal_report import print_report
from tests.unit.reports import (
    ACCEPTED,
    FAILURE,
    FIXED,
    GAVE_UP,
    GREEN,
    HEAD,
    MARK,
    RED,
    REJECTED,
    REPRODUCTION,
    STARTED,
    SUITE_GREEN,
    VIEW,
)
from tests.unit.test_progress_comment import NOW, STORY, after

_URL = "https://github.com/acme/app/pull/8"
_OFFER = Offer(Limits(), "maintain", datetime(2026, 11, 28, 9, 0, tzinfo=UTC))
_JOBS = (
    FailedJob(
        "test (3.12)",
        "https://github.com/acme/app/actions/runs/1/job/2",
        "Run pytest",
        "pytest -q",
        failing=(FAILURE, replace(FAILURE, test="tests.test_dates::test_century")),
        differences=("The job ran on macos-14; this sandbox is Linux.",),
    ),
)
_REQUEST = FixRequest(
    repository="acme/app",
    installation_id=7,
    number=None,
    is_pull_request=False,
    actor="",
    comment_id=None,
    asked_at=STARTED,
    failed=FailedCommit(HEAD, "main", "main", checks=(FailedCheck("lint"), FailedCheck("test"))),
)
_SPENT = replace(
    GAVE_UP,
    verdict=Verdict.BUDGET_SPENT,
    reason="The budget of $2.00 is used up ($2.0012 spent).",
    notes=("large-model was overloaded; other-model answered.",),
)
_FINDINGS = (
    GuardFinding("test-setup", Severity.NEEDS_PERSON, "`tox.ini` changes.", "tox.ini", 3),
    GuardFinding("test-restored", Severity.NOTE, "A change to a test was left out.", "t.py"),
)
_NEW_TEST = replace(
    FIXED,
    reproduction=replace(REPRODUCTION, test_patch=Patch(b"x", ("tests/test_dates.py",), 4, 0)),
    attempts=(
        REJECTED,
        replace(
            ACCEPTED,
            verification=Verification(
                GREEN,
                replace(SUITE_GREEN, exit_code=1, failing=(replace(FAILURE, test="other"),)),
                findings=_FINDINGS,
                changed_tests=("tests/test_dates.py",),
                runs=(0, 0),
            ),
        ),
    ),
)
_NO_SETUP = replace(
    GAVE_UP,
    verdict=Verdict.INFRASTRUCTURE,
    reason="The setup command `pip install -e .` failed.",
    reproduction=Reproduction(
        Cause.INFRASTRUCTURE, None, setup_output="ERROR: No matching distribution found for x==9\n"
    ),
    attempts=(),
    patch=Patch(),
)


def whole_texts() -> Iterator[tuple[str, str]]:
    """Yield title and text, in the order in which people meet them."""
    yield from _progress()
    yield from _check_runs()
    yield from _published()
    yield from _unpublished()
    yield from _terminal()
    yield from _parts()


def _progress() -> Iterator[tuple[str, str]]:
    view = after(*STORY)
    yield "Progress comment, at the start", progress_comment.render(VIEW, STARTED, MARK)
    yield "Progress comment, later", progress_comment.render(view, NOW, MARK)
    button = progress_comment.render(VIEW, STARTED, MARK, AnswerBy.BUTTON)
    yield "Progress where there is no thread", button
    yield "Progress comment, fixed", progress_comment.finished(FIXED, _URL, MARK)
    after_it = approval.more(_OFFER, question="4f2a1b")
    yield (
        "Progress comment, an offer",
        progress_comment.finished(_SPENT, None, MARK, after=after_it),
    )


def _check_runs() -> Iterator[tuple[str, str]]:
    checks = (FailedCheck("lint"), FailedCheck("test"))
    reason = deliveries.SAME_ON_BASE
    ended = check_run.Ended(check_run.fixed_in(8), success=True)
    spent = replace(check_run.without_fix(Verdict.BUDGET_SPENT), question="4f2a1b")
    yield "Check run, no run started", _check(check_run.offer(HEAD, reason, checks))
    yield "Check run, queued", _check(check_run.accepted(_REQUEST))
    yield "Check run, in progress", _check(check_run.under_way(_REQUEST, "(the progress comment)"))
    yield (
        "Check run, waiting",
        _check(check_run.waiting(_REQUEST, "(the request for approval)", "4f2a1b")),
    )
    yield "Check run, fixed", _check(check_run.over(_REQUEST, ended, "(the progress comment)", ""))
    yield "Check run, budget used up", _check(check_run.over(_REQUEST, spent, "(the report)", ""))


def _check(report: CheckReport) -> str:
    buttons = [f"[{action.label}] {action.description}" for action in report.actions]
    state = f"{report.status}: {report.conclusion}" if report.conclusion else report.status
    return "\n".join([f"{report.name} ({state})", report.title, "", report.summary, "", *buttons])


def _published() -> Iterator[tuple[str, str]]:
    yield "Pull request", f"{pull_request.title(FIXED)}\n\n{pull_request.body(FIXED, MARK)}"
    yield "Pull request with a new test and findings", pull_request.body(_NEW_TEST, MARK)
    yield "Commit message", commit_message(FIXED)
    yield "Final comment, fixed", final_report.fixed(FIXED, _URL, MARK)
    risks = (publication.changes_automation([".github/workflows/ci.yml"]),)
    until = STARTED + timedelta(days=7)
    yield "Request for approval", approval.waiting(FIXED, risks, "maintain", until, MARK)
    yield "Diagnosis", approval.diagnosis(FIXED, MARK)
    fork = publication.FROM_A_FORK
    yield "Patch in a comment", patch_comment(FIXED, fork, MARK)
    yield "Patch as suggestions", patch_comment(FIXED, fork, MARK, suggested=True)
    binary = replace(FIXED, patch=replace(FIXED.patch, data=b"\xff\xfe\n"))
    yield "Patch that is no text", patch_comment(binary, fork, MARK)
    yield from _redone()


def _redone() -> Iterator[tuple[str, str]]:
    repair = ConflictingRepair(
        _REQUEST, "9b1c0d3e7f24", "fixpoint/4-dates", HEAD, "main", HEAD, HEAD
    )
    before = "(the description so far)"
    yield "Comment on a fix that was redone", conflict_repair.redone(FIXED, repair, _URL, MARK)
    yield (
        "Description of a fix that was redone",
        conflict_repair.described(FIXED, repair, _URL, before) or "",
    )
    yield (
        "Commit message of a fix that was redone",
        conflict_repair.merge_message(FIXED, repair, "(as above)"),
    )


def _unpublished() -> Iterator[tuple[str, str]]:
    yield "Final report", final_report.not_fixed(GAVE_UP, MARK)
    yield "Final report, an offer", final_report.not_fixed(_SPENT, MARK, question="4f2a1b")
    improved = replace(GAVE_UP, verdict=Verdict.IMPROVED)
    yield "Final report, improved", final_report.not_fixed(improved, MARK, by=AnswerBy.BUTTON)
    yield "Final report, the setup failed", final_report.not_fixed(_NO_SETUP, MARK)


def _terminal() -> Iterator[tuple[str, str]]:
    lines = (progress_line(event, Limits()) for event in (*STORY, RunFinished(FIXED)))
    yield "Terminal, line by line", "\n".join(line for line in lines if line)
    yield "Terminal, live", "\n".join(block_lines(after(*STORY), NOW))
    yield "Terminal, fixed", _printed(FIXED)
    yield "Terminal, fixed if a person approves", _printed(_NEW_TEST)
    yield "Terminal, not fixed", _printed(GAVE_UP)


def _printed(report: Report) -> str:
    console = Console(file=io.StringIO(), width=100, highlight=False)
    print_report(report, console)
    return console.file.getvalue() if isinstance(console.file, io.StringIO) else ""


def _parts() -> Iterator[tuple[str, str]]:
    bare = replace(GAVE_UP, reproduction=None, commands=None, attempts=())
    steps = [
        f"{verdict_text.headline(verdict)} ({by}): {next_step(replace(report, verdict=verdict), by=by)}"
        for verdict in Verdict
        for report in (GAVE_UP, bare)
        for by in AnswerBy
    ]
    yield "Next steps", "\n".join(dict.fromkeys(steps))
    yield "Proofs", "\n".join(proof(report) for report in (FIXED, _NEW_TEST, GAVE_UP))
    yield "Outcomes of attempts", "\n".join(_outcomes())
    yield "Failed checks", failed_checks(_JOBS)


def _outcomes() -> Iterator[str]:
    reject = GuardFinding("new-skip", Severity.REJECT, "A test is skipped now.", "tests/a.py", 3)
    for item in (
        Verification(GREEN),
        Verification(RED),
        Verification(replace(RED, failing=())),
        Verification(replace(RED, timed_out=True)),
        Verification(GREEN, RED, (FAILURE, FAILURE)),
        Verification(GREEN, findings=(reject,)),
        Verification(None, problem="It changes nothing."),
        Verification(None),
    ):
        yield outcome(replace(ACCEPTED, verification=item))
    ended = replace(ACCEPTED.proposal, ended="All 60 turns of the attempt are used.")
    yield outcome(replace(ACCEPTED, proposal=ended, verification=None))
    yield outcome(replace(ACCEPTED, verification=None))
