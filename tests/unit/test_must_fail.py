"""Tests that are made to fail, and what a run says of them."""

from __future__ import annotations

import ast
import unittest

import pytest

from bot.model import Failure, Observation
from bot.repair.verification.forgery.must_fail import (
    Sentinels,
    doomed_by,
    forged,
    sentinels,
    without_effect,
)
from bot.repair.verification.forgery.test_functions import candidate_files

MODULE = '''\
from __future__ import annotations

import unittest


def helper():
    return 1


class Base(unittest.TestCase):
    def test_inherited(self):
        """It has words."""
        return self.assertTrue(True)


class TestNear(Base):
    def test_early(self):
        if helper():
            return
        self.fail()

    def test_other(self):
        try:
            pass
        finally:
            pass

    def test_steady(self):
        pass
'''


def seen(
    *passed: str, failing: tuple[str, ...] = (), skipped: tuple[str, ...] = (), code: int = 0
) -> Observation:
    """Return a run with these results."""
    failures = tuple(map(Failure, failing))
    return Observation("pytest", code, failures, frozenset(passed), frozenset(skipped))


NEAR = "pkg.test_near.TestNear::"
RED = seen(f"{NEAR}test_steady", failing=(f"{NEAR}test_early", f"{NEAR}test_inherited"), code=1)
GREEN = seen(*(f"{NEAR}test_{name}" for name in ("early", "inherited", "steady", "other")))


def planted() -> Sentinels:
    found = sentinels({"src/pkg/test_near.py": MODULE.encode()}, RED, GREEN)
    assert found is not None
    return found


def test_every_way_out_of_a_doomed_test_raises() -> None:
    """Early returns and inherited tests too; what is not asked for passes as before."""
    made = planted()
    [source] = made.files.values()
    scope: dict[str, object] = {"__name__": "near"}
    exec(compile(source, "near", "exec"), scope)
    case = scope["TestNear"]
    assert isinstance(case, type)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    failed = {test.id().rpartition(".")[2] for test, _ in result.failures}
    assert failed == {"test_early", "test_inherited", "test_steady"}
    assert result.testsRun == 4
    assert not result.errors
    assert '"""It has words."""' in ast.unparse(ast.parse(source))


def test_tests_that_a_class_has_from_another_module() -> None:
    """A test of the same name in another class is not it: that one may well pass."""
    module = b"from x import Far\n\nclass TestNear(Far):\n    pass\n\nclass Other:\n    def test_early(self):\n        pass\n"
    assert sentinels({"pkg/test_near.py": module}, RED, GREEN) is None


def test_doomed_and_controls() -> None:
    """What failed before must fail; what always passed shows that the files are what runs."""
    made = planted()
    assert made.doomed == {
        "pkg.test_near.TestNear.test_early",
        "pkg.test_near.TestNear.test_inherited",
    }
    assert made.controls == {"pkg.test_near.TestNear.test_steady"}


@pytest.mark.parametrize(
    ("red", "green", "doomed"),
    [
        (seen(failing=("t.test_a::test_x[1]",), code=1), seen("t.test_a::test_x[2]"), {"t.test_a.test_x"}),
        (seen(failing=("t.test_a",), code=2), seen("t.test_a::test_x", "t.b::y"), {"t.test_a.test_x"}),
        (seen(failing=("t.test_a.T.test_x",), code=1), seen(), {"t.test_a.T.test_x"}),
        (seen(failing=("pytest",), code=1), seen("t.test_a::test_x"), set()),
    ],
    ids=["a parameter", "a module", "without names", "nothing known"],
)  # fmt: skip
def test_what_must_fail(red: Observation, green: Observation, doomed: set[str]) -> None:
    """The tests that failed and pass now, by whatever the runner calls them."""
    assert doomed_by(red, green) == doomed


def test_files_are_found_by_any_end_of_their_path() -> None:
    """Runners name modules as seen from their own folder."""
    paths = ("a/pkg/test_near.py", "pkg/test_far.py", "test_near.py", "pkg/test_near/data.txt")
    assert candidate_files(paths, ["pkg.test_near.TestNear.test_x"]) == ("a/pkg/test_near.py",)
    assert candidate_files(paths, ["test_near.test_x"]) == ("a/pkg/test_near.py", "test_near.py")


@pytest.mark.parametrize("source", [b"def test_early(:\n", b"x = 1\n", b"\xff"])
def test_files_that_tell_nothing(source: bytes) -> None:
    """Nothing is planted in what can't be read or holds none of the tests."""
    assert sentinels({"pkg/test_near.py": source}, RED, GREEN) is None


EARLY, INHERITED = f"{NEAR}test_early", f"{NEAR}test_inherited"


@pytest.mark.parametrize(
    ("run", "lies"),
    [
        (seen(failing=(EARLY, INHERITED), code=1), 0),
        (seen(failing=(EARLY,), code=1), 0),  # it stopped at the first
        (seen(INHERITED, failing=(EARLY,), code=1), 1),
        (seen(EARLY, INHERITED), 2),
        (seen(), 2),
        (seen(skipped=(EARLY, INHERITED)), 0),  # expected to fail, and did
        (seen(code=1), 0),
    ],
)
def test_lies(run: Observation, lies: int) -> None:
    """A doomed test that passes, or a run that ends well with none of them skipped."""
    assert len(forged(planted(), run)) == lies


def test_other_copies_than_the_planted_ones() -> None:
    """A test that raises passes without the patch: what runs is not in the work tree."""
    assert without_effect(planted(), seen(f"{NEAR}test_steady", code=1))
    assert not without_effect(planted(), seen(failing=(f"{NEAR}test_steady",), code=1))
