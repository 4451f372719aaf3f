from signals import peaks, smoothed, thermostat


def test_smoothed():
    assert smoothed([1, 2, 6, 3], 3) == [1.5, 3.0, 11 / 3, 4.5]


def test_peaks():
    assert peaks([1, 3, 2, 5, 5, 4, 9]) == [1]
    assert peaks([0, 2, 0, 5, 1], 2) == [3]


def test_thermostat():
    assert thermostat([18, 20, 22, 21, 18.5], 20) == [True, True, False, False, True]
