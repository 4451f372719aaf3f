import pytest
from choices import brackets, combinations, fewest_coins, partitions, permutations, queens


def test_permutations():
    assert permutations([1, 2, 3]) == [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]]
    assert permutations([]) == [[]]


def test_combinations():
    assert combinations([1, 2, 3], 2) == [[1, 2], [1, 3], [2, 3]]
    assert combinations([1, 2], 0) == [[]]
    assert combinations([1], 2) == []


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 0), (3, 0), (4, 2), (5, 10), (6, 4)])
def test_queens(size, count):
    assert len(queens(size)) == count


def test_queens_of_four():
    assert queens(4) == [[1, 3, 0, 2], [2, 0, 3, 1]]


def test_partitions():
    assert [partitions(n) for n in range(8)] == [1, 1, 2, 3, 5, 7, 11, 15]


def test_fewest_coins():
    assert fewest_coins(11, [1, 2, 5]) == 3
    assert fewest_coins(6, [1, 3, 4]) == 2
    assert fewest_coins(3, [2]) == -1
    assert fewest_coins(0, [2]) == 0


def test_brackets():
    assert brackets(2) == ["(())", "()()"]
    assert len(brackets(4)) == 14
    assert brackets(0) == [""]
