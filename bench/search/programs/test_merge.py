from merge import merge


def test_apart():
    assert merge([(5, 6), (1, 2)]) == [(1, 2), (5, 6)]


def test_overlapping():
    assert merge([(1, 4), (2, 6)]) == [(1, 6)]


def test_touching():
    assert merge([(1, 2), (2, 3)]) == [(1, 3)]


def test_inside():
    assert merge([(1, 10), (2, 3), (4, 5)]) == [(1, 10)]


def test_none():
    assert merge([]) == []
