import pytest

from sorting import (
    bubble_sorted,
    counting_sorted,
    first_at_least,
    greatest_sum,
    in_rotated,
    insertion_sorted,
    longest_increasing,
    merge_sorted,
    partitioned,
    permutations,
)

LISTS = [[], [1], [2, 1], [3, 1, 2], [5, 2, 8, 2, 9, 1], [1, 2, 3], [4, 4, 4]]


@pytest.mark.parametrize("values", LISTS)
def test_insertion(values):
    assert insertion_sorted(values) == sorted(values)


@pytest.mark.parametrize("values", LISTS)
def test_merge(values):
    assert merge_sorted(values) == sorted(values)


@pytest.mark.parametrize("values", LISTS)
def test_counting(values):
    assert counting_sorted(values, 9) == sorted(values)


def test_bubble():
    assert bubble_sorted([3, 1, 2]) == ([1, 2, 3], 2)
    assert bubble_sorted([4, 3, 2, 1]) == ([1, 2, 3, 4], 6)
    assert bubble_sorted([]) == ([], 0)
    assert bubble_sorted([1, 1]) == ([1, 1], 0)


def test_first_at_least():
    assert first_at_least([1, 3, 3, 5], 3) == 1
    assert first_at_least([1, 3, 3, 5], 4) == 3
    assert first_at_least([1, 3], 9) == 2
    assert first_at_least([], 1) == 0


def test_in_rotated():
    values = [6, 7, 9, 1, 2, 4]
    assert [in_rotated(values, value) for value in values] == [0, 1, 2, 3, 4, 5]
    assert in_rotated(values, 5) == -1
    assert in_rotated([], 5) == -1
    assert in_rotated([1, 2, 3], 3) == 2


def test_greatest_sum():
    assert greatest_sum([4, -5, 2, 1, -1, 3]) == 5
    assert greatest_sum([-1, -2]) == 0
    assert greatest_sum([3, -1, 2]) == 4
    assert greatest_sum([]) == 0


def test_longest_increasing():
    assert longest_increasing([4, 1, 5, 3, 7, 6, 2]) == 3
    assert longest_increasing([2, 2, 2]) == 1
    assert longest_increasing([]) == 0


def test_permutations():
    assert permutations([1, 2, 3]) == [
        [1, 2, 3],
        [1, 3, 2],
        [2, 1, 3],
        [2, 3, 1],
        [3, 1, 2],
        [3, 2, 1],
    ]
    assert permutations([]) == [[]]


def test_partitioned():
    assert partitioned([3, 1, 4, 1, 5], 3) == ([1, 1], [3], [4, 5])
