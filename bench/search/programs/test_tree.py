from tree import built, height, in_order


def test_empty():
    assert height(None) == 0
    assert list(in_order(None)) == []


def test_order():
    assert list(in_order(built([3, 1, 2, 5, 4]))) == [1, 2, 3, 4, 5]


def test_no_repeats():
    assert list(in_order(built([2, 2, 1]))) == [1, 2]


def test_height():
    assert height(built([2, 1, 3])) == 2
    assert height(built([1, 2, 3, 4])) == 4
