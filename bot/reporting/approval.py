"""What people read when a run waits for approval, and how they answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from bot.model import Kind, Limits, Report
from bot.model.offer import Offer
from bot.model.tool_rules import ToolQuestion, ToolRisk
from bot.reporting.answering import APPROVE, REJECT, AnswerBy, named
from bot.reporting.course import course
from bot.reporting.evidence import changed_files, diffstat
from bot.reporting.example import example
from bot.reporting.figures import cap, count, duration
from bot.reporting.markdown import Section, bullets, code, details, essential, fence, fit
from bot.reporting.marker import marker, signed
from bot.reporting.proof import cause, proof
from bot.reporting.prose import line
from bot.reporting.series import series
from bot.reporting.specification import points

_MARK = marker("3fa9c1d20b7e", "example")


def waiting(
    report: Report,
    risks: Sequence[str],
    role: str,
    until: datetime,
    mark: str,
    by: AnswerBy = AnswerBy.COMMENT,
) -> str:
    """Say what was found, why it is not published, and how to answer.

    Args:
        report: Of a run whose patch is believed.
        risks: Why a person must approve, each as a sentence.
        role: The least role that may.
        until: When the run ends without an answer, UTC.
        mark: The hidden marker, last line of the comment.
        by: How people answer it.
    """
    sections = [
        essential(f"**A verified patch is waiting for approval.**\n\n{bullets(map(line, risks))}"),
        essential(
            f"{named(APPROVE, by)} publishes it; {named(REJECT, by)} ends the run. Approving "
            f"requires the role {code(role)} or higher. Without an answer, the request expires on "
            f"{_moment(until)}."
        ),
        Section((f"{cause(report)}**Proof:** {proof(report)}",), rank=8),
        Section((f"{diffstat(report.patch)}: {changed_files(report.patch)}",), rank=7),
        Section((course(report),), rank=2),
        Section(
            (details("Show the patch", fence(report.patch.text, "diff", limit=30_000)),), rank=1
        ),
        essential(f"{mark}\n"),
    ]
    return fit(sections)


def specification(
    report: Report, role: str, until: datetime, mark: str, by: AnswerBy = AnswerBy.COMMENT
) -> str:
    """Show what is asked, as points, and say how to answer.

    Args:
        report: Of a run that has a specification and nothing else yet.
        role: The least role that may approve.
        until: When the run ends without an answer, UTC.
        mark: The hidden marker, last line of the comment.
        by: How people answer it.
    """
    asked = report.specification
    listed = f"{line(asked.title)}\n\n{points(asked, tested=False)}" if asked is not None else ""
    what = "feature" if report.kind is Kind.FEATURE else "fix"
    sections = [
        essential("**A specification is waiting for approval.**"),
        essential(listed),
        essential(
            f"{named(APPROVE, by)} continues with tests for these points and the {what}; "
            f"{named(REJECT, by)} ends the run. Approving requires the role {code(role)} or higher. "
            f"Without an answer, the request expires on {_moment(until)}."
        ),
        essential(f"{mark}\n"),
    ]
    return fit(sections)


_QUESTION = ToolQuestion("tickets_comment", ToolRisk.DANGEROUS, 'tickets_comment {"id": 7}', 0)


@example(_QUESTION, "maintain", datetime(2026, 11, 28, 9, 0, tzinfo=UTC), _MARK)
def tool(
    question: ToolQuestion, role: str, until: datetime, mark: str, by: AnswerBy = AnswerBy.COMMENT
) -> str:
    """Ask whether the agent may use a tool."""
    return signed(
        f"**The agent asks to use {code(question.tool)}** (risk: {question.risk}):\n\n"
        f"{fence(question.call, '', limit=1_000)}\n\n"
        f"{named(APPROVE, by)} allows this tool for the rest of the run; {named(REJECT, by)} ends "
        f"the run. Approving requires the role {code(role)} or higher. Without an answer, the run "
        f"continues without the tool on {_moment(until)}.",
        mark,
    )


@example("ann", approved=True, mark=_MARK)
@example("ann", approved=False, mark=_MARK)
def answered(by: str, *, approved: bool, mark: str) -> str:
    """Say that an answer was heard."""
    what = "approved this; continuing" if approved else "rejected this; ending the run"
    return signed(f"{code(by)} {what}.", mark)


_OFFER = Offer(Limits(), "maintain", datetime(2026, 11, 28, 9, 0, tzinfo=UTC))


@example(_OFFER, AnswerBy.COMMENT)
@example(_OFFER, AnswerBy.BUTTON)
def more(offer: Offer, by: AnswerBy = AnswerBy.COMMENT) -> str:
    """Say what an approval would let a run continue with, and who may give it."""
    limits = offer.limits
    parts = [] if limits.cost_usd is None else [cap(limits.cost_usd)]
    parts += [] if limits.tokens is None else [count(limits.tokens, "token")]
    parts += [count(limits.attempts, "attempt"), duration(limits.seconds)]
    return (
        f"{named(APPROVE, by)} extends the budget by {series(parts)}, and continues from here. "
        f"Extending the budget requires the role {code(offer.role)} or higher. The offer expires "
        f"on {_moment(offer.until)}."
    )


@example(_MARK)
def still_waiting(mark: str) -> str:
    """Say that the run waits for an answer."""
    return signed(
        "The run is waiting for approval: `/fix approve` continues it, `/fix reject` ends it.",
        mark,
    )


@example(_MARK)
def nothing_waits(mark: str) -> str:
    """Say that there is nothing to answer."""
    return signed("Nothing is waiting for approval here.", mark)


@example("maintain", _MARK)
def spent(role: str, mark: str) -> str:
    """Say who may start a run where the last one used up its budget."""
    return signed(
        "The last run here used up its budget. Extending the budget requires the role "
        f"{code(role)} or higher in this repository: `/fix approve` continues that run until the "
        "offer expires, `/fix retry` starts over.",
        mark,
    )


@example("maintain", _MARK)
def may_not_approve(role: str, mark: str) -> str:
    """Say who may approve."""
    return signed(
        f"Approving requires the role {code(role)} or higher in this repository. "
        "`/fix reject` ends the run.",
        mark,
    )


def diagnosis(report: Report, mark: str) -> str:
    """Tell the cause and what would repair it, where the repository wants no patch."""
    sections = [
        essential(
            "**Diagnosed.** A patch was verified, but it is not shown because this repository's "
            "`confidence` is `diagnose`."
        ),
        Section((f"{cause(report)}**Proof:** {proof(report)}",), rank=8),
        Section((f"It changes {changed_files(report.patch)} ({diffstat(report.patch)}).",), rank=7),
        Section((course(report),), rank=2),
        essential(f"{mark}\n"),
    ]
    return fit(sections)


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d at %H:%M} UTC"
