from change import ways


def test_nothing():
    assert ways(0, [1, 2]) == 1


def test_one_coin():
    assert ways(4, [2]) == 1
    assert ways(3, [2]) == 0


def test_some():
    assert ways(4, [1, 2]) == 3
    assert ways(10, [2, 5, 3, 6]) == 5
