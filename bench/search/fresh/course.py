"""Exercises of a first course."""


def median(one, two, three):
    """Return the middle one of three numbers."""
    if one <= two <= three or three <= two <= one:
        return two
    if two <= one <= three or three <= one <= two:
        return one
    return three


def grade(score, limits):
    """Return the letter of a score, by the least scores for A, B, C and D."""
    for letter, least in zip("ABCD", limits):
        if score >= least:
            return letter
    return "F"


def checksum(text):
    """Return the letter that the sum of all characters comes to."""
    total = 0
    for char in text:
        total += ord(char)
    return chr(total % 64 + ord(" "))


def digits(number):
    """Return the digits of a number, the last one first; only the last of those keeps the sign."""
    if number == 0:
        return [0]
    found = []
    rest = abs(number)
    while rest > 0:
        found.append(rest % 10)
        rest //= 10
    if number < 0:
        found[-1] = -found[-1]
    return found


def search(value, ordered):
    """Return how many of the ordered numbers are smaller than `value`."""
    for place, other in enumerate(ordered):
        if value <= other:
            return place
    return len(ordered)


def unique_months(birthdays, month):
    """Whether no two people of a month have the same day; birthdays are pairs (month, day)."""
    days = [day for m, day in birthdays if m == month]
    return len(days) == len(set(days))


def without_repeats(values):
    """Return the values in order, each once."""
    kept = []
    for value in values:
        if value not in kept:
            kept.append(value)
    return kept


def by_age(people):
    """Return pairs (name, age), the oldest first, by insertion."""
    ordered = []
    for name, age in people:
        place = 0
        while place < len(ordered) and ordered[place][1] >= age:
            place += 1
        ordered.insert(place, (name, age))
    return ordered


def top(values, count):
    """Return the largest `count` values, the largest first; the list given stays as it is."""
    rest = list(values)
    best = []
    while rest and len(best) < count:
        largest = max(rest)
        best.append(largest)
        rest.remove(largest)
    return best
