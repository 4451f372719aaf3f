from roman import to_number, to_roman


def test_to_number():
    assert to_number("III") == 3
    assert to_number("IV") == 4
    assert to_number("MCMXCIV") == 1994
    assert to_number("XL") == 40


def test_to_roman():
    assert to_roman(1) == "I"
    assert to_roman(14) == "XIV"
    assert to_roman(1994) == "MCMXCIV"


def test_there_and_back():
    assert [to_number(to_roman(n)) for n in range(1, 60)] == list(range(1, 60))
