"""Dates without a library."""

DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in(year, month):
    if month == 2 and leap(year):
        return 29
    return DAYS[month - 1]


def parse(text):
    """Turn "2024-02-29" into (2024, 2, 29); raise ValueError when there is no such day."""
    parts = text.split("-")
    if len(parts) != 3:
        raise ValueError(f"no date: {text}")
    year, month, day = (int(part) for part in parts)
    if not 1 <= month <= 12:
        raise ValueError(f"no such month: {month}")
    if not 1 <= day <= days_in(year, month):
        raise ValueError(f"no such day: {day}")
    return year, month, day


def following(year, month, day):
    """The day after."""
    day += 1
    if day > days_in(year, month):
        day = 1
        month += 1
    if month > 12:
        month = 1
        year += 1
    return year, month, day


def weekday(year, month, day):
    """0 is Monday (Zeller)."""
    if month < 3:
        month += 12
        year -= 1
    century, rest = divmod(year, 100)
    h = (day + 13 * (month + 1) // 5 + rest + rest // 4 + century // 4 + 5 * century) % 7
    return (h + 5) % 7


def ago(seconds):
    """Say how long that is, in the largest unit that fits."""
    for name, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            count = seconds // size
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"
