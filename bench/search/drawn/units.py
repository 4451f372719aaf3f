"""Amounts with units."""

SIZES = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}


def size(text):
    """Return the bytes of a text like `10 MB` or `1.5KB`."""
    number = text.rstrip("BKMG ")
    unit = text[len(number) :].strip() or "B"
    if unit not in SIZES:
        raise ValueError(text)
    return int(float(number) * SIZES[unit])


def readable(count):
    """Return bytes in the largest unit of which there is one at least."""
    for unit in ("GB", "MB", "KB"):
        if count >= SIZES[unit]:
            return str(round(count / SIZES[unit], 1)) + " " + unit
    return str(count) + " B"


def duration(text):
    """Return the seconds of a text like `1h30m` or `45s`; a number alone is seconds."""
    factors = {"d": 86400, "h": 3600, "m": 60, "s": 1}
    total = 0
    number = ""
    for letter in text:
        if letter.isdigit():
            number += letter
        elif letter in factors and number:
            total += int(number) * factors[letter]
            number = ""
        else:
            raise ValueError(text)
    if number:
        total += int(number)
    return total
