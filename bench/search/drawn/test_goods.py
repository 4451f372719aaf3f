import pytest
from goods import Store, reorder


def test_take_oldest_first():
    store = Store()
    store.receive("milk", 3, 20)
    store.receive("milk", 2, 10)
    assert store.take("milk", 4, 5) == [(10, 2), (20, 2)]
    assert store.on_hand("milk") == 1


def test_take_not_expired():
    store = Store()
    store.receive("milk", 2, 10)
    store.receive("milk", 2, 30)
    assert store.take("milk", 2, 11) == [(30, 2)]
    assert store.take("milk", 1, 11) == []


def test_receive_nothing():
    with pytest.raises(ValueError):
        Store().receive("milk", 0, 1)


def test_reorder():
    assert reorder({"a": 10, "b": 2, "c": 9}, {"a": 14, "c": 7}, 7) == {"a": 4, "b": 3}
