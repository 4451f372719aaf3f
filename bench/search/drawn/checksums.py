"""Numbers that say whether they were mistyped."""


def valid_isbn(text):
    """Whether a text is an ISBN of ten or thirteen digits."""
    digits = text.replace("-", "")
    if len(digits) == 10:
        total = 0
        for place, letter in enumerate(digits):
            if letter == "X" and place == 9:
                value = 10
            elif letter.isdigit():
                value = int(letter)
            else:
                return False
            total += (10 - place) * value
        return total % 11 == 0
    if len(digits) == 13 and digits.isdigit():
        total = sum(int(letter) * (3 if place % 2 else 1) for place, letter in enumerate(digits))
        return total % 10 == 0
    return False


def adler(data, base=65521):
    """Return Adler's checksum of bytes."""
    low, high = 1, 0
    for byte in data:
        low = (low + byte) % base
        high = (high + low) % base
    return high * 65536 + low
