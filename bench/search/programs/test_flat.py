from flat import flat


def test_flat_already():
    assert flat([1, 2]) == [1, 2]


def test_nested():
    assert flat([1, [2, [3, []]], 4]) == [1, 2, 3, 4]


def test_empty():
    assert flat([]) == []
