from integers import (
    digital_root,
    factors,
    fibonacci,
    gcd,
    in_base,
    is_perfect,
    is_prime,
    lcm,
    pascal,
    root,
    to_hanoi,
)


def test_gcd():
    assert gcd(12, 18) == 6
    assert gcd(7, 0) == 7
    assert gcd(13, 5) == 1
    assert gcd(-4, 6) == 2


def test_lcm():
    assert lcm(4, 6) == 12
    assert lcm(0, 3) == 0
    assert lcm(5, 0) == 0
    assert lcm(-2, 3) == 6


def test_prime():
    assert [n for n in range(30) if is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]


def test_factors():
    assert factors(12) == [2, 2, 3]
    assert factors(13) == [13]
    assert factors(1) == []
    assert factors(49) == [7, 7]


def test_in_base():
    assert in_base(10, 2) == "1010"
    assert in_base(255, 16) == "ff"
    assert in_base(0, 2) == "0"


def test_root():
    assert [root(n) for n in (0, 1, 3, 4, 8, 9, 99, 100)] == [0, 1, 1, 2, 2, 3, 9, 10]


def test_fibonacci():
    assert fibonacci(7) == [0, 1, 1, 2, 3, 5, 8]
    assert fibonacci(0) == []
    assert fibonacci(1) == [0]


def test_digital_root():
    assert digital_root(38) == 2
    assert digital_root(5) == 5
    assert digital_root(10) == 1


def test_pascal():
    assert pascal(5) == [[1], [1, 1], [1, 2, 1], [1, 3, 3, 1], [1, 4, 6, 4, 1]]
    assert pascal(0) == []


def test_perfect():
    assert [n for n in range(1, 500) if is_perfect(n)] == [6, 28, 496]
    assert not is_perfect(16)


def test_hanoi():
    assert to_hanoi(0) == []
    assert to_hanoi(2) == [("A", "B"), ("A", "C"), ("B", "C")]
    assert len(to_hanoi(4)) == 15
