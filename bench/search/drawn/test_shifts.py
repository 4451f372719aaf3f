from shifts import pay, worked


def test_worked():
    assert worked([("in", 480), ("out", 720), ("in", 780), ("out", 1020)]) == 480


def test_worked_open():
    assert worked([("in", 480), ("in", 500), ("out", 510), ("in", 600)]) == 30
    assert worked([("out", 100)]) == 0


def test_pay():
    assert pay(6, 1000) == 6000
    assert pay(10, 1000) == 11000


def test_pay_night():
    assert pay(4, 1000, 6) == 5000
