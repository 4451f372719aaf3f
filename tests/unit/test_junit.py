"""JUnit reports as pytest wrote them, read."""

from __future__ import annotations

from pathlib import Path

from bot.ci.failures import registry
from bot.ci.failures.runners import junit
from bot.model import TestCounts

REPORTS = Path(__file__).parent.parent / "payloads" / "junit"


def test_ids_are_classname_and_name() -> None:
    """Failing, passed and skipped tests are named `classname::name`, parameters kept."""
    reading = junit.parse((REPORTS / "pytest.xml").read_bytes())
    assert reading is not None
    assert [found.test for found in reading.failing] == [
        "tests.test_calc::test_add",
        "tests.test_calc::test_param[x::y/z]",
        "tests.test_calc.TestDivide::test_crash",
        "tests.test_calc::test_setup",
        "tests.test_calc.Old::test_sub",
        "tests.test_calc.Old::test_text",
    ]
    assert reading.passed == {
        "tests.test_calc.TestDivide::test_zero",
        "tests.test_calc::test_param[1]",
    }
    assert reading.skipped == {"tests.test_calc::test_known", "tests.test_calc::test_later"}
    assert reading.counts == TestCounts(passed=2, failed=6, skipped=2)


def test_a_failure_is_placed_where_the_projects_code_raises() -> None:
    """The innermost frame inside the work tree, and the exception's own words."""
    reading = junit.parse((REPORTS / "pytest.xml").read_bytes())
    assert reading is not None
    crash = reading.failing[2]
    assert (crash.file, crash.line) == ("pkg/calc.py", 10)
    assert crash.message == "ZeroDivisionError: division by zero"
    assert "def divide" in crash.detail


def test_a_fixtures_failure_says_what_it_raised() -> None:
    """`failed on setup with ...` is unwrapped."""
    reading = junit.parse((REPORTS / "pytest.xml").read_bytes())
    assert reading is not None
    assert reading.failing[3].message == "RuntimeError: no database"


def test_a_module_that_cannot_be_collected() -> None:
    """Its id is the module, its message the exception and not `collection failure`."""
    reading = junit.parse((REPORTS / "collection.xml").read_bytes())
    assert reading is not None
    [found] = reading.failing
    assert (found.test, found.file, found.line) == ("tests.test_broken", "tests/test_broken.py", 1)
    assert found.message == "ModuleNotFoundError: No module named 'pkg.nothing'"


def test_the_report_is_believed_before_the_console() -> None:
    """Console and report of the same run give each test once."""
    output = (REPORTS.parent / "console" / "pytest_quiet.txt").read_text(encoding="utf-8")
    report = (REPORTS / "pytest.xml").read_bytes()
    reading = registry.read(output, reports=(report,))
    assert len(reading.failing) == 6
    assert reading.failing[0].detail.startswith("def test_add")


def test_a_later_session_that_passed_does_not_hide_the_failure() -> None:
    """When the report belongs to another pytest session, the console still tells what failed."""
    output = (REPORTS.parent / "console" / "pytest_quiet.txt").read_text(encoding="utf-8")
    green = b'<testsuites><testsuite><testcase classname="a" name="b"/></testsuite></testsuites>'
    reading = registry.read(output, reports=(green,))
    assert reading.failing[0].test == "tests.test_calc::test_add"
    assert "a::b" in reading.passed


def test_reports_that_were_cut_or_are_something_else_are_no_reports() -> None:
    """A truncated file, other XML, no XML at all and encodings that nobody knows are left aside."""
    whole = (REPORTS / "pytest.xml").read_bytes()
    odd = b"<?xml version='1.0' encoding='odd'?><testsuite/>"
    others = (whole[:500], b"<html/>", b"", b"\xff\xfe", odd)
    assert [junit.parse(data) for data in others] == [None] * 5


def test_a_test_that_is_todo_may_fail() -> None:
    """node:test writes both for it, and the run passes."""
    report = (
        b'<testsuites><testsuite name="price"><testcase name="known" classname="test">'
        b'<skipped type="todo" message="true"/><failure message="1 !== 2">Error</failure>'
        b'</testcase><testcase name="total" classname="test"/></testsuite></testsuites>'
    )
    reading = junit.parse(report)
    assert reading is not None
    assert not reading.failing
    assert reading.skipped == {"test::known"}
