"""What a tool reports in a test and rewrites there was asked for; anything else was not."""

from __future__ import annotations

import pytest

from bot.ci.failures import registry
from bot.code.change import FileDiff
from bot.model import Observation, Severity
from bot.repair.guards.corrections import corrected_by_tool
from bot.repair.guards.examine import GuardEvidence, examine

BEFORE = """\
from shop import greet


def test_greets():
    # recieve a greeting
    assert greet("Ann") == "Ann will recieve it"


def test_counts():
    assert greet.count == 3
"""


def severities(
    after: str, output: str, *, path: str = "tests/test_shop.py", before: str = BEFORE
) -> list[Severity]:
    """Return how severe the guards' findings are beside what a tool printed."""
    reading = registry.read(output)
    red = Observation("tool", 1, reading.failing, output=output, counts=reading.counts)
    changes = [FileDiff(path, before.encode(), after.encode())]
    findings = corrected_by_tool(examine(changes, GuardEvidence(red)), changes, red)
    return [finding.severity for finding in findings]


RIGHT = BEFORE.replace("recieve", "receive")
CODESPELL = """\
tests/test_shop.py:5: recieve ==> receive
tests/test_shop.py:6: recieve ==> receive
"""
TYPOS = """\
error: `recieve` should be `receive`
  --> tests/test_shop.py:5:7
error: `recieve` should be `receive`
  --> tests/test_shop.py:6:38
"""
RUFF = "tests/test_shop.py:6:28: Q000 [*] Single quotes found but double quotes preferred\n"
JS_BEFORE = 'test("greets", () => {\n  expect(greet()).toBe("recieve");\n});\n'


@pytest.mark.parametrize("output", [CODESPELL, TYPOS])
def test_a_correction_at_reported_places(output: str) -> None:
    """The project's own spelling tool asked for another expected text."""
    assert severities(RIGHT, output) == [Severity.NOTE]


def test_a_correction_in_another_language() -> None:
    """Whatever the test is written in."""
    after = JS_BEFORE.replace("recieve", "receive")
    output = "test/shop.test.js:2: recieve ==> receive\n"
    path = "test/shop.test.js"
    assert severities(after, output, path=path, before=JS_BEFORE) == [Severity.NOTE]


@pytest.mark.parametrize(
    ("after", "output"),
    [
        (RIGHT.replace("== 3", "== 4"), CODESPELL),  # another test, which no tool names
        (RIGHT, "tests/test_other.py:6: recieve ==> receive\n"),
        (RIGHT, "tests/test_shop.py:5: recieve ==> receive\n"),
        (RIGHT.replace('assert greet("Ann")', 'x = 1\n    assert greet("Ann")'), RUFF),
    ],
)
def test_what_no_tool_reports(after: str, output: str) -> None:
    """A change on a line that the tool does not name is rejected as before."""
    assert Severity.REJECT in severities(after, output)


@pytest.mark.parametrize(
    ("reported", "severity"),
    [("biome.json", Severity.NEEDS_PERSON), ("src/biome.json", Severity.REJECT)],
)
def test_a_setting_that_a_tool_loses_in_its_own_migration(
    reported: str, severity: Severity
) -> None:
    """A person looks at a configuration that the failing tool finds fault with; others stay as strict."""
    before = '{"organizeImports": {"enabled": true}}\n'
    after = '{"assist": {"actions": {"source": {"organizeImports": "on"}}}}\n'
    output = f"{reported}:1:2 deserialize ━━━━━━━━━━\n\n  \N{MULTIPLICATION SIGN} Found an unknown key `organizeImports`.\n"
    assert severities(after, output, path="biome.json", before=before) == [severity]


def test_a_failing_test_reports_no_place() -> None:
    """Where a test fails, its own assertion's line is no place to correct."""
    output = (
        "=================================== FAILURES ===================================\n"
        "_________________________________ test_greets __________________________________\n\n"
        'E       assert "Ann will receive it" == "Ann will recieve it"\n\n'
        "tests/test_shop.py:6: AssertionError\n"
        "=========================== short test summary info ============================\n"
        "FAILED tests/test_shop.py::test_greets - assert 'a' == 'b'\n"
        "========================= 1 failed, 1 passed in 0.01s ==========================\n"
    )
    assert severities(RIGHT, output) == [Severity.REJECT]


def test_a_skip_is_no_correction() -> None:
    """Only other values are corrections: a tool's line does not let a test be skipped."""
    after = RIGHT.replace("    # receive", '    pytest.skip("later")  # receive')
    assert Severity.REJECT in severities(after, CODESPELL)
