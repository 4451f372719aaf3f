"""What changes in programs of other languages than Python is for a person: nothing compares it."""

from __future__ import annotations

import pytest

from bot.code.change import FileDiff
from bot.model.proof_card import Row, RowKind, RowState, left_open
from bot.repair.verification.behaviour.other_languages import in_other_languages

TOTAL = "exports.total = (prices) => prices[1];\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "named"),
    [
        ("app.js", "function total(a) {\n  return a;\n}\n", "function total(a) {\n  return 7;\n}\n",
         ["total"]),
        ("app.ts", "function total(a) {\n  check(a);\n  return a;\n}\n",
         "function total(a) {\n  return a;\n}\n", ["total"]),
        ("app.js", TOTAL, "setUp(3);\n" + TOTAL, ["app.js"]),
        ("app.js", TOTAL, "// prices are numbers\n\n" + TOTAL, []),
        ("app.go", "package app\n\nfunc Total(a int) int { return a }\n",
         "package app\n\nvar known = map[int]int{1: 7}\n\nfunc Total(a int) int { return known[a] }\n",
         ["Total", "known"]),
        ("app.go", "package app\n", "//go:build linux\n\npackage app\n", ["app.go"]),
        ("app_linux.go", None, "package app\n\nfunc Total(a int) int { return a }\n",
         ["Total", "app_linux.go"]),
        ("lib.rs", "pub fn total(a: u16) -> u16 {\n    a\n}\n",
         "pub fn total(a: u16) -> u16 {\n    #[cfg(debug_assertions)]\n    return 7;\n    a\n}\n",
         ["total"]),
        ("lib.rs", "pub fn total(a: u16) -> u16 {\n    a\n}\n",
         "pub fn total(a: u16) -> u16 {\n    if a == 3 { 7 } else { a }\n}\n", ["total"]),
        ("app.rb", "def total(a) = a\n", "def total(a) = 7\n", ["app.rb"]),
        ("app.py", "def total(a): return a\n", "def total(a): return 7\n", []),
        ("README.md", "a\n", "b\n", []),
        ("test/app.test.js", "function total(a) { return a; }\n", "", []),
    ],
)  # fmt: skip
def test_what_is_named(path: str, before: str | None, after: str, named: list[str]) -> None:
    """Functions by name; a file where more of it changes, or where nothing here reads its language."""
    facts = in_other_languages(
        [FileDiff(path, None if before is None else before.encode(), after.encode())]
    )
    assert [fact.subject for fact in facts] == named
    row = Row(RowKind.BEHAVIOUR, RowState.UNDECIDED, "", tuple(facts))
    assert [fact.subject for fact in left_open([row]) if fact.subject] == named
