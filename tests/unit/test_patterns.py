"""No regular expression takes longer than its text is long, however the text is written.

Times are compared with times, of the same expression on the same text at another length: what grows
faster than the text is found on any machine.
"""

from __future__ import annotations

import re

import pytest

from tests.unit.measured_patterns import fingerprint, measured, slow
from tests.unit.package_patterns import found
from tests.unit.pattern_attacks import superlinear

_PARTS = 4


def test_new_expressions_are_linear() -> None:
    """Whoever adds one that is not sees here which, and a text that shows it."""
    patterns, known = found(), measured()
    places = {each.place for each in patterns}
    assert len(places) > 400
    assert {
        "bot.ci.failures.runners.pytest_console._SUMMARY",
        "bot.redaction.TOKEN_SHAPES",
    } <= places
    assert list(slow([each for each in patterns if fingerprint(each) not in known])) == []


@pytest.mark.exhaustive  # measuring takes its time
@pytest.mark.parametrize("part", range(_PARTS))
def test_expressions_are_linear(part: int) -> None:
    assert list(slow(found()[part::_PARTS])) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "expression",
    [
        r"(a*)*b",
        r"(?:a|b|ab)*c",
        r"^(?P<name>\S.*?)\.{3,}(?:\(.*\))?Failed\n- hook id: (?P<id>\S+)\n",
        r"^(?:FAILED|SUBFAIL(?:ED)?(?:\(.*?\)|\[.*?\])*) (?P<id>[^\s\[:]+)$",
        r"(?m)^\s+File",
        r" +$",
        r"(\d+) passed",
        r"[\w.]+@[\w.]+\.com",
        r'"[^"]*;|a[^b]*c',
        r"No module named '(\w+)[\w.]*'",
        r"(?m)^x(?:.*\n)*?y",
    ],
)
def test_what_grows_faster_is_found(expression: str) -> None:
    pattern = re.compile(expression)
    assert superlinear(pattern, lambda text: list(pattern.finditer(text))) is not None


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "expression",
    [r"\d{4}-\d\d", r"(?<!\d)(\d+) passed", r"^\S+: .*$", r"(?m)^[ \t]+File", r"x.{0,100}?y"],
)
def test_what_does_not_is_left_alone(expression: str) -> None:
    pattern = re.compile(expression)
    assert superlinear(pattern, lambda text: list(pattern.finditer(text))) is None
