from billing import shared, total_of


def test_total():
    assert total_of([(1000, 2, 400), (250, 1, 300)], 10, 5000) == 2025 + 350


def test_total_free():
    assert total_of([(1000, 6, 400)], 0, 5000) == 6000


def test_total_ignores_none():
    assert total_of([(1000, 0, 400), (500, 1, 0)], 0, 500) == 500


def test_shared():
    assert shared(100, ["ann", "bob", "cyd"]) == {"ann": 34, "bob": 33, "cyd": 33}
    assert shared(9, ["ann", "bob"]) == {"ann": 5, "bob": 4}


def test_shared_by_nobody():
    assert shared(10, []) == {}
