from bisection import place


def test_inside():
    assert place([1, 3, 5, 7], 5) == 2


def test_between():
    assert place([1, 3, 5, 7], 4) == 2


def test_front():
    assert place([1, 3, 5], 0) == 0


def test_end():
    assert place([1, 3, 5], 9) == 3


def test_repeated():
    assert place([2, 2, 2], 2) == 0


def test_empty():
    assert place([], 1) == 0
