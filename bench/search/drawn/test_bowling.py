from bowling import bowling, standings


def test_bowling_plain():
    assert bowling([3, 4] * 10) == 70


def test_bowling_spare():
    assert bowling([5, 5, 3, 2] + [0] * 16) == 18


def test_bowling_strikes():
    assert bowling([10] * 12) == 300


def test_standings():
    assert standings([("a", "b", 2, 0), ("b", "c", 1, 1), ("c", "a", 3, 0)]) == ["c", "a", "b"]


def test_standings_by_goals():
    assert standings([("a", "x", 1, 0), ("b", "y", 4, 1)]) == ["b", "a", "x", "y"]
