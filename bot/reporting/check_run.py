"""Our own check run on a commit whose checks failed: one function for each state of it.

It never fails: the commit's own checks say that already, and a required check of ours would keep
people from merging.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.model import Verdict
from bot.model.check_report import CheckAction, CheckReport
from bot.model.request import FailedCheck, FixRequest
from bot.reporting.figures import count
from bot.reporting.markdown import bullets, code, escape
from bot.reporting.plain import printable
from bot.reporting.prose import line

NAME = "Fixpoint"
"""The same on every commit."""

OFFER = "offer"
"""External id of a check run that only has the button *Fix this*; those of runs have the run's."""

FIX = CheckAction("fix", "Fix this", "Reproduce the failure and repair it")
RETRY = CheckAction("retry", "Retry", "Start again on this commit")
STOP = CheckAction("stop", "Stop", "Stop the run and report what it found")
APPROVE = CheckAction("approve", "Approve", "Let the run go on")
REJECT = CheckAction("reject", "Reject", "End the run here")

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
        offers_more: Whether an approval lets the run go on.
    """

    title: str
    success: bool = False
    offers_more: bool = False


def offer(sha: str, reason: str, checks: tuple[FailedCheck, ...] = ()) -> CheckReport:
    """Say why no run was started by itself, with a button to ask for one all the same."""
    end = "" if reason.endswith((".", "?", "!")) else "."
    text = f"Fixpoint started nothing by itself: {line(reason)}{end}"
    if checks:
        text += f"\n\n{_listed(checks)}"
    return CheckReport(
        name=NAME,
        head_sha=sha,
        external_id=OFFER,
        status="completed",
        conclusion="neutral",
        title="Nothing started",
        summary=f"{text}\n\nThe button *{FIX.label}* starts a run now.",
        actions=(FIX,),
    )


def accepted(request: FixRequest) -> CheckReport:
    """Say that a run on this commit is accepted."""
    return _report(
        request,
        status="queued",
        title=f"Will work on {_how_many(request)}",
        summary=f"Fixpoint will work on this now:\n\n{_listed(_checks(request))}",
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


def waiting(request: FixRequest, text: str) -> CheckReport:
    """Ask for an answer; `text` is what the run's comment says. GitHub shows buttons at the end."""
    return _report(
        request,
        status="completed",
        title="Waits for an approval",
        summary=text,
        conclusion="neutral",
        actions=(APPROVE, REJECT),
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
        actions=_at_the_end(ended),
    )


def _at_the_end(ended: Ended) -> tuple[CheckAction, ...]:
    if ended.success:
        return ()
    return (APPROVE, RETRY) if ended.offers_more else (RETRY,)


def without_fix(verdict: Verdict) -> Ended:
    """Return the ending of a run that published nothing."""
    return Ended(f"Verdict: {verdict}")


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
    if request.number is None:
        summary, more = _by_button(summary), _by_button(more)
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


def _by_button(text: str) -> str:
    """Return text that names a button where it asks for a comment: there is no thread to write in."""
    for action in (STOP, RETRY):
        command = f"omment `/fix {action.identifier}`"
        for letter, verb in (("c", "press"), ("C", "Press")):
            text = text.replace(f"{letter}{command}", f"{verb} *{action.label}*")
    for action in (APPROVE, REJECT):
        text = text.replace(f"`/fix {action.identifier}`", f"*{action.label}*")
    return text


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
