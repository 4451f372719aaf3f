"""`fixpoint fix --json`: a contract that scripts rely on."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from inline_snapshot import snapshot
from pydantic import SecretStr

from bot.model import (
    Attempt,
    Cause,
    GuardFinding,
    Patch,
    Proposal,
    Report,
    Severity,
    Usage,
    Verdict,
    Verification,
)
from bot.redaction import Redactor
from bot.reporting.json_report import (
    AttemptPart,
    CauseName,
    FindingPart,
    FixOutput,
    ReproductionPart,
    SeverityName,
    VerdictName,
    schema_text,
    to_json,
)
from tests.unit.reports import ACCEPTED, FIXED, GREEN, HEAD, PATCH, REPRODUCTION

DOCS = Path(__file__).parents[2] / "docs"


def test_fixed() -> None:
    """Every key of the contract, with numbers as numbers."""
    assert to_json(replace(FIXED, attempts=(ACCEPTED,))) == snapshot(
        {
            "schema_version": 2,
            "run_id": "3fa9c1d20b7e",
            "verdict": "fixed",
            "reason": "Attempt 2 passed.",
            "head": "2c64ae48e2b1984a16cf25d215c9f9d21146426d",
            "commands": {
                "setup": ["pip install -e ."],
                "test": "pytest -q",
                "failing": "pytest -q tests/test_dates.py",
                "explanation": [],
                "config": "",
            },
            "reproduction": {
                "command": "pytest -q tests/test_dates.py",
                "exit_code": 1,
                "failing": ["tests.test_dates::test_leap_year"],
                "cause": "real",
                "runs": [1, 1],
                "test_patch": None,
                "setup_output": "",
                "others": [],
                "undecided": False,
            },
            "attempts": [
                {
                    "n": 2,
                    "proposer": "agent",
                    "model": "large-model",
                    "patch": """\
diff --git a/dates.py b/dates.py
--- a/dates.py
+++ b/dates.py
@@ -12 +12 @@
-    return year % 4 == 0
+    return year % 4 == 0 and year % 100 != 0
""",
                    "exit_code": 0,
                    "failing_before": ["tests.test_dates::test_leap_year"],
                    "failing_after": [],
                    "guard_findings": [],
                    "tokens": 115900,
                    "cost_usd": 0.1234,
                    "seconds": 64.0,
                    "summary": """\
Centuries were taken for leap years.

Only those that 400 divides are.\
""",
                    "accepted": True,
                    "outcome": "accepted",
                    "ended": "",
                    "unconfirmed": [],
                    "programs": [],
                    "mutants": None,
                    "wrong_fixes": None,
                    "assurance": None,
                    "route": None,
                    "used": [],
                    "plan": [],
                }
            ],
            "patch": """\
diff --git a/dates.py b/dates.py
--- a/dates.py
+++ b/dates.py
@@ -12 +12 @@
-    return year % 4 == 0
+    return year % 4 == 0 and year % 100 != 0
""",
            "seconds": 184.2,
            "command_seconds": 0.0,
            "cost_usd": 0.1334,
            "tokens": 121300,
            "notes": [],
            "kind": "bug",
            "specification": None,
            "what_changed": None,
            "flaky": None,
            "proof": {
                "rows": [
                    {
                        "row": "tests",
                        "state": "shown",
                        "summary": "1 test that failed before passes with the patch, in a clean sandbox.",
                        "ran": ["pytest -q tests/test_dates.py"],
                        "seconds": 0.0,
                    },
                    {
                        "row": "suite",
                        "state": "shown",
                        "summary": "The full test suite passes.",
                        "ran": ["pytest -q"],
                        "seconds": 0.0,
                    },
                ],
                "proven": [
                    {
                        "row": "tests",
                        "text": "`tests.test_dates::test_leap_year` passes; without the change it fails: `AssertionError: 1900 is no leap year`",
                        "subject": "tests.test_dates::test_leap_year",
                        "file": "dates.py",
                        "line": 12,
                        "end_line": None,
                        "answers": None,
                    }
                ],
                "not_judged": [],
                "not_covered": [],
                "refuted": [],
                "left_open": [],
            },
        }
    )


def test_ended_before_anything_ran() -> None:
    """A run without evidence has null and empty values, not missing keys."""
    report = Report("ab12", Verdict.REFUSED, "The branch is gone.", FIXED.problem, HEAD)
    assert to_json(report) == snapshot(
        {
            "schema_version": 2,
            "run_id": "ab12",
            "verdict": "refused",
            "reason": "The branch is gone.",
            "head": "2c64ae48e2b1984a16cf25d215c9f9d21146426d",
            "commands": None,
            "reproduction": None,
            "attempts": [],
            "patch": "",
            "seconds": 0.0,
            "command_seconds": 0.0,
            "cost_usd": 0.0,
            "tokens": 0,
            "notes": [],
            "kind": "bug",
            "specification": None,
            "what_changed": None,
            "flaky": None,
            "proof": None,
        }
    )


def test_attempt_without_verification() -> None:
    """What was not run is null, not zero or empty."""
    attempt = Attempt(1, "agent", Proposal(Patch(), "", ended="60 turns used."), None, ("t",), 1.0)
    (written,) = to_json(replace(FIXED, attempts=(attempt,)))["attempts"]
    assert (written["exit_code"], written["failing_after"], written["patch"]) == (None, None, "")
    assert written["ended"] == "60 turns used."


def test_unknown_cost_is_null() -> None:
    """A cost that nobody knows is null in the run and in the attempt."""
    usage = Usage(input=5, cost_usd=None)
    attempt = replace(ACCEPTED, proposal=replace(ACCEPTED.proposal, usage=usage))
    written = to_json(replace(FIXED, usage=usage, attempts=(attempt,)))
    assert written["cost_usd"] is None
    assert written["attempts"][0]["cost_usd"] is None


def test_findings() -> None:
    """Guard findings are objects with all their keys."""
    finding = GuardFinding("new-skip", Severity.NEEDS_PERSON, "A test is skipped now.", "a.py", 3)
    attempt = replace(ACCEPTED, verification=Verification(GREEN, findings=(finding,)))
    written = to_json(replace(FIXED, attempts=(attempt,)))
    assert written["attempts"][0]["guard_findings"] == snapshot(
        [
            {
                "rule": "new-skip",
                "severity": "needs_a_person",
                "message": "A test is skipped now.",
                "file": "a.py",
                "line": 3,
            }
        ]
    )


@pytest.mark.parametrize(
    ("findings", "accepted"),
    [
        ((), True),
        ((Severity.NOTE,), True),
        ((Severity.NOTE, Severity.NEEDS_PERSON), "after_approval"),
        ((Severity.NEEDS_PERSON, Severity.REJECT), False),
    ],
)
def test_accepted(findings: tuple[Severity, ...], accepted: object) -> None:
    """What a person has to look at first is neither accepted nor rejected."""
    found = tuple(
        GuardFinding("new-skip", finding, "A test is skipped now.") for finding in findings
    )
    attempt = replace(ACCEPTED, verification=Verification(GREEN, findings=found))
    written = to_json(replace(FIXED, attempts=(attempt,)))
    assert written["attempts"][0]["accepted"] == accepted


def test_test_written_first() -> None:
    """The test that was written first is a diff of its own."""
    report = replace(FIXED, reproduction=replace(REPRODUCTION, test_patch=PATCH))
    assert to_json(report)["reproduction"]["test_patch"] == PATCH.text


def test_secrets_do_not_leave() -> None:
    """Texts lose every secret; patches lose known ones and keep what only looks like one."""
    looks = "ghp_" + "a1" * 18
    patch = Patch(f"+{looks} hunter2secret\n".encode(), ("a",), 1, 0)
    attempt = replace(ACCEPTED, proposal=replace(ACCEPTED.proposal, summary=looks, patch=patch))
    report = replace(FIXED, attempts=(attempt,), patch=patch, notes=("hunter2secret",))
    written = to_json(report, Redactor((SecretStr("hunter2secret"),)))
    assert written["notes"] == ["[redacted]"]
    assert written["attempts"][0]["summary"] == "[redacted]"
    assert written["patch"] == written["attempts"][0]["patch"] == f"+{looks} [redacted]\n"


def test_bytes_that_are_no_text() -> None:
    """The output is always valid JSON, whatever bytes a patch holds."""
    written = to_json(replace(FIXED, patch=Patch(b"\xff\n", ("a",), 1, 0)))
    assert json.loads(json.dumps(written))["patch"] == "\ufffd\n"


@pytest.mark.parametrize(
    ("names", "values"), [(VerdictName, Verdict), (CauseName, Cause), (SeverityName, Severity)]
)
def test_names_are_complete(names: object, values: type[Verdict | Cause | Severity]) -> None:
    """Each word of the engine has its name in the contract, in snake case."""
    assert set(get_args(names)) == {value.replace(" ", "_") for value in values}


def test_schema_is_current() -> None:
    """The published schema is that of the code.

    To write it anew:
    python -c "from bot.reporting.json_report import *; print(schema_text(), end='')" > docs/fix-output.schema.json
    """
    assert (DOCS / "fix-output.schema.json").read_text("utf-8") == schema_text()


def test_example_in_the_docs_is_valid() -> None:
    """The documented example follows the schema."""
    text = (DOCS / "json-output.md").read_text("utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    FixOutput.model_validate_json(example)


@pytest.mark.parametrize("part", [FixOutput, ReproductionPart, AttemptPart, FindingPart])
def test_every_key_is_documented(part: type[FixOutput]) -> None:
    """The page names every key and every verdict."""
    text = (DOCS / "json-output.md").read_text("utf-8")
    names = [*part.model_fields, *get_args(VerdictName)]
    assert [name for name in names if f"`{name}`" not in text] == []
