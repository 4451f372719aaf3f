"""How people answer Fixpoint: with a command in a comment, or with a button of the check run."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from bot.model.check_report import CheckAction
from bot.model.request import FixRequest
from bot.reporting.example import example
from bot.reporting.markdown import code

FIX = CheckAction("fix", "Fix this", "Reproduce the failure and fix it")
EXPLAIN = CheckAction("explain", "What changed?", "Say since when it fails, fix nothing")
RETRY = CheckAction("retry", "Retry", "Start a new run on this commit")
STOP = CheckAction("stop", "Stop", "Stop the run and report its findings")
APPROVE = CheckAction("approve", "Approve", "Let the run continue")
REJECT = CheckAction("reject", "Reject", "End the run")

_TO = "-"
"""Between the two in the identifier of a button, which may have 20 characters."""


def about(action: CheckAction, question: str) -> CheckAction:
    """Return an answer to the question of that id; "" for one to whatever is open."""
    if not question:
        return action
    return replace(action, identifier=f"{action.identifier}{_TO}{question}")


def parts(identifier: str) -> tuple[str, str]:
    """Return which answer a button gives, and the id of the question that it is for, or ""."""
    word, _, question = identifier.partition(_TO)
    return word, question


class AnswerBy(StrEnum):
    """Where a person who reads a text can answer it."""

    COMMENT = "comment"
    BUTTON = "button"


def answer_by(request: FixRequest) -> AnswerBy:
    """Return how people answer a run: a commit without a thread has only buttons."""
    return AnswerBy.BUTTON if request.number is None else AnswerBy.COMMENT


@example(APPROVE, AnswerBy.COMMENT)
@example(APPROVE, AnswerBy.BUTTON)
@example(about(APPROVE, "4f2a1b"), AnswerBy.COMMENT)
@example(about(APPROVE, "4f2a1b"), AnswerBy.BUTTON)
def named(action: CheckAction, by: AnswerBy) -> str:
    """Return what an answer is called: a command, or the label of a button."""
    word, question = parts(action.identifier)
    if by is AnswerBy.BUTTON:
        return f"*{action.label}*{f' ({code(question)})' if question else ''}"
    return code(f"/fix {word} {question}".rstrip())


@example(RETRY, AnswerBy.COMMENT)
@example(RETRY, AnswerBy.BUTTON)
def ask(action: CheckAction, by: AnswerBy) -> str:
    """Return what to do for an answer: write a comment, or press a button."""
    verb = "press" if by is AnswerBy.BUTTON else "comment"
    return f"{verb} {named(action, by)}"
