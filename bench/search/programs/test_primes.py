from primes import primes_below


def test_small():
    assert primes_below(10) == [2, 3, 5, 7]


def test_limit_itself_is_out():
    assert primes_below(13) == [2, 3, 5, 7, 11]


def test_none():
    assert primes_below(2) == []
    assert primes_below(0) == []


def test_squares():
    assert primes_below(50) == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47]
