"""Bits of numbers that are not negative."""


def ones(number):
    count = 0
    while number:
        count += number & 1
        number >>= 1
    return count


def is_power(number):
    """Whether it is a power of two."""
    return number > 0 and number & (number - 1) == 0


def turned(number, width=8):
    """Its bits in the other order."""
    result = 0
    for _ in range(width):
        result = (result << 1) | (number & 1)
        number >>= 1
    return result


def gray(number):
    return number ^ (number >> 1)


def ungray(code):
    number = 0
    while code:
        number ^= code
        code >>= 1
    return number


def lonely(numbers):
    """The one number that is there an odd number of times."""
    result = 0
    for number in numbers:
        result ^= number
    return result


def subset_sums(numbers):
    """The sums of all subsets, sorted, each once."""
    sums = set()
    for mask in range(1 << len(numbers)):
        sums.add(sum(n for place, n in enumerate(numbers) if mask & (1 << place)))
    return sorted(sums)
