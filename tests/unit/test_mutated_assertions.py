"""Assertions that are turned round fail if they held, and failures are repeated as they were."""

from __future__ import annotations

import textwrap
import traceback
import unittest

import pytest

from bot.ci.failures.registry import read
from bot.model import Failure, Observation
from bot.repair.verification.forgery.must_fail import (
    Inversion,
    Sentinels,
    reached,
    sentinels,
)

SETTING = '''\
import contextlib
import unittest

import pytest
from unittest.mock import ANY


class T(unittest.TestCase):
    def test_x(self):
        """It has words;
and more."""
        value = [1, "a"]
        text = """
one
  two"""
'''

HELD = [
    "assert value == [1, 'a']",
    "assert(value)",
    "assert value[0] == 1 and len(text) > 3, 'said'",
    "assert (value[0]\n    == 1)",
    "assert text == ('\\none\\n'\n    '  two')",
    "assert any(one == 'a' for one in value)",
    "assert {'k': value} == {'k': [1, 'a']}",
    "assert 1.0 == value[0]",
    "assert value == list(value)",
    "self.assertEqual(value, [1, 'a'])",
    "self.assertEqual([1, 'a'], value, 'said')",
    "self.assertEqual(text, text)",
    "self.assertListEqual(value, list(value))",
    "self.assertTupleEqual((1,), tuple(value[:1]))",
    "self.assertSequenceEqual(value, tuple(value))",
    "self.assertSetEqual({1}, set(value[:1]))",
    "self.assertDictEqual({1: 2}, {1: 2})",
    "self.assertCountEqual(value, ['a', 1])",
    "self.assertMultiLineEqual(text, text)",
    "self.assertNotEqual(value, text)",
    "self.assertTrue(value or\n    text)",
    "self.assertFalse(not value)",
    "self.assertIs(value, value)",
    "self.assertIsNot(value, text)",
    "self.assertIsNone(None)",
    "self.assertIsNotNone(value)",
    "self.assertIn('a', value)",
    "self.assertNotIn('b', value)",
    "self.assertIsInstance(text, str)",
    "self.assertNotIsInstance(text, int)",
    "self.assertGreater(2, 1)",
    "self.assertGreaterEqual(2, 2)",
    "self.assertLess(1, 2)",
    "self.assertLessEqual(2, 2)",
    "self.assertRegex(text, 'o.e')",
    "self.assertNotRegex(text, 'x')",
    "with self.assertRaises(KeyError):\n    {}[text]",
    "with pytest.raises((KeyError, IndexError), match='one'):\n    {}[text]",
    "self.assertRaises(KeyError, lambda: {}[text])",
    "for one in value:\n    self.assertIn(one, value)",
]


def planted(source: str, turn: Inversion, failure: Failure | None = None) -> tuple[str, str] | None:
    """Return a file whose test can't pass, and the one that shows whether it gets there."""
    red = Observation("u", 1, (failure or Failure("test_file.T.test_x"),))
    green = Observation("u", 0, passed=frozenset({"test_file.T.test_x"}))
    made = sentinels({"test_file.py": source.encode()}, red, green, turn)
    if made is None:
        return None
    [text] = made.files.values()
    return text.decode(), "".join(item.decode() for item in made.proof.values())


def outcome(source: str) -> unittest.TestResult:
    """Run the file's tests."""
    scope: dict[str, object] = {"__name__": "file"}
    exec(compile(source, "/w/test_file.py", "exec"), scope)
    case = scope["T"]
    assert isinstance(case, type)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun == 1
    return result


def in_setting(held: str) -> str:
    """Return a test of this assertion."""
    return SETTING + textwrap.indent(held, " " * 8) + "\n"


@pytest.mark.parametrize("held", HELD)
def test_what_held_fails(held: str) -> None:
    """In every turn that there is for it, and on the same lines."""
    source = in_setting(held)
    assert outcome(source).wasSuccessful()
    for turn in (Inversion.BROKEN, Inversion.OTHER_VALUE, Inversion.REPEATED):
        made = planted(source, turn)
        assert made is not None
        assert not outcome(made[0]).wasSuccessful(), made[0]
        if turn is not Inversion.REPEATED:
            assert len(made[0].splitlines()) == len(source.splitlines())
            assert not outcome(made[1]).wasSuccessful(), made[1]


@pytest.mark.parametrize(
    "left",
    [
        "self.assertAlmostEqual(1.0, 1.1, delta=9)",
        "self.assertTrue(*value)",
        "try:\n    assert value == [1, 'a']\nexcept AssertionError:\n    pass",
        "def inner():\n    assert value",
        "pytest.raises(ValueError)",
    ],
)
def test_what_may_hold_all_the_same_is_left(left: str) -> None:
    """A failure that is caught or asked for, what isn't reached."""
    for turn in (Inversion.BROKEN, Inversion.OTHER_VALUE):
        assert planted(in_setting(left), turn) is None


@pytest.mark.parametrize("held", ["assert value == ANY", "self.assertEqual(ANY, value)"])
def test_what_equals_everything_has_no_other_value(held: str) -> None:
    """It can't hold instead."""
    broken = planted(in_setting(held), Inversion.BROKEN)
    assert broken is not None
    assert planted(in_setting(held), Inversion.OTHER_VALUE) == broken


def test_an_assertion_that_is_not_reached() -> None:
    """The error in its place is not raised either, so nothing is said of it."""
    made = planted(in_setting("if not value:\n    assert text"), Inversion.BROKEN)
    assert made is not None
    assert outcome(made[0]).wasSuccessful()
    assert outcome(made[1]).wasSuccessful()
    doomed = Sentinels({}, frozenset({"t.a", "t.b"}))
    assert reached(doomed, ["t.a", "t.b"], Observation("u", 1, (Failure("t::b"),))) == ("t.b",)


def test_another_assertion() -> None:
    """One of another form rather than the one that failed, and only one."""
    held = "assert value\nassert text\nself.assertIn('a', value)\nassert value[0]"
    made = planted(in_setting(held), Inversion.ELSEWHERE)
    assert made is not None
    assert "self.assertIn(('a', 0)[1], (value, ())[1])" in made[0]
    assert made[0].count("assert ") == 3
    assert planted(in_setting("assert value"), Inversion.ELSEWHERE) is None


@pytest.mark.parametrize(
    ("failing", "text"),
    [
        ("self.assertEqual(value, [2])", None),
        ("self.assertMultiLineEqual(text, 'a\\nb')", None),
        ("{}['k']", None),
        ("int('x')", None),
        ("b'\\xff'.decode()", "AssertionError"),
        ("__import__('json').loads('{')", "json.decoder.JSONDecodeError"),
        ("self.fail()", None),
    ],
)
def test_a_failure_is_repeated(failing: str, text: str | None) -> None:
    """Type, message and line are those that were seen, for whoever looks at the exception."""
    before = outcome(in_setting(failing))
    [(_, account)] = before.failures + before.errors
    console = f"{'=' * 70}\nFAIL: test_x (test_file.T.test_x)\n{'-' * 70}\n{account}\n{'-' * 70}\n"
    console += "Ran 1 test in 0.1s\n\nFAILED (failures=1)\n"
    [failure] = read(console, failed=True, command="u").failing
    made = planted(in_setting("value.append(2)"), Inversion.REPEATED, failure)
    assert made is not None
    after = outcome(made[0])
    [(_, again)] = after.failures + after.errors
    if text is None:
        assert again.splitlines()[-1] == account.splitlines()[-1]
        assert " line 16, in test_x" in account
        assert " line 16, in test_x" in again
    else:
        assert again.splitlines()[-1].startswith(text)


def test_a_failure_of_pytest_is_repeated() -> None:
    """Its account has the exception behind `E`, and the place below."""
    detail = (
        "self = <test_file.T testMethod=test_x>\n\n    def test_x(self):\n>       assert value == 3, 'why'\n"
        "E       AssertionError: why\nE         so\nE       assert 4 == 3\n\ntest_file.py:16: AssertionError"
    )
    failure = Failure("test_file.T::test_x", message="AssertionError: why", detail=detail)
    made = planted(in_setting("value.append(2)"), Inversion.REPEATED, failure)
    assert made is not None
    with pytest.raises(AssertionError, match=r"^why\n  so\nassert 4 == 3$") as raised:
        exec(compile(f"{made[0]}\nT('test_x').debug()", "test_file.py", "exec"), {})
    assert traceback.extract_tb(raised.tb)[-1].lineno == 16
