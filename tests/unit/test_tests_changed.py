"""What a change does to tests and checks is read, for a person to judge."""

from __future__ import annotations

import pytest

from bot.code.change import FileDiff
from bot.model import Observation
from bot.model.proof_card import FactKind
from bot.repair.verification.tests_changed import tests_changed

RAN = Observation("make test", 0)
TEST = b"from app import f\n\n\ndef test_f():\n    assert f(1) == 2\n    assert f(2) == 3\n"


@pytest.mark.parametrize(
    ("change", "subjects"),
    [
        (FileDiff("test_app.py", TEST, TEST.replace(b"== 3", b"== 4")), ["expected-changed"]),
        (FileDiff("test_app.py", TEST, TEST.replace(b"    assert f(2) == 3\n", b"")), ["assertion-removed"]),
        (FileDiff("test_app.py", TEST, TEST + b"    assert f(3) == 4\n"), []),
        (FileDiff("app.py", b"a = f()\n", b"a = f()  # type: ignore\n"), ["suppression-added"]),
        (FileDiff("app.py", b"a = f()\n", b"from typing import cast\na = cast(int, f())\n"), ["cast"]),
        (FileDiff("app.py", b"def f(a: int): ...\n", b"def f(a: Any): ...\n"), ["cast"]),
        (FileDiff("app.py", b"def f(a) -> int:\n    b()\n", b"def f(a) -> Any:\n    b()\n"), ["cast"]),
        (FileDiff("app.py", b"def f(a) -> Any:\n    b()\n", b"def f(a) -> Any:\n    c()\n"), []),
        (FileDiff("app.ts", b"const a = f();\n", b"const a = f() as number;\n"), ["cast"]),
        (FileDiff("app.ts", b"let a: number = f();\n", b"let a: any = f();\n"), ["cast"]),
        (FileDiff("app.pyi", b"def f() -> int: ...\n", b"def f() -> str: ...\n"), ["stub"]),
        (FileDiff("mypy.ini", b"[mypy]\nstrict = true\n", b"[mypy]\nstrict = false\n"), ["check-relaxed"]),
        (FileDiff("app.py", b"a = 1\n", b"a = 2\n"), []),
    ],
)  # fmt: skip
def test_what_is_told(change: FileDiff, subjects: list[str]) -> None:
    """Weaker tests, relaxed rules, suppressions, casts and stubs; not what demands more."""
    facts = tests_changed([change], RAN, RAN)
    assert [fact.subject for fact in facts] == subjects
    assert {fact.kind for fact in facts} <= {FactKind.NOT_JUDGED}


def test_tests_with_other_names() -> None:
    """A test that is gone is told with the one that is likely in its place; else the runs tell it."""
    before = Observation("t", 0, passed=frozenset({"a.test_one", "a.test_something_else"}))
    after = Observation("t", 0, passed=frozenset({"a.test_one_more"}))
    (fact,) = tests_changed([], before, after)
    assert fact.subject == "a.test_one"
