"""Our own check run on a commit whose checks failed: one function for each state of it.

It never fails: the commit's own checks say that already, and a required check of ours would keep
people from merging.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.model import Verdict
from bot.model.check_report import CheckAction, CheckReport
from bot.model.request import FailedCheck, FixRequest
from bot.reporting.answer_instructions import APPROVE, EXPLAIN, FIX, REJECT, RETRY, STOP, about
from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.markdown import bullets, code, escape
from bot.reporting.plain import printable
from bot.reporting.prose import line
from bot.reporting.verdict_text import headline

NAME = "Fixpoint"
"""The same on every commit."""

OFFER = "offer"
"""External id of a check run that only has the button *Fix this*; those of runs have the run's."""

_MOST = 65_535
"""Characters that GitHub takes as summary and as text.

https://docs.github.com/en/rest/checks/runs
"""

_MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended, in the words of a check run.

    Attributes:
        title: One line.
        success: Whether there is a repair to take.
        question: Id of the one whose approval lets the run continue, or "".
        may_retry: Whether another run could start there: none does for a commit that is no longer
            its branch's newest.
        explained: Whether it is known what changed, and nobody tried to repair it.
    """

    title: str
    success: bool = False
    question: str = ""
    may_retry: bool = True
    explained: bool = False


def offer(
    sha: str, reason: str, checks: tuple[FailedCheck, ...] = (), *, may_start: bool = True
) -> CheckReport:
    """Say why no run was started automatically, with a button to start one anyway.

    Args:
        sha: The commit.
        reason: One sentence.
        checks: Those that failed.
        may_start: Whether the button would help.
    """
    text = f"Fixpoint did not start a run{' automatically' if may_start else ''}. {line(reason)}"
    if checks:
        text += f"\n\n{_listed(checks)}"
    if may_start:
        text += (
            f"\n\nPress *{FIX.label}* to start one now, or *{EXPLAIN.label}* to learn since which "
            "commit or release it fails."
        )
    return CheckReport(
        name=NAME,
        head_sha=sha,
        external_id=OFFER,
        status="completed",
        conclusion="neutral",
        title="No run started",
        summary=text,
        actions=(FIX, EXPLAIN) if may_start else (),
    )


def accepted(request: FixRequest) -> CheckReport:
    """Say that a run on this commit is accepted."""
    does = "find out since when these fail" if request.only_explains else "try to fix"
    if request.failed is not None and request.failed.group is not None:
        does = "find out which pull request of the merge group makes these fail"
    return _report(
        request,
        status="queued",
        title=f"Queued: {_how_many(request)}",
        summary=f"Fixpoint will now {does}:\n\n{_listed(_checks(request))}",
        actions=(STOP,),
    )


def under_way(request: FixRequest, text: str) -> CheckReport:
    """Say how far the run is; `text` is what its comment says."""
    return _report(
        request,
        status="in_progress",
        title=f"Working on {_how_many(request)}",
        summary=text,
        actions=(STOP,),
    )


def waiting(request: FixRequest, text: str, question: str) -> CheckReport:
    """Ask for an answer; GitHub shows buttons at the end.

    Args:
        request: Of the run.
        text: What the run's comment says.
        question: Id of the question that the buttons answer.
    """
    return _report(
        request,
        status="completed",
        title="Waiting for approval",
        summary=text,
        conclusion="neutral",
        actions=(about(APPROVE, question), about(REJECT, question)),
    )


def over(request: FixRequest, ended: Ended, text: str, more: str) -> CheckReport:
    """Say how the run ended; `more` is the report, or the patch, when there is one to read."""
    return _report(
        request,
        status="completed",
        title=ended.title,
        summary=text,
        more=more,
        conclusion="success" if ended.success else "neutral",
        actions=_at_the_end(ended, is_group=bool(request.failed and request.failed.group)),
    )


def _at_the_end(ended: Ended, *, is_group: bool) -> tuple[CheckAction, ...]:
    if ended.success or not ended.may_retry:
        return ()
    if ended.explained and not is_group:
        return (FIX,)
    return (about(APPROVE, ended.question), RETRY) if ended.question else (RETRY,)


_NOTE = "> **Not done:** "


@example("**Working**", "ann", "Refused: the button belongs to another question.")
@example("> **Not done:** `wes` pressed a button.\n\nText", "ann", "There is no run to stop.")
def with_note(summary: str, person: str, why: str) -> str:
    """Tell who pressed a button in vain, above what the check run says; only the last one is told."""
    if summary.startswith(_NOTE):
        summary = summary.partition("\n\n")[2]
    return f"{_NOTE}{code(person)} pressed a button. {line(why)}\n\n{summary}"[:_MOST]


@example(7)
def fixed_in(pull_request: int) -> str:
    """Return the title of a run whose repair is a pull request."""
    return f"Fixed in #{pull_request}"


@example("2c64ae48e2b1984a16cf25d215c9f9d21146426d")
def fixed_by(commit: str) -> str:
    """Return the title of a run whose repair is a commit on the branch."""
    return f"Fixed in {commit[:7]}"


@example()
def superseded() -> str:
    """Return the title of a run on a commit that is no longer current."""
    return "Superseded"


@example()
def fixed_as_patch() -> str:
    """Return the title of a run whose repair could not be pushed."""
    return "Fixed: patch ready to apply"


@example()
def diagnosed() -> str:
    """Return the title of a run in a repository that wants diagnoses only."""
    return "Diagnosed"


@example()
def ended_early() -> str:
    """Return the title of a run that has no report."""
    return "Ended early"


def without_fix(verdict: Verdict) -> Ended:
    """Return the ending of a run that published nothing."""
    return Ended(headline(verdict), explained=verdict is Verdict.EXPLAINED)


def _report(
    request: FixRequest,
    *,
    status: str,
    title: str,
    summary: str,
    more: str = "",
    conclusion: str | None = None,
    actions: tuple[CheckAction, ...],
) -> CheckReport:
    if request.failed is None:
        raise ValueError("a run that a comment asked for has no check run")
    return CheckReport(
        name=NAME,
        head_sha=request.failed.sha,
        external_id=request.run_id,
        status=status,
        title=title,
        summary=summary[:_MOST],
        text=more[:_MOST],
        conclusion=conclusion,
        actions=actions,
    )


def _checks(request: FixRequest) -> tuple[FailedCheck, ...]:
    return () if request.failed is None else request.failed.checks


def _how_many(request: FixRequest) -> str:
    return count(len(_checks(request)), "failed check")


def _listed(checks: tuple[FailedCheck, ...]) -> str:
    shown = [
        f"{code(check.name)}: {escape(printable(check.conclusion, 40))}"
        for check in checks[:_MOST_LISTED]
    ]
    if len(checks) > _MOST_LISTED:
        shown.append(f"and {count(len(checks) - _MOST_LISTED, 'other')}")
    return bullets(shown)
