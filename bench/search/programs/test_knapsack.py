from knapsack import best_value, common


def test_nothing():
    assert best_value([], 5) == 0


def test_once_only():
    assert best_value([(2, 3)], 5) == 3


def test_choice():
    assert best_value([(1, 1), (3, 4), (4, 5), (5, 7)], 7) == 9
    assert best_value([(5, 10), (4, 40), (6, 30), (3, 50)], 10) == 90


def test_common():
    assert common("", "a") == 0
    assert common("abc", "abc") == 3
    assert common("headache", "pentadactyl") == 3
    assert common("ab", "ba") == 1
