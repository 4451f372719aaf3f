"""Tests that a patch makes demand less: each cheat is found, and no honest change is."""

from __future__ import annotations

import pytest

from bot.code.change import FileDiff
from bot.repair.guards.weakening import looser, weakened


def rules(path: str, before: str | None, after: str | None) -> list[tuple[str, int | None]]:
    """Return what is found in one changed file: rules with their lines."""
    old, new = (side if side is None else side.encode() for side in (before, after))
    return [(finding.rule, finding.line) for finding in weakened([FileDiff(path, old, new)])]


PYTHON = """\
import pytest

def test_sum():
    got = add(1, 2)
    assert got == 3

class TestMore:
    def test_close(self):
        self.assertAlmostEqual(add(0.1, 0.2), 0.3, places=7)

    def test_raises(self):
        with pytest.raises(ValueError):
            add("a")
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("def test_sum", "def check_sum", ("test-removed", 3)),
        ("def test_sum", "@pytest.mark.skip\ndef test_sum", ("test-skipped", 4)),
        ("def test_sum", "@pytest.mark.xfail\ndef test_sum", ("test-skipped", 4)),
        ("    got = add", "    pytest.skip('no')\n    got = add", ("test-skipped", 3)),
        ("class TestMore", "@unittest.skip('x')\nclass TestMore", ("test-skipped", 9)),
        ("    got = add", "    return\n    got = add", ("test-cut-short", 4)),
        ("    assert got == 3", "    print(got)", ("assertion-removed", 3)),
        ("    assert got == 3", "    assert True", ("assertion-vacuous", 5)),
        ("got == 3", "got == got", ("assertion-vacuous", 5)),
        ("got == 3", "got == 3 or True", ("assertion-vacuous", 5)),
        ("got == 3", "got is not None", ("assertion-weakened", 5)),
        ("got == 3", "got == 4", ("expected-changed", 5)),
        ("got == 3", "got == -1", ("expected-changed", 5)),
        ("got == 3", "got == add(1, 2)", ("expected-changed", 5)),
        ("add(1, 2)", "add(1, 3)", ("expected-changed", 4)),
        ("places=7", "places=1", ("tolerance-relaxed", 9)),
        ("raises(ValueError)", "raises(Exception)", ("assertion-weakened", 12)),
        ("import pytest", "import pytest\npytestmark = pytest.mark.skip", ("test-skipped", 2)),
    ],
)  # fmt: skip
def test_weakened_python(old: str, new: str, found: tuple[str, int]) -> None:
    """The finding names the rule and the line."""
    assert found in rules("tests/test_a.py", PYTHON, PYTHON.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("got = add(1, 2)\n    assert got == 3", "assert add(1, 2) == 3\n    assert add(1, 2) < 4"),
        ("import pytest\n", "import pytest  # for raises\n"),
        ("class TestMore", "def test_new():\n    assert add(2, 2) == 4\n\nclass TestMore"),
        ("got == 3", "got == 3, 'a message'"),
        ("    got = add(1, 2)", "    # what it gives\n    got = add(\n        1, 2\n    )"),
        ("places=7", "places=9"),
    ],
    ids=["more", "a comment", "a new test", "a message", "formatting", "tighter"],
)
def test_honest_changes_of_python(old: str, new: str) -> None:
    """Tests may grow, be formatted and be explained."""
    found = rules("tests/test_a.py", PYTHON, PYTHON.replace(old, new, 1))
    assert [rule for rule, _ in found if rule != "assertion-removed"] == []


def test_a_test_may_move() -> None:
    """It is gone here and stands there."""
    moved = [
        FileDiff("tests/test_a.py", b"def test_x():\n    assert f() == 1\n", b""),
        FileDiff("tests/test_b.py", None, b"def test_x():\n    assert f() == 1\n", None),
    ]
    assert list(weakened(moved)) == []


JAVASCRIPT = """\
describe("sum", () => {
  it("adds", () => {
    expect(add(1, 2)).toBe(3);
  });
  it("is close", () => {
    expect(add(0.1, 0.2)).toBeCloseTo(0.3, 5);
  });
});
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('it("adds"', 'it.skip("adds"', ("test-skipped", 2)),
        ('it("adds"', 'xit("adds"', ("test-skipped", 2)),
        ('it("is', 'it.only("is', ("test-skipped", 5)),
        ("toBe(3)", "toBe(4)", ("expected-changed", 3)),
        ("toBe(3)", "toBeTruthy()", ("assertion-weakened", 3)),
        ("expect(add(1, 2)).toBe(3)", "expect(true).toBe(true)", ("assertion-vacuous", 3)),
        ("    expect(add(1, 2)).toBe(3);\n", "", ("assertion-removed", 2)),
        ("0.3, 5", "0.3, 0", ("tolerance-relaxed", 6)),
        ('it("adds"', 'it("multiplies"', ("test-removed", 2)),
    ],
)
@pytest.mark.parametrize("path", ["sum.test.js", "src/sum.spec.ts", "__tests__/sum.tsx"])
def test_weakened_javascript(path: str, old: str, new: str, found: tuple[str, int]) -> None:
    """JavaScript and TypeScript, in whichever of their files."""
    assert found in rules(path, JAVASCRIPT, JAVASCRIPT.replace(old, new, 1))


GO = """\
package sum

func TestAdd(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf("got %d", got)
	}
}
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("\tif got", '\tt.Skip("later")\n\tif got', ("test-skipped", 3)),
        ("got != 3", "got != 4", ("expected-changed", 5)),
        ("TestAdd", "testAdd", ("test-removed", 3)),
        ('t.Errorf("got %d", got)', "_ = got", ("assertion-removed", 3)),
    ],
)
def test_weakened_go(old: str, new: str, found: tuple[str, int]) -> None:
    """What Go asserts stands in conditions."""
    assert found in rules("sum_test.go", GO, GO.replace(old, new, 1))


RUST = """\
#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("#[test]", "#[test]\n    #[ignore]", ("test-skipped", 5)),
        ("assert_eq!(add(1, 2), 3)", "assert!(true)", ("assertion-vacuous", 5)),
        ("2), 3", "2), 4", ("expected-changed", 5)),
        ("    #[test]\n", "", ("test-removed", 4)),
    ],
)
def test_weakened_rust(old: str, new: str, found: tuple[str, int]) -> None:
    """Rust marks its tests with attributes."""
    assert found in rules("tests/sum.rs", RUST, RUST.replace(old, new, 1))


def test_data_beside_tests() -> None:
    """Snapshots and data are what tests expect."""
    assert rules("tests/__snapshots__/a.snap", "1", "2") == [("snapshot-changed", None)]
    assert rules("tests/data/a.json", "1", "2") == [("test-data-changed", None)]
    assert rules("tests/data/new.json", None, "2") == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("approx(x,rel=1e-6)", "approx(x,rel=1e-2)", True),
        ("approx(x,rel=1e-2)", "approx(x,rel=1e-6)", False),
        ("wait(timeout=5)", "wait(timeout=50)", True),
        ("approx(x)", "approx(x,abs=1)", True),
        ("f(places=3)", "f(places=3)", False),
    ],
)
def test_tolerances(old: str, new: str, expected: bool) -> None:  # noqa: FBT001 - a table
    """Greater tolerances, longer waits and fewer places are looser."""
    assert looser(old, new) is expected


def test_the_same_text_in_other_escapes() -> None:
    """Formatters write the digits of escapes in small letters; the value stays what it was."""
    before = 'def test_slug():\n    name = "\\u200Bno"\n    assert slug(name) == "\\U0001F3B7"\n'
    after = before.replace("200B", "200b").replace("1F3B7", "1f3b7")
    assert before != after
    assert rules("tests/test_a.py", before, after) == []
    assert rules("tests/test_a.py", before, after.replace("200b", "200c"))
