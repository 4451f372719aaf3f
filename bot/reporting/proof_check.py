"""The check run *Proof* on a pull request: one function for each state of it.

It is neutral, unless the repo config has it decide: a card says what was shown, and a person judges.
"""

from __future__ import annotations

from collections.abc import Collection

from bot.model.check_report import Annotation, CheckReport
from bot.model.proof_card import Fact, FactKind, ProofCard, RowKind, RowState
from bot.model.proof_request import ProofRequest
from bot.reporting.answer_instructions import STOP
from bot.reporting.markdown import LIMIT
from bot.reporting.plain import printable
from bot.reporting.proof_card import as_markdown
from bot.reporting.proof_card import title as title_of
from bot.reporting.prose import line

NAME = "Proof"
"""The same on every commit: rulesets name it."""

MOST_ANNOTATIONS = 50

_MOST_MESSAGE = 1_000

_LEVELS = {
    FactKind.REFUTED: "warning",
    FactKind.NOT_COVERED: "notice",
    FactKind.NOT_JUDGED: "notice",
}
"""In the order in which facts are shown at their lines; what is proven needs no look."""

_SETTLED = {RowState.SHOWN, RowState.NOT_ASKED}


def queued(request: ProofRequest) -> CheckReport:
    """Say that the pull request will be proved."""
    summary = "Fixpoint will run this change against its base. No model is asked."
    return _report(request, "queued", "Queued", summary)


def under_way(request: ProofRequest, card: ProofCard | None) -> CheckReport:
    """Show the rows that are there already."""
    if card is None or not card.rows:
        summary = "Setting up both sides of the change."
        return _report(request, "in_progress", "Setting up", summary)
    return _report(request, "in_progress", f"{title_of(card)} …", as_markdown(card))


def over(
    request: ProofRequest,
    card: ProofCard,
    *,
    required: Collection[RowKind] | None = None,
) -> CheckReport:
    """Show the whole card.

    Args:
        request: What was asked.
        card: What was shown.
        required: Rows that decide; None has the check run neutral.
    """
    conclusion = "neutral" if required is None else conclusion_of(card, frozenset(required))
    notes = _annotations(card)
    return _report(request, "completed", title_of(card), as_markdown(card), conclusion, notes)


def without_card(request: ProofRequest, reason: str) -> CheckReport:
    """Say why there is no card: neutral, for that is not the pull request's doing."""
    return _report(request, "completed", NOTHING_SHOWN, line(reason), "neutral")


def superseded(request: ProofRequest, reason: str, card: ProofCard | None = None) -> CheckReport:
    """Say that nobody needs the proof any more, above what was shown by then."""
    shown = f"\n\n{as_markdown(card)}" if card is not None and card.rows else ""
    return _report(request, "completed", ENDED, f"{line(reason)}{shown}", "neutral")


ENDED = "Ended early"
NOTHING_SHOWN = "Nothing could be shown"
SUPERSEDED = "Superseded: the pull request has a newer commit, or another base."
PULL_REQUEST_CLOSED = "The pull request was closed."
STOPPED_BY_BUTTON = "Somebody pressed *Stop*."
NO_COMMON_HISTORY = "The pull request and its base have no common commit."


def conclusion_of(card: ProofCard, required: frozenset[RowKind]) -> str:
    """Return GitHub's word: failure where a required row speaks against it or nothing could be shown.

    Neutral where one is undecided: the time ended, or something can't be run here.
    """
    if card.fails(required):
        return "failure"
    rows = [card.row(kind) for kind in required]
    shown = all(row is not None and row.state in _SETTLED for row in rows)
    return "success" if shown else "neutral"


def _annotations(card: ProofCard) -> tuple[Annotation, ...]:
    facts = [fact for kind in _LEVELS for fact in card.facts(kind)]
    placed = [_annotation(fact, fact.file, fact.line) for fact in facts if fact.file and fact.line]
    return tuple(placed[:MOST_ANNOTATIONS])


def _annotation(fact: Fact, path: str, first: int) -> Annotation:
    """Return a fact at its lines, as text: GitHub shows annotations without Markdown."""
    message = printable(fact.text.replace("`", ""), _MOST_MESSAGE)
    last = max(first, fact.end_line or first)
    return Annotation(path, first, last, _LEVELS[fact.kind], message, f"{NAME}: {fact.kind.value}")


def _report(
    request: ProofRequest,
    status: str,
    title: str,
    summary: str,
    conclusion: str | None = None,
    annotations: tuple[Annotation, ...] = (),
) -> CheckReport:
    return CheckReport(
        name=NAME,
        head_sha=request.head,
        external_id=request.external_id,
        status=status,
        title=title,
        summary=summary[: LIMIT - 1],
        conclusion=conclusion,
        annotations=annotations,
        actions=() if conclusion else (STOP,),
    )
