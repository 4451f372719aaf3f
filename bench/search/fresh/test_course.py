import pytest

from course import (
    by_age,
    checksum,
    digits,
    grade,
    median,
    search,
    top,
    unique_months,
    without_repeats,
)


@pytest.mark.parametrize(
    "numbers", [(1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1)]
)
def test_median(numbers):
    assert median(*numbers) == 2


def test_median_of_equal_ones():
    assert median(2, 2, 3) == 2
    assert median(5, 1, 5) == 5
    assert median(4, 4, 4) == 4


def test_grade():
    limits = (90, 80, 70, 60)
    assert grade(95, limits) == "A"
    assert grade(80, limits) == "B"
    assert grade(79, limits) == "C"
    assert grade(60, limits) == "D"
    assert grade(12, limits) == "F"


def test_checksum():
    assert checksum("") == " "
    assert checksum("abc") == "F"
    assert checksum("Hello world!") == "="


def test_digits():
    assert digits(1234) == [4, 3, 2, 1]
    assert digits(0) == [0]
    assert digits(10) == [0, 1]
    assert digits(-56) == [6, -5]
    assert digits(-7) == [-7]


def test_search():
    assert search(5, [1, 5, 10]) == 1
    assert search(7, [1, 5, 10]) == 2
    assert search(12, [1, 5, 10]) == 3
    assert search(0, []) == 0
    assert search(-1, [1]) == 0


def test_unique_months():
    assert unique_months([(1, 3), (1, 4), (2, 3)], 1)
    assert not unique_months([(1, 3), (1, 3)], 1)
    assert unique_months([(1, 3), (1, 3), (2, 9)], 2)


def test_without_repeats():
    assert without_repeats([1, 1, 2, 3, 2]) == [1, 2, 3]
    assert without_repeats([]) == []


def test_by_age():
    assert by_age([("a", 3), ("b", 9), ("c", 5)]) == [("b", 9), ("c", 5), ("a", 3)]
    assert by_age([("a", 3), ("b", 3)]) == [("a", 3), ("b", 3)]
    assert by_age([]) == []


def test_top():
    values = [4, 1, 9, 4, 2]
    assert top(values, 3) == [9, 4, 4]
    assert values == [4, 1, 9, 4, 2]
    assert top([1], 3) == [1]
    assert top([3, 5], 0) == []
