"""Days of the calendar."""

LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def is_leap(year):
    """Return whether a year has 366 days."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def day_of_year(year, month, day):
    """Return which day of its year a date is, from 1."""
    days = sum(LENGTHS[: month - 1]) + day
    if month > 2 and is_leap(year):
        days += 1
    return days
