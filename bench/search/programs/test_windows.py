from windows import averages, best_sum, longest_rise


def test_best_sum():
    assert best_sum([4, -5, 2, 1, -1, 3]) == 5
    assert best_sum([-1, -2]) == 0
    assert best_sum([]) == 0


def test_averages():
    assert averages([1, 2, 3, 4], 2) == [1.5, 2.5, 3.5]
    assert averages([1, 2], 2) == [1.5]
    assert averages([1], 2) == []


def test_longest_rise():
    assert longest_rise([1, 2, 2, 3, 4]) == 3
    assert longest_rise([3, 2, 1]) == 1
    assert longest_rise([]) == 0
    assert longest_rise([0, 1]) == 2
