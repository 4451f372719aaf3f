"""The rows and facts of a proof card as values of JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bot.model.proof_card import Fact, FactKind, ProofCard, Row, RowKind, RowState, left_open


def card_part(card: ProofCard) -> dict[str, Any]:
    """Return the rows and lists of a card; docs/proof.md has the keys."""
    left = left_open(card.rows)
    return {
        "rows": tuple(_row(row) for row in card.rows),
        "proven": _listed(card, FactKind.PROVEN),
        "not_judged": _listed(card, FactKind.NOT_JUDGED),
        "not_covered": _listed(card, FactKind.NOT_COVERED),
        "refuted": _listed(card, FactKind.REFUTED),
        "left_open": tuple(_fact(fact, _row_of(fact, card.rows)) for fact in left),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "row": row.kind.value,
        "state": _word(row.state),
        "summary": row.summary,
        "ran": row.ran,
        "seconds": round(row.seconds, 3),
    }


def _word(state: RowState) -> str:
    return state.value.replace(" ", "_")


def _listed(card: ProofCard, kind: FactKind) -> tuple[dict[str, Any], ...]:
    return tuple(
        _fact(fact, row.kind) for row in card.rows for fact in row.facts if fact.kind is kind
    )


def _row_of(fact: Fact, rows: Iterable[Row]) -> RowKind | None:
    return next((row.kind for row in rows if fact in row.facts or fact.text == row.summary), None)


def _fact(fact: Fact, row: RowKind | None) -> dict[str, Any]:
    answers = fact.answers
    return {
        "row": row.value if row is not None else None,
        "text": fact.text,
        "subject": fact.subject or None,
        "file": fact.file,
        "line": fact.line,
        "end_line": fact.end_line,
        "answers": None
        if answers is None
        else {
            "call": answers.call,
            "before": answers.before,
            "after": answers.after,
            "nearness": answers.nearness.value.replace(" ", "_"),
        },
    }
