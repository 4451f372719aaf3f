import pytest
from numerals import from_base, grouped, luhn, ordinal, spelled, to_base


@pytest.mark.parametrize(
    ("number", "base", "text"),
    [(0, 2, "0"), (5, 2, "101"), (255, 16, "ff"), (-10, 3, "-101"), (35, 36, "z"), (100, 10, "100")],
)
def test_bases(number, base, text):
    assert to_base(number, base) == text
    assert from_base(text, base) == number


def test_no_such_digit():
    with pytest.raises(ValueError):
        from_base("12", 2)


def test_upper_case():
    assert from_base("FF", 16) == 255


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"), (13, "thirteen"), (19, "nineteen"), (20, "twenty"), (42, "forty-two"), (99, "ninety-nine"),
        (100, "one hundred"), (101, "one hundred and one"), (999, "nine hundred and ninety-nine"),
        (1000, "one thousand"), (12345, "twelve thousand three hundred and forty-five"),
    ],
)  # fmt: skip
def test_spelled(number, words):
    assert spelled(number) == words


def test_grouped():
    assert [grouped(n) for n in (0, 999, 1000, 1234567)] == ["0", "999", "1,000", "1,234,567"]


def test_ordinal():
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 101, 111, 122)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "101st", "111th", "122nd",
    ]  # fmt: skip


def test_luhn():
    assert luhn("4539578763621486")
    assert luhn("79927398713")
    assert not luhn("79927398710")
    assert not luhn("8273123273520569")
