"""A flaky test gets the mark of its own runner, and the mark goes without a trace."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from inline_snapshot import snapshot

from bot.model.quarantine import MarkKind, same_id
from bot.repair.flaky.mark_edits import NoMark
from bot.repair.flaky.test_marks import marked, path_of, reason_of, unmarked

REASON = reason_of(12, datetime(2026, 12, 30, tzinfo=UTC))
SHOP = """\
\"\"\"Tests of the shop.\"\"\"

from __future__ import annotations

import os
import sys

import shop


def test_first():
    assert shop.open


@os.environ.get
def test_second(
    tmp_path,
):
    assert shop.open


class TestCart:
    def test_first(self):
        assert shop.cart
"""


def both_ways(path: str, text: str, test: str) -> str:
    """Return a text with a mark, which has to go again without a trace."""
    data = text.encode()
    found = marked(path, data, test, REASON)
    assert unmarked(path, found.data, 12) == data
    assert unmarked(path, found.data, 1) is None
    assert unmarked(path, data, 12) is None
    return found.data.decode()


def added(path: str, text: str, test: str) -> list[str]:
    """Return the lines that a mark adds."""
    before = text.split("\n")
    return [line for line in both_ways(path, text, test).split("\n") if line not in before]


def test_pytest() -> None:
    """An xfail that is not strict, whatever the project sets; of a class, only the one that is meant."""
    mark = '@pytest.mark.xfail(reason="flaky until 2026-12-30, see #12", strict=False)'
    assert added("test_shop.py", SHOP, "test_shop.py::test_first") == ["import pytest", mark]
    first, _, second = both_ways(
        "t/test_shop.py", SHOP, "t.test_shop.TestCart::test_first"
    ).partition(mark)
    assert first.endswith("class TestCart:\n    ")
    assert second.startswith("\n    def test_first(self):\n        assert shop.cart")
    again = both_ways("test_shop.py", SHOP, "test_shop.py::test_second")
    assert f"{mark}\n@os.environ.get\ndef test_second(\n" in again
    assert "import os\nimport pytest\nimport sys\n" in again


def test_two_tests_of_a_file() -> None:
    """Each mark goes by itself; what both need stays for the other."""
    data = marked("test_shop.py", SHOP.encode(), "test_shop.py::test_first", REASON).data
    both = marked("test_shop.py", data, "test_shop.py::test_second", REASON.replace("12", "13"))
    reason = reason_of(13, datetime(2026, 12, 30, tzinfo=UTC))
    both = marked("test_shop.py", data, "test_shop.py::test_second", reason)
    left = unmarked("test_shop.py", both.data, 13)
    assert left == data
    other = unmarked("test_shop.py", both.data, 12)
    assert other is not None
    assert b"#13" in other
    assert b"import pytest\n" in other
    assert unmarked("test_shop.py", other, 13) == SHOP.encode()


@pytest.mark.parametrize(
    "text",
    [
        SHOP.replace("\n", "\r\n"),
        SHOP.replace("    ", "\t"),
        SHOP.removesuffix("\n"),
        "\ufeff" + SHOP,
        "# no import\n\n\ndef test_first():\n    pass\n",
        '"""Words."""\n\ndef test_first():\n    pass\n',
        "from __future__ import annotations\n\n\ndef test_first():\n    pass\n",
        "import pytest\n\n\ndef test_first():\n    pytest.fail()\n",
        "import os\n\nimport pytest\n\n\n@pytest.mark.slow\n@os.register\nasync def test_first():\n    pass\n",
    ],
    ids=["crlf", "tabs", "no end", "bom", "no import", "words", "future", "imported", "decorated"],
)
def test_other_bytes_stay(text: str) -> None:
    """Line ends, tabs, and what stands before the test are as they were."""
    shown = both_ways("test_shop.py", text, "test_shop.py::test_first")
    assert shown.count("\r\n") in {0, shown.count("\n")}


CASES = """\
import pytest


@pytest.mark.parametrize(("a", "b"), [(1, "x"), (2, "y"), pytest.param(3, "z", id="third")])
def test_pairs(a, b):
    assert a


@pytest.mark.parametrize("a, b", [
    (1, "x"),
    (2, "y"),
    pytest.param(3, "z", id="third"),
])
def test_names(a, b):
    assert a


@pytest.mark.parametrize("name", ["ada", "bob", object()], ids=["one", None, None])
def test_ids(name):
    assert name
"""


@pytest.mark.parametrize(
    ("test", "line"),
    [
        ("test_names[2-y]", '    pytest.param(2, "y", marks='),
        ("test_names[third]", '    pytest.param(3, "z", id="third", marks='),
        ("test_ids[bob]", '@pytest.mark.parametrize("name", ["ada", pytest.param("bob", marks='),
        ("test_ids[one]", '@pytest.mark.parametrize("name", [pytest.param("ada", marks='),
    ],
)
def test_one_parameter_of_several(test: str, line: str) -> None:
    """Only the parameter that was measured is marked, where its id says which one it is."""
    [new] = added("test_shop.py", CASES, f"test_shop.py::{test}")
    assert new.startswith(line)


@pytest.mark.parametrize("test", ["test_pairs[1-x]", "test_names[9-q]", "test_ids[name2]"])
def test_all_parameters(test: str) -> None:
    """Where that is not sure, the whole test is marked, and that is known."""
    both_ways("test_shop.py", CASES, f"test_shop.py::{test}")
    assert marked("test_shop.py", CASES.encode(), f"test_shop.py::{test}", REASON).whole


UNITTEST = """\
import os
import unittest


class Shop(unittest.TestCase):
    def test_open(self):
        self.assertTrue(os.name)
"""


def test_unittest() -> None:
    """A test that pytest runs stays one that runs; unittest itself can only leave it out."""
    found = marked("test_shop.py", UNITTEST.encode(), "test_shop.Shop.test_open", REASON)
    assert (found.kind, found.kind.runs) == (MarkKind.SKIP_METHOD, False)
    assert added("test_shop.py", UNITTEST, "test_shop.Shop.test_open") == snapshot(
        ['    @unittest.skip("flaky until 2026-12-30, see #12")']
    )
    assert "@pytest.mark.xfail(" in both_ways(
        "test_shop.py", UNITTEST, "test_shop.py::Shop::test_open"
    )


NODE = """\
import { describe, it, test } from "node:test";

test("opens", () => {});
test("closes", { timeout: 10 }, async () => {});
describe("cart", () => {
  it("opens", () => {});
});
"""
JEST = """\
describe("cart", () => {
\tit("opens", () => {
\t\texpect(1).toBe(1);
\t});
});
"""
GO = """\
package shop

import "testing"

func TestOpen(t *testing.T) {
\tif !Open() {
\t\tt.Fatal("closed")
\t}
}
"""


@pytest.mark.parametrize(
    ("path", "text", "test", "kind", "lines"),
    [
        ("a.test.mjs", NODE, "opens", "todo", ['test("opens", { todo: "flaky until 2026-12-30, see #12" }, () => {});']),
        ("a.test.mjs", NODE, "cart > opens", "todo", ['  it("opens", { todo: "flaky until 2026-12-30, see #12" }, () => {});']),
        ("a.test.mjs", NODE, "closes", "todo", ['test("closes", { todo: "flaky until 2026-12-30, see #12", timeout: 10 }, async () => {});']),
        ("a.test.ts", JEST, "a.test.ts > cart > opens", "skip", ["\t// flaky until 2026-12-30, see #12", '\tit.skip("opens", () => {']),
        ("a.test.ts", "import { test } from '@playwright/test';\ntest('x', () => {});\n", "x", "fixme", ["// flaky until 2026-12-30, see #12", "test.fixme('x', () => {});"]),
        ("a_test.go", GO, "example.com/shop.TestOpen", "t.Skip", ['\tt.Skip("flaky until 2026-12-30, see #12")']),
    ],
)  # fmt: skip
def test_other_runners(path: str, text: str, test: str, kind: str, lines: list[str]) -> None:
    """Each has its own way; with node:test's, the test still runs."""
    assert added(path, text, test) == lines
    assert marked(path, text.encode(), test, REASON).kind == kind


@pytest.mark.parametrize(
    ("path", "text", "test"),
    [
        ("test_a.py", "@pytest.mark.skip\ndef test_a():\n    pass\n", "test_a.py::test_a"),
        ("test_a.py", "def test_a():\n    pass\n", "test_a.py::test_b"),
        ("test_a.py", "if x:\n    def test_a(): pass\nelse:\n    def test_a(): pass\n", "test_a.py::test_a"),
        ("test_a.py", "def test_a(:\n", "test_a.py::test_a"),
        ("a.test.js", 'test.each([1])("opens", () => {});\n', "opens"),
        ("a.test.js", 'test.only("opens", () => {});\n', "opens"),
        ("a_test.go", GO, "shop.TestOpen/sub"),
        ("a.rb", "it 'opens'", "opens"),
    ],
)  # fmt: skip
def test_no_safe_edit(path: str, text: str, test: str) -> None:
    """Nothing is marked twice, or by guessing."""
    with pytest.raises(NoMark):
        marked(path, text.encode(), test, REASON)


def test_where_a_test_stands() -> None:
    """Ids of pytest, of its reports and of unittest lead to the file; others name it themselves."""
    paths = {"pkg/tests/test_a.py", "src/a.py", "web/a.test.ts"}
    assert path_of("pkg/tests/test_a.py::A::test_b[x.y]", None, paths) == "pkg/tests/test_a.py"
    assert path_of("pkg.tests.test_a.A::test_b[x/y]", "src/a.py", paths) == "pkg/tests/test_a.py"
    assert path_of("tests.test_a.A.test_b", None, paths) == "pkg/tests/test_a.py"
    assert path_of("cart > opens", "web/a.test.ts", paths) == "web/a.test.ts"
    assert path_of("cart > opens", "src/a.py", paths) == ""
    assert same_id("pkg/tests/test_a.py::A::test_b[x/y]") == same_id(
        "pkg.tests.test_a.A::test_b[x/y]"
    )
