from seats import booked, together


def test_together():
    assert together("x..x...", 3) == 4
    assert together("..x", 2) == 0
    assert together("x.x.", 2) == -1


def test_booked():
    assert booked(["..", "...."], [("a", 3), ("b", 2)]) == (["bb", "aaa."], [])


def test_booked_without():
    assert booked(["..."], [("a", 2), ("b", 2), ("c", 1)]) == (["aac"], ["b"])
