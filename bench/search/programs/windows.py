"""Windows over lists of numbers."""


def best_sum(numbers):
    """Return the largest sum of numbers in a row; none of them gives 0."""
    best = current = 0
    for number in numbers:
        current = max(0, current + number)
        best = max(best, current)
    return best


def averages(numbers, width):
    """Return the average of every window of this width."""
    return [sum(numbers[n : n + width]) / width for n in range(len(numbers) - width + 1)]


def longest_rise(numbers):
    """Return the length of the longest stretch that rises all the way."""
    longest = length = 0
    previous = None
    for number in numbers:
        length = length + 1 if previous is not None and number > previous else 1
        longest = max(longest, length)
        previous = number
    return longest
