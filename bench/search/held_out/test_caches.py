import pytest
from caches import LRU, Expiring, memoized, retried


def test_lru_keeps_what_was_used():
    cache = LRU(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert cache.get("b") is None
    assert cache.get("a") == 1
    assert cache.get("c") == 3


def test_lru_put_again():
    cache = LRU(2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.put("a", 9)
    cache.put("c", 3)
    assert cache.get("a") == 9
    assert cache.get("b", "gone") == "gone"


def test_lru_counts():
    cache = LRU(3)
    cache.put("a", 1)
    cache.get("a")
    cache.get("b")
    cache.get("b")
    assert (cache.hits, cache.misses) == (1, 2)


class Clock:
    now = 0

    def __call__(self):
        return self.now


def test_expiring():
    clock = Clock()
    cache = Expiring(10, clock)
    cache.put("a", 1)
    clock.now = 9
    assert cache.get("a") == 1
    assert len(cache) == 1
    clock.now = 10
    assert len(cache) == 0
    assert cache.get("a") is None
    assert cache.kept == {}
    assert cache.get("never") is None


def test_memoized():
    calls = []

    @memoized
    def add(a, b):
        calls.append((a, b))
        return a + b

    assert [add(1, 2), add(1, 2), add(2, 1)] == [3, 3, 3]
    assert calls == [(1, 2), (2, 1)]
    assert add.__name__ == "add"


def test_memoized_functions_do_not_mix():
    one = memoized(lambda x: x + 1)
    two = memoized(lambda x: x + 2)
    assert (one(1), two(1)) == (2, 3)


def failing(count, error=ValueError):
    left = [error] * count

    def act(value):
        if left:
            raise left.pop()("no")
        return value

    return act


def test_retried():
    assert retried(3)(failing(2))(5) == 5
    with pytest.raises(ValueError):
        retried(2)(failing(2))(5)


def test_retried_only_on_these_errors():
    with pytest.raises(KeyError):
        retried(3, (ValueError,))(failing(1, KeyError))(5)
