"""Roman numbers."""

VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
SIGNS = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


def to_number(text):
    """Return what a roman number is."""
    total = 0
    for place, letter in enumerate(text):
        value = VALUES[letter]
        if place + 1 < len(text) and value < VALUES[text[place + 1]]:
            total -= value
        else:
            total += value
    return total


def to_roman(number):
    """Return a number in roman letters."""
    written = ""
    for value, letters in SIGNS:
        while number >= value:
            written += letters
            number -= value
    return written
