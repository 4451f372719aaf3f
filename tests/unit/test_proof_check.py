"""What the check run *Proof* says of a card."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.model.check_report import Annotation
from bot.model.proof_card import Fact, FactKind, ProofCard, Row, RowKind, RowState
from bot.model.proof_request import ProofRequest
from bot.reporting import proof_check

REQUEST = ProofRequest("acme/app", 1, 2, 7, "1" * 40, datetime(2026, 11, 29, tzinfo=UTC))
BOTH = frozenset({RowKind.TESTS, RowKind.SUITE})


def card(
    *states: RowState, problem: str = "", outside: bool = False, facts: tuple[Fact, ...] = ()
) -> ProofCard:
    """Return a card whose first rows came to that."""
    rows = [Row(kind, state, "Said.") for kind, state in zip(RowKind, states, strict=False)]
    if facts:
        rows.append(Row(RowKind.NECESSITY, RowState.NOT_SHOWN, "Said.", facts))
    return ProofCard("0" * 40, "1" * 40, tuple(rows), problem=problem, outside=outside)


@pytest.mark.parametrize(
    ("shown", "conclusion"),
    [
        (card(RowState.SHOWN, RowState.SHOWN), "success"),
        (card(RowState.NOT_ASKED, RowState.SHOWN), "success"),
        (card(RowState.NOT_SHOWN, RowState.SHOWN), "failure"),
        (card(RowState.SHOWN, RowState.REFUTED), "failure"),
        (card(RowState.SHOWN, RowState.UNDECIDED), "neutral"),
        (card(RowState.SHOWN), "neutral"),
        (card(problem="The setup fails."), "failure"),
        (card(problem="The sandbox is gone.", outside=True), "neutral"),
        (card(RowState.SHOWN, RowState.SHOWN, RowState.REFUTED), "success"),
    ],
)
def test_required_rows_decide(shown: ProofCard, conclusion: str) -> None:
    """What is undecided or not there yet is neither a failure nor a success."""
    assert proof_check.over(REQUEST, shown, required=BOTH).conclusion == conclusion
    assert proof_check.over(REQUEST, shown).conclusion == "neutral"


def test_open_facts_are_shown_at_their_lines() -> None:
    """What speaks against the change first; as text, with no more than GitHub takes at once."""
    facts = (
        Fact(FactKind.NOT_COVERED, "No test needs `a.py`.", file="a.py", line=3, end_line=5),
        Fact(FactKind.REFUTED, "`test_b` fails.", file="b.py", line=2),
        Fact(FactKind.PROVEN, "Proven.", file="c.py", line=1),
        Fact(FactKind.NOT_COVERED, "No place."),
    )
    report = proof_check.over(REQUEST, card(facts=facts))
    assert report.annotations == (
        Annotation("b.py", 2, 2, "warning", "test_b fails.", "Proof: refuted"),
        Annotation("a.py", 3, 5, "notice", "No test needs a.py.", "Proof: not covered"),
    )
    many = tuple(Fact(FactKind.NOT_COVERED, "x", file="a.py", line=n) for n in range(1, 90))
    assert len(proof_check.over(REQUEST, card(facts=many)).annotations) == 50


def test_a_growing_card_can_be_stopped_and_a_whole_one_not() -> None:
    """The button goes with the end."""
    growing = proof_check.under_way(REQUEST, card(RowState.SHOWN))
    assert [action.label for action in growing.actions] == ["Stop"]
    assert proof_check.over(REQUEST, card(RowState.SHOWN)).actions == ()


def test_a_head_has_one_proof_until_somebody_asks_again() -> None:
    """Ids come from repository, pull request, head and turn, and not from names or times."""
    again = ProofRequest("acme/renamed", 1, 2, 7, "1" * 40, datetime(2027, 1, 1, tzinfo=UTC))
    assert again.run_id == REQUEST.run_id
    other = ProofRequest("acme/app", 1, 2, 7, "1" * 40, REQUEST.asked_at, turn=1)
    assert other.run_id != REQUEST.run_id
