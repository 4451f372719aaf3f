"""Amounts stay the same, whatever they are measured in."""

import pytest

from measures import IncompatibleUnits, UnknownUnit, convert


@pytest.mark.parametrize(
    ("amount", "unit", "to", "expected"),
    [
        (10, "mile", "kilometre", 16.09344),
        (5, "kilometre", "metre", 5000),
        (2, "pound", "gram", 907.18474),
        (10, "knot", "kilometre_per_hour", 18.52),
        (36, "kilometre_per_hour", "metre_per_second", 10),
    ],
)
def test_converts(amount, unit, to, expected):
    assert convert(amount, unit, to) == pytest.approx(expected)


def test_refuses_to_compare_miles_with_pounds():
    with pytest.raises(IncompatibleUnits):
        convert(1, "mile", "pound")


def test_says_which_unit_it_does_not_know():
    with pytest.raises(UnknownUnit, match="furlong"):
        convert(1, "furlong", "metre")
