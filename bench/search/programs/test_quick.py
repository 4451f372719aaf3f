from quick import kth, merged, quick_sorted


def test_quick():
    assert quick_sorted([]) == []
    assert quick_sorted([3, 1, 2]) == [1, 2, 3]
    assert quick_sorted([2, 1, 2, 1]) == [1, 1, 2, 2]


def test_merged():
    assert merged([1, 4], [2, 3]) == [1, 2, 3, 4]
    assert merged([], [1]) == [1]
    assert merged([1, 2], []) == [1, 2]
    assert merged([1, 1], [1]) == [1, 1, 1]


def test_kth():
    assert kth([5], 0) == 5
    assert kth([3, 1, 2], 1) == 2
    assert kth([7, 7, 1, 9], 3) == 9
    assert kth([4, 2, 9, 7, 5, 6], 4) == 7
