"""What people read when a run waits for approval, and how they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from bot.model import Limits, Report, RequestKind
from bot.model.offer import Offer
from bot.model.questions import PATCH, Question, Unmeant, question_key
from bot.model.tool_rules import ToolQuestion, ToolRisk
from bot.reporting.answer_instructions import APPROVE, REJECT, AnswerBy, about, named
from bot.reporting.attempt_list import course
from bot.reporting.evidence import changed_files, diffstat
from bot.reporting.example import example
from bot.reporting.figures import cap, count, duration
from bot.reporting.markdown import Section, bullets, code, details, essential, fence, fit
from bot.reporting.marker import marker, signed
from bot.reporting.proof import story
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
    question: str = "",
) -> str:
    """Say what was found, why it is not published, and how to answer.

    Args:
        report: Of a run whose patch is believed.
        risks: Why a person must approve, each as a sentence.
        role: The least role that may.
        until: When the run ends without an answer, UTC.
        mark: The hidden marker, last line of the comment.
        by: How people answer it.
        question: The id that an answer names.
    """
    yes, no = _answers(question, by)
    sections = [
        essential(f"**A verified patch is waiting for approval.**\n\n{bullets(map(line, risks))}"),
        essential(
            f"{yes} publishes it; {no} ends the run. Approving "
            f"requires the role {code(role)} or higher. Without an answer, the request expires on "
            f"{_moment(until)}."
        ),
        Section((story(report),), rank=8),
        Section((f"{diffstat(report.patch)}: {changed_files(report.patch)}",), rank=7),
        Section((course(report),), rank=2),
        Section(
            (details("Show the patch", fence(report.patch.text, "diff", limit=30_000)),), rank=1
        ),
        essential(f"{mark}\n"),
    ]
    return fit(sections)


def specification(
    report: Report,
    role: str,
    until: datetime,
    mark: str,
    by: AnswerBy = AnswerBy.COMMENT,
    question: str = "",
) -> str:
    """Show what is asked, as points, and say how to answer.

    Args:
        report: Of a run that has a specification and nothing else yet.
        role: The least role that may approve.
        until: When the run ends without an answer, UTC.
        mark: The hidden marker, last line of the comment.
        by: How people answer it.
        question: The id that an answer names.
    """
    yes, no = _answers(question, by)
    asked = report.specification
    listed = f"{line(asked.title)}\n\n{points(asked, tested=False)}" if asked is not None else ""
    what = "feature" if report.kind is RequestKind.FEATURE else "fix"
    sections = [
        essential("**A specification is waiting for approval.**"),
        essential(listed),
        essential(
            f"{yes} continues with tests for these points and the {what}; "
            f"{no} ends the run. Approving requires the role {code(role)} or higher. "
            f"Without an answer, the request expires on {_moment(until)}."
        ),
        essential(f"{mark}\n"),
    ]
    return fit(sections)


_QUESTION = ToolQuestion("tickets_comment", ToolRisk.DANGEROUS, 'tickets_comment {"id": 7}', 0)


@example(_QUESTION, "maintain", datetime(2026, 11, 28, 9, 0, tzinfo=UTC), _MARK, question="4f2a1b")
def tool(
    asked: ToolQuestion,
    role: str,
    until: datetime,
    mark: str,
    by: AnswerBy = AnswerBy.COMMENT,
    question: str = "",
) -> str:
    """Ask whether the agent may use a tool; an answer names the id of the question."""
    yes, no = _answers(question, by)
    return signed(
        f"**The agent asks to use {code(asked.tool)}** (risk: {asked.risk}):\n\n"
        f"{fence(asked.call, '', limit=1_000)}\n\n"
        f"{yes} allows this tool for the rest of the run; {no} ends "
        f"the run. Approving requires the role {code(role)} or higher. Without an answer, the run "
        f"continues without the tool on {_moment(until)}.",
        mark,
    )


_UNTIL = datetime(2026, 11, 28, 9, 0, tzinfo=UTC)
_PATCH = Question("3fa9c1d20b7e", "3fa9c1d20b7e", PATCH, None, None, _UNTIL)
_TOOL = replace(_PATCH, key=question_key("3fa9c1d20b7e", "x"), about="the use of `x`")


@example("ann", _PATCH, approved=True, mark=_MARK)
@example("ann", _TOOL, approved=False, mark=_MARK)
def answered(by: str, question: Question, *, approved: bool, mark: str) -> str:
    """Say that an answer was heard, and to what."""
    what = "approved" if approved else "rejected"
    then = "continuing" if approved else "ending the run"
    return signed(f"{code(by)} {what} {_about(question)} ({code(question.id)}); {then}.", mark)


@example("ann", _MARK)
def ended(by: str, mark: str) -> str:
    """Say that a run that waited for an answer is ended."""
    return signed(f"{code(by)} rejected what the run asks; ending the run.", mark)


_OFFER = Offer(Limits(), "maintain", datetime(2026, 11, 28, 9, 0, tzinfo=UTC))


@example(_OFFER, AnswerBy.COMMENT)
@example(_OFFER, AnswerBy.BUTTON, "4f2a1b")
def more(offer: Offer, by: AnswerBy = AnswerBy.COMMENT, question: str = "") -> str:
    """Say what an approval would let a run continue with, and who may give it."""
    limits = offer.limits
    parts = [] if limits.cost_usd is None else [cap(limits.cost_usd)]
    parts += [] if limits.tokens is None else [count(limits.tokens, "token")]
    parts += [count(limits.attempts, "attempt"), duration(limits.seconds)]
    return (
        f"{named(about(APPROVE, question), by)} extends the budget by {series(parts)}, and continues from here. "
        f"Extending the budget requires the role {code(offer.role)} or higher. The offer expires "
        f"on {_moment(offer.until)}."
    )


@example([_PATCH], _MARK)
@example([_PATCH, _TOOL], _MARK)
def still_waiting(questions: Sequence[Question], mark: str) -> str:
    """Say that the run waits for an answer."""
    return signed(f"The run is waiting for approval.\n\n{_listed(questions)}", mark)


@example(Unmeant.NONE_OPEN, "", [], _MARK)
@example(Unmeant.ANOTHER, "4f2a1b", [_PATCH], _MARK)
@example(Unmeant.EARLIER, "", [_PATCH], _MARK)
@example(Unmeant.SEVERAL, "", [_PATCH, _TOOL], _MARK)
def not_answered(why: Unmeant, asked: str, questions: Sequence[Question], mark: str) -> str:
    """Say that an answer is for no question, and how those are answered that are open.

    Args:
        why: It is for none.
        asked: The id that it names, or "".
        questions: Those that are open.
        mark: The hidden marker.
    """
    if why is Unmeant.NONE_OPEN:
        return signed("Nothing is waiting for approval here.", mark)
    said = {
        Unmeant.ANOTHER: f"Question {code(asked)} isn't open here",
        Unmeant.EARLIER: "This was written before what is asked here now",
        Unmeant.SEVERAL: "Several questions are open here, and this names none of them",
    }[why]
    return signed(f"{said}, so nothing was answered.\n\n{_listed(questions)}", mark)


def _listed(questions: Sequence[Question]) -> str:
    """Return how each is answered."""
    lines = [
        f"{_about(question)}: {' or '.join(_answers(question.id, AnswerBy.COMMENT))}"
        for question in questions
    ]
    return bullets(line[0].upper() + line[1:] for line in lines)


def _about(question: Question) -> str:
    return question.about or "what the run asks"


def _answers(question: str, by: AnswerBy) -> tuple[str, str]:
    """Return what the two answers to a question are called."""
    return named(about(APPROVE, question), by), named(about(REJECT, question), by)


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
        Section((story(report),), rank=8),
        Section((f"It changes {changed_files(report.patch)} ({diffstat(report.patch)}).",), rank=7),
        Section((course(report),), rank=2),
        essential(f"{mark}\n"),
    ]
    return fit(sections)


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d at %H:%M} UTC"
