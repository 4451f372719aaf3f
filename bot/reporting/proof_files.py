"""A proof card for programs: JSON, SARIF and JUnit XML."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET  # only writes
from typing import Any

from bot.model.proof_card import Fact, FactKind, ProofCard, RowState
from bot.model.untrusted import strip_hidden
from bot.reporting.json_proof import card_part
from bot.reporting.proof_card import row_line, title

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {
    FactKind.REFUTED: "error",
    FactKind.NOT_COVERED: "warning",
    FactKind.NOT_JUDGED: "note",
}
"""Proven facts are no results: https://docs.oasis-open.org/sarif/sarif/v2.1.0/, 3.27.10."""


def as_json(card: ProofCard) -> str:
    """Return one object; docs/proof.md has its keys."""
    return json.dumps(
        {
            "base": card.base,
            "head": card.head,
            "problem": card.problem or None,
            "setup_output": card.setup_output or None,
            **card_part(card),
            "setup": card.setup,
            "test": card.test or None,
            "notes": card.notes,
            "seconds": round(card.seconds, 3),
        },
        indent=2,
    )


def as_sarif(card: ProofCard, version: str) -> str:
    """Return the facts that a person has to look at, as SARIF 2.1.0.

    Args:
        card: The card.
        version: Of Fixpoint.
    """
    rules = [
        {"id": row.kind.value, "shortDescription": {"text": row_line(row)}} for row in card.rows
    ]
    results = [
        {
            "ruleId": row.kind.value,
            "level": _LEVELS[fact.kind],
            "message": {"text": fact.text},
            "locations": [_location(fact)] if fact.file is not None else [],
        }
        for row in card.rows
        for fact in row.facts
        if fact.kind in _LEVELS
    ]
    driver = {
        "name": "Fixpoint proof",
        "version": version,
        "rules": rules,
    }
    told = {
        "$schema": _SARIF,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(told, indent=2)


def _location(fact: Fact) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": fact.file}}
    if fact.line is not None:
        place["region"] = {"startLine": fact.line, "endLine": fact.end_line or fact.line}
    return {"physicalLocation": place}


def as_junit(card: ProofCard) -> str:
    """Return each row as a test case: one that is refuted or not shown is a failure."""
    failing = {RowState.REFUTED, RowState.NOT_SHOWN}
    counts = {
        "tests": str(len(card.rows)),
        "failures": str(sum(row.state in failing for row in card.rows)),
        "errors": str(int(bool(card.problem))),
        "time": f"{card.seconds:.3f}",
    }
    suite = ET.Element("testsuite", {"name": "proof", **counts})
    for row in card.rows:
        name = {"classname": "proof", "name": row.kind.value, "time": f"{row.seconds:.3f}"}
        case = ET.SubElement(suite, "testcase", name)
        text = _clean("\n".join((row.summary, *(fact.text for fact in row.facts))))
        if row.state in failing:
            ET.SubElement(case, "failure", {"message": _clean(row.summary)}).text = text
        elif row.state is RowState.SHOWN:
            ET.SubElement(case, "system-out").text = text
        else:
            ET.SubElement(case, "skipped", {"message": _clean(row.summary)})
    if card.problem:
        case = ET.SubElement(suite, "testcase", {"classname": "proof", "name": "set-up"})
        ET.SubElement(case, "error", {"message": _clean(title(card))}).text = _clean(card.problem)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True)


def _clean(text: str) -> str:
    """Return text that XML can hold."""
    return strip_hidden(text)
