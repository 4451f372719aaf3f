from limits import Window, delays


def test_allow():
    window = Window(2, 10)
    assert [window.allow("a", at) for at in (0, 1, 2, 10, 11)] == [True, True, False, True, True]


def test_allow_each():
    window = Window(1, 10)
    assert window.allow("a", 0)
    assert window.allow("b", 0)
    assert not window.allow("a", 9)


def test_wait():
    window = Window(1, 10)
    assert window.wait("a", 3) == 0
    window.allow("a", 3)
    assert window.wait("a", 5) == 8


def test_delays():
    assert delays(5, 1, 3, 20) == ([1, 3, 9, 20], 33)
    assert delays(1) == ([], 0)
