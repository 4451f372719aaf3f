"""Numbers as text."""

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def to_base(number, base):
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    number = abs(number)
    digits = ""
    while number > 0:
        number, digit = divmod(number, base)
        digits = DIGITS[digit] + digits
    return sign + digits


def from_base(text, base):
    sign = 1
    if text.startswith("-"):
        sign, text = -1, text[1:]
    number = 0
    for char in text.lower():
        digit = DIGITS.index(char)
        if digit >= base:
            raise ValueError(f"{char} is no digit of base {base}")
        number = number * base + digit
    return sign * number


def spelled(number):
    """In words, up to 999 999."""
    if number < 20:
        return SMALL[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return TENS[tens - 2] + (f"-{SMALL[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{SMALL[hundreds]} hundred" + (f" and {spelled(rest)}" if rest else "")
    thousands, rest = divmod(number, 1000)
    return f"{spelled(thousands)} thousand" + (f" {spelled(rest)}" if rest else "")


def grouped(number):
    """With a comma before every three digits."""
    text = str(number)
    parts = []
    while len(text) > 3:
        parts.insert(0, text[-3:])
        text = text[:-3]
    parts.insert(0, text)
    return ",".join(parts)


def ordinal(number):
    if 10 <= number % 100 <= 20:
        return f"{number}th"
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def luhn(text):
    """Whether the check digit is right."""
    total = 0
    for place, char in enumerate(reversed(text)):
        digit = int(char)
        if place % 2 == 1:
            digit *= 2
            if digit > 9:
                digit -= 9
        total += digit
    return total % 10 == 0
