from ledger import Ledger, rising


def test_move():
    ledger = Ledger()
    ledger.put("a", 100)
    assert ledger.move("a", "b", 40)
    assert ledger.balances == {"a": 60, "b": 40}
    assert not ledger.move("b", "a", 41)


def test_move_limit():
    ledger = Ledger(limit=10)
    assert ledger.move("a", "b", 10)
    assert not ledger.move("a", "b", 1)
    assert not ledger.move("b", "b", 1)


def test_undo():
    ledger = Ledger()
    ledger.put("a", 100)
    ledger.move("a", "b", 30)
    assert ledger.undo() == 30
    assert ledger.balances == {"a": 100, "b": 0}
    assert ledger.undo() == 100
    assert ledger.undo() is None


def test_rising():
    assert rising([1, 2, -1, 3, 1, 2]) == ((3, 6), 8)
    assert rising([], 5) == ((0, 0), 5)
