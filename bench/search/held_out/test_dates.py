import pytest
from dates import ago, days_in, following, parse, weekday


def test_parse():
    assert parse("2024-02-29") == (2024, 2, 29)
    assert parse("1999-12-31") == (1999, 12, 31)


@pytest.mark.parametrize("text", ["2023-02-29", "2024-13-01", "2024-00-10", "2024-04-31", "2024-05"])
def test_parse_refuses(text):
    with pytest.raises(ValueError):
        parse(text)


def test_days_in():
    assert [days_in(2023, m) for m in range(1, 13)] == [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    assert days_in(2000, 2) == 29
    assert days_in(1900, 2) == 28


def test_following():
    assert following(2024, 1, 1) == (2024, 1, 2)
    assert following(2024, 2, 28) == (2024, 2, 29)
    assert following(2023, 2, 28) == (2023, 3, 1)
    assert following(2023, 12, 31) == (2024, 1, 1)
    assert following(2023, 11, 30) == (2023, 12, 1)


@pytest.mark.parametrize(
    ("date", "day"),
    [((2024, 1, 1), 0), ((2000, 2, 29), 1), ((1969, 7, 20), 6), ((2023, 12, 31), 6), ((2026, 3, 4), 2)],
)
def test_weekday(date, day):
    assert weekday(*date) == day


def test_ago():
    assert ago(5) == "just now"
    assert ago(60) == "1 minute ago"
    assert ago(7200) == "2 hours ago"
    assert ago(86400 * 3 + 5) == "3 days ago"
    assert ago(3599) == "59 minutes ago"
