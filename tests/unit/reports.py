"""Runs as values, for everything that tells people about them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from bot.model import (
    Attempt,
    Cause,
    Commands,
    Failure,
    Limits,
    Observation,
    Patch,
    Problem,
    Proposal,
    Report,
    Reproduction,
    TestCounts,
    Usage,
    Verdict,
    Verification,
)
from bot.reporting.marker import marker
from bot.reporting.progress_view import ProgressView

HEAD = "2c64ae48e2b1984a16cf25d215c9f9d21146426d"
RUN = "3fa9c1d20b7e"
MARK = marker(RUN, "test")
STARTED = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
COMMAND = "pytest -q tests/test_dates.py"

FAILURE = Failure(
    "tests.test_dates::test_leap_year",
    "dates.py",
    12,
    "AssertionError: 1900 is no leap year",
    "def test_leap_year():\n>   assert not is_leap(1900)\nE   AssertionError: 1900",
)
PATCH = Patch(
    b"diff --git a/dates.py b/dates.py\n--- a/dates.py\n+++ b/dates.py\n@@ -12 +12 @@\n"
    b"-    return year % 4 == 0\n+    return year % 4 == 0 and year % 100 != 0\n",
    ("dates.py",),
    added=1,
    removed=1,
)
RED = Observation(
    COMMAND, 1, (FAILURE,), counts=TestCounts(8, 1, 0), output="1 failed, 8 passed", seconds=1.2
)
GREEN = Observation(COMMAND, 0, counts=TestCounts(9, 0, 0), output="9 passed", seconds=1.2)
SUITE_RED = replace(RED, command="pytest -q", counts=TestCounts(40, 1, 2))
SUITE_GREEN = replace(GREEN, command="pytest -q", counts=TestCounts(41, 0, 2))
REPRODUCTION = Reproduction(
    Cause.REAL, RED, SUITE_RED, f"`{COMMAND}` fails here every time.", (1, 1)
)

REJECTED = Attempt(
    1,
    "agent",
    Proposal(PATCH, "Guarded the call.", "small-model", Usage(5000, 400, 0, 0, Decimal("0.01"), 5)),
    Verification(RED),
    (FAILURE.test,),
    31.4,
)
ACCEPTED = Attempt(
    2,
    "agent",
    Proposal(
        PATCH,
        "Centuries were taken for leap years.\n\nOnly those that 400 divides are.",
        "large-model",
        Usage(12_000, 900, 100_000, 3000, Decimal("0.1234"), 9),
    ),
    Verification(GREEN, SUITE_GREEN),
    (FAILURE.test,),
    64.0,
)

FIXED = Report(
    RUN,
    Verdict.FIXED,
    "Attempt 2 passed.",
    Problem("Leap years: 1900", "1900 is wrong.", number=7),
    HEAD,
    Commands(("pip install -e .",), "pytest -q", COMMAND),
    REPRODUCTION,
    (REJECTED, ACCEPTED),
    PATCH,
    patch_accepted=True,
    usage=REJECTED.proposal.usage + ACCEPTED.proposal.usage,
    seconds=184.2,
)
GAVE_UP = replace(
    FIXED,
    verdict=Verdict.GAVE_UP,
    reason="All 1 attempts of the budget are used.",
    attempts=(REJECTED,),
    patch_accepted=False,
    usage=REJECTED.proposal.usage,
)
VIEW = ProgressView(RUN, STARTED, Limits())
