"""Arithmetic on whole numbers."""


def gcd(one, other):
    """Return the greatest common divisor."""
    if other == 0:
        return abs(one)
    return gcd(other, one % other)


def lcm(one, other):
    """Return the least common multiple; with zero it is zero."""
    if one == 0 or other == 0:
        return 0
    return abs(one * other) // gcd(one, other)


def is_prime(number):
    """Whether a number is prime."""
    if number < 2:
        return False
    divisor = 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            return False
        divisor += 1
    return True


def factors(number):
    """Return the prime factors, smallest first, repeated as often as they divide."""
    found = []
    divisor = 2
    while number > 1:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return found


def in_base(number, base):
    """Return a number that is not negative, written in a base from 2 to 16."""
    if number == 0:
        return "0"
    text = ""
    while number > 0:
        number, digit = divmod(number, base)
        text = "0123456789abcdef"[digit] + text
    return text


def root(number):
    """Return the largest integer whose square is at most `number`."""
    low, high = 0, number
    while low < high:
        middle = (low + high + 1) // 2
        if middle * middle <= number:
            low = middle
        else:
            high = middle - 1
    return low


def fibonacci(count):
    """Return the first Fibonacci numbers, beginning with 0."""
    numbers = []
    one, other = 0, 1
    for _ in range(count):
        numbers.append(one)
        one, other = other, one + other
    return numbers


def digital_root(number):
    """Sum the digits until one is left."""
    while number > 9:
        number = sum(int(digit) for digit in str(number))
    return number


def pascal(rows):
    """Return the rows of Pascal's triangle."""
    triangle = []
    for n in range(rows):
        row = [1] * (n + 1)
        for k in range(1, n):
            row[k] = triangle[n - 1][k - 1] + triangle[n - 1][k]
        triangle.append(row)
    return triangle


def is_perfect(number):
    """Whether a number is the sum of its proper divisors."""
    if number < 2:
        return False
    total = 1
    for divisor in range(2, int(number**0.5) + 1):
        if number % divisor == 0:
            total += divisor
            if divisor != number // divisor:
                total += number // divisor
    return total == number


def to_hanoi(count, source="A", target="C", spare="B"):
    """Return the moves (from, to) that bring a tower of `count` discs to the target."""
    if count == 0:
        return []
    return [
        *to_hanoi(count - 1, source, spare, target),
        (source, target),
        *to_hanoi(count - 1, spare, target, source),
    ]
