"""Read what `fixpoint verify --json` printed, and its exit code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bot.model import Acceptance

ACCEPTANCE = {0: Acceptance.YES, 3: Acceptance.AFTER_APPROVAL, 1: Acceptance.NO}
"""By the exit code: docs/proof.md."""


def subjects(card: Mapping[str, Any], names: Iterable[str], row: str = "") -> frozenset[str]:
    """Return what the facts of some lists of a card are about.

    Args:
        card: As it was printed.
        names: Of the lists.
        row: Whose facts they are; of all rows if it is empty.
    """
    facts = (fact for name in names for fact in card[name] if row in {"", fact["row"]})
    return frozenset(fact["subject"] for fact in facts if fact["subject"])


def why(card: Mapping[str, Any]) -> str:
    """Return why nothing could be shown, or what the row *tests* says."""
    rows = [row["summary"] for row in card["rows"] if row["row"] == "tests"]
    return str(card["problem"] or (rows[0] if rows else ""))
