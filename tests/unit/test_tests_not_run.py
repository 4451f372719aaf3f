"""Does a passing command still run what it ran? Pure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.ci.failures.registry import read
from bot.model import Failure, Observation, Severity, TestCounts
from bot.repair.tests_not_run import not_run, without_result
from bot.reporting.reasons import guards_runs


def red(failing: str, passed: str = "", *, failed: int | None = None) -> Observation:
    names = failing.split()
    count = len(names) if failed is None else failed
    return Observation(
        "pytest",
        1,
        tuple(map(Failure, names)),
        frozenset(passed.split()),
        counts=TestCounts(len(passed.split()), count, 0),
    )


def green(passed: str = "", skipped: str = "", output: str = "") -> Observation:
    ran, out = frozenset(passed.split()), frozenset(skipped.split())
    counts = TestCounts(len(ran), 0, len(out))
    return Observation("pytest", 0, passed=ran, skipped=out, counts=counts, output=output)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (red("t.a", "t.b"), green("t.a t.b t.c")),
        (red("t.a[1]"), green("t.a[2]")),
        (red("t"), green("t.a t.b")),
        (red("src.py:1:F401", "t.a", failed=0), green("t.a")),
        (Observation("make", 1), Observation("make", 0)),
        (red("t.a", "t.b"), red("t.b")),
    ],
    ids=["same", "other cases", "was not collected", "a linter", "tells nothing", "still red"],
)
def test_a_run_of_the_same_tests_is_believed(before: Observation, after: Observation) -> None:
    """No finding, whatever way the runner has of naming them."""
    assert not_run(before, after) == ()


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (red("t.a", "t.b"), green(skipped="t.a t.b"), guards_runs.NO_PASS_RECORDED),
        (red("t.a"), Observation("pytest", 0), guards_runs.NO_PASS_RECORDED),
        (red("t.a", "t.b"), green("t.b", skipped="t.a"), guards_runs.now_skipped(["t.a"])),
        (red("t.a", "t.b"), green("t.b"), guards_runs.no_longer_run(["t.a"])),
        (red("t.a", "t.b t.c"), green("t.a t.b"), guards_runs.no_longer_run(["t.c"])),
        (red("t.a", "t.b"), green("t.a", skipped="t.b"), guards_runs.no_longer_run(["t.b"])),
        (
            red("t.a", "t.b"),
            green("x.z", output="1 passed in 0.1s"),
            guards_runs.no_longer_run(["t.a", "t.b"]),
        ),
    ],
    ids=[
        "all skipped",
        "ended early",
        "failed skipped",
        "failed left out",
        "left out",
        "skipped",
        "others",
    ],
)
def test_a_run_of_fewer_tests_proves_nothing(
    before: Observation, after: Observation, message: str
) -> None:
    """The patch is rejected, and the tests are named."""
    [finding] = not_run(before, after)
    assert (finding.rule, finding.severity) == ("tests-not-run", Severity.REJECT)
    assert finding.message == message


@pytest.mark.parametrize(
    "after",
    [green("x.z"), green("t.b", output="1 passed in 0.1s\n1 passed in 0.2s\n")],
    ids=["other tests", "the report of the last of two sessions"],
)
def test_what_cannot_be_compared_is_left_to_a_person(after: Observation) -> None:
    """It may be a second session's report, so it is no ground for a rejection."""
    [finding] = not_run(red("t.a", "t.b"), after)
    assert (finding.rule, finding.severity, finding.message) == (
        "tests-unseen",
        Severity.NEEDS_PERSON,
        guards_runs.pass_not_recorded(["t.a"]),
    )


def test_a_red_suite_loses_no_tests_either() -> None:
    """It may be red for other reasons; one that stopped half-way tells nothing."""
    after = Observation(
        "pytest", 1, (Failure("t.old"),), frozenset({"t.a"}), counts=TestCounts(1, 1, 0)
    )
    [finding] = not_run(red("t.old", "t.a t.b"), after)
    assert finding.message == guards_runs.no_longer_run(["t.b"])
    assert not_run(red("t.old", "t.a"), after) == ()
    stopped = replace(after, output="!!!!! stopping after 1 failures !!!!!\n")
    assert not_run(red("t.old", "t.a t.b"), stopped) == ()


def test_long_lists_are_cut() -> None:
    """A finding names five tests."""
    [finding] = not_run(red("a b c d e f g", "z"), green("z"))
    assert finding.message.endswith("a, b, c, d, e and 2 more.")


def test_what_need_not_be_mended_still_ran() -> None:
    """It fails with the patch too, and is not missing."""
    before, other = red("t.a t.net", "t.b"), (Failure("t.net"),)
    after = replace(green("t.a t.b"), exit_code=1, others=other)
    assert after.ok
    assert not_run(before, after) == ()
    assert not_run(red("t.a", "t.b"), replace(red("t.a", "t.b"), others=other)) == ()
    unnamed = replace(after, passed=frozenset())  # unittest counts what passes, and names none
    assert not_run(red("t.a t.net"), unnamed) == ()


VITEST = Path(__file__).parent.parent / "payloads" / "console" / "vitest_files.txt"
ADDS = "test/a.test.ts > adds"


def test_a_runner_that_names_the_files_of_passing_tests() -> None:
    """A file in which all passes is named, and stands for its tests; not if more are skipped now."""
    before = replace(red("x", "test/b.test.ts ok"), failing=(Failure(ADDS),))
    passing = read(VITEST.read_text("utf-8"), failed=False)
    after = Observation("vitest", 0, passed=passing.passed | {"ok"}, counts=passing.counts)
    assert {"test/a.test.ts", "test/b.test.ts"} <= after.passed
    assert not_run(before, after) == ()
    [finding] = not_run(before, replace(after, counts=TestCounts(22, 0, 1)))
    assert finding.rule == "tests-unseen"
    [finding] = not_run(before, replace(after, passed=after.passed - {"test/a.test.ts"}))
    assert finding.message.startswith(guards_runs.no_longer_run([ADDS])[:40])


ADDED = frozenset({"def", "test_new", "assert", "total"})


@pytest.mark.parametrize(
    ("path", "words", "seen"),
    [
        ("tests/test_a.py", ADDED, red("tests.test_b::test_x", "tests.test_b::test_y")),
        ("tests/test_a.py", ADDED, green("tests.test_a::test_old", skipped="tests.test_a::test_new")),
        ("tests/test_a.py", frozenset({"helper"}), green("tests.test_b::test_x", "tests.test_a::test_new")),
        ("tests/test_a.py", ADDED, red("tests.test_a", "tests.test_b::test_y")),
        ("test/cart.test.js", ADDED, red("test/price.test.js:adds", "test/price.test.js:takes")),
        ("app/price_test.go", frozenset({"TestNew"}), red("example.com/app.TestOld")),
        ("tests/test_a.py", ADDED, Observation("make", 2, (Failure("make"),))),
    ],
    ids=["of another file", "skipped", "all skipped", "not collected", "jest", "go", "no names"],
)  # fmt: skip
def test_changed_tests_that_gave_no_result(
    path: str, words: frozenset[str], seen: Observation
) -> None:
    """Not collected, skipped, or not come to: whatever fails besides says nothing of the change."""
    assert without_result({path: words}, seen) == (path,)


@pytest.mark.parametrize(
    ("path", "words", "seen"),
    [
        ("tests/test_a.py", ADDED, green("tests.test_a::test_new[1] tests.test_a::test_old")),
        ("tests/test_a.py", ADDED, red("tests.test_a::test_new")),
        ("tests/test_a.py", frozenset({"helper"}), green("tests.test_a::test_old")),
        ("test_a.py", ADDED, replace(green("t.x"), others=(Failure("test_a.Cart.test_new"),))),
        ("test/cart.test.js", frozenset({"adds"}), green("test/cart.test.js:adds")),
        ("app/price_test.go", frozenset({"TestNew"}), red("example.com/app.TestNew")),
        ("src/test/java/SumTest.java", ADDED, green("org.app.SumTest::adds")),
    ],
)
def test_changed_tests_that_ran(path: str, words: frozenset[str], seen: Observation) -> None:
    """By their names where these were added, else by their file."""
    assert without_result({path: words}, seen) == ()
