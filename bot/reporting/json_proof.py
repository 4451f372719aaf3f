"""The rows and facts of a proof card as values of JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.model.proof_card import Fact, FactKind, ProofCard, Row, RowKind, RowState, left_open

RowName = Literal[
    "tests", "suite", "mutants", "behaviour", "necessity", "capabilities", "stability",
    "reproduction",
]  # fmt: skip


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AnswersPart(_Part):
    """What a function answers on both sides."""

    call: str = Field(description="As a person would write it.")
    before: str = Field(description="Its answer without the change.")
    after: str = Field(description="With it.")
    nearness: str = Field(description="Where the input comes from.")


class FactPart(_Part):
    """One thing that an experiment, or a reading of the change, says."""

    row: RowName | None = Field(description="The row that it belongs to.")
    text: str = Field(description="One sentence of Markdown; untrusted text in code marks.")
    subject: str | None = Field(description="A test's id, a function, a file, a rule.")
    file: str | None = Field(description="Path in the repository.")
    line: int | None = Field(description="With the change, from 1.")
    end_line: int | None = Field(description="The last one.")
    answers: AnswersPart | None = Field(description="Where both sides answer differently.")


class RowPart(_Part):
    """One row of the card."""

    row: RowName = Field(description="What it is about.")
    state: Literal["shown", "not_shown", "refuted", "undecided", "not_asked"] = Field(
        description="What came of it."
    )
    summary: str = Field(description="One sentence.")
    ran: tuple[str, ...] = Field(description="The commands that were run for it.")
    seconds: float = Field(description="Wall time that it took.")


class ProofPart(_Part):
    """What is shown of the patch, and what is not: docs/proof.md."""

    rows: tuple[RowPart, ...] = Field(description="In the order of the card.")
    proven: tuple[FactPart, ...] = Field(description="What a run showed.")
    not_judged: tuple[FactPart, ...] = Field(description="Changed, and for a person to judge.")
    not_covered: tuple[FactPart, ...] = Field(description="What no test needs or could compare.")
    refuted: tuple[FactPart, ...] = Field(description="What speaks against the patch.")
    left_open: tuple[FactPart, ...] = Field(
        description="What a person has to look at before the patch is used."
    )


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
