import pytest
from streams import alternating, changes, chunks, deep, running_mean, windows


def test_chunks():
    assert list(chunks(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(chunks(range(4), 2)) == [[0, 1], [2, 3]]
    assert list(chunks([], 3)) == []


def test_chunks_need_a_size():
    with pytest.raises(ValueError):
        list(chunks([1], 0))


def test_windows():
    assert list(windows("abcd", 2)) == [("a", "b"), ("b", "c"), ("c", "d")]
    assert list(windows([1, 2], 2)) == [(1, 2)]
    assert list(windows([1], 2)) == []


def test_alternating():
    assert list(alternating("abc", [1], "xy")) == ["a", 1, "x", "b", "y", "c"]
    assert list(alternating()) == []
    assert list(alternating([], [1, 2])) == [1, 2]


def test_deep():
    assert list(deep([1, [2, [3, []], 4], "ab"])) == [1, 2, 3, 4, "ab"]


def test_changes():
    assert list(changes([1, 1, 2, 2, 1])) == [1, 2, 1]
    assert list(changes([None, None])) == [None]


def test_running_mean():
    assert list(running_mean([2, 4, 9])) == [2, 3, 5]
    assert list(running_mean([1, 2])) == [1, 1.5]
