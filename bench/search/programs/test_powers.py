from powers import power


def test_small():
    assert power(2, 3, 100) == 8


def test_modulus():
    assert power(3, 5, 7) == 5


def test_zero():
    assert power(5, 0, 3) == 1
    assert power(5, 0, 1) == 0


def test_large():
    assert power(7, 222, 13) == pow(7, 222, 13)
