"""Ways to sort and to find."""


def insertion_sorted(values):
    """Return the values in order."""
    result = list(values)
    for place in range(1, len(result)):
        value = result[place]
        hole = place
        while hole > 0 and result[hole - 1] > value:
            result[hole] = result[hole - 1]
            hole -= 1
        result[hole] = value
    return result


def merge_sorted(values):
    """Return the values in order; equal ones keep theirs."""
    if len(values) <= 1:
        return list(values)
    middle = len(values) // 2
    left, right = merge_sorted(values[:middle]), merge_sorted(values[middle:])
    merged = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


def counting_sorted(values, most):
    """Return numbers from 0 to `most` in order."""
    counts = [0] * (most + 1)
    for value in values:
        counts[value] += 1
    result = []
    for value, count in enumerate(counts):
        result.extend([value] * count)
    return result


def bubble_sorted(values):
    """Return the values in order, and how many swaps that took."""
    result = list(values)
    swaps = 0
    for end in range(len(result) - 1, 0, -1):
        swapped = False
        for place in range(end):
            if result[place] > result[place + 1]:
                result[place], result[place + 1] = result[place + 1], result[place]
                swaps += 1
                swapped = True
        if not swapped:
            break
    return result, swaps


def first_at_least(ordered, value):
    """Return the place of the first item that is not smaller, or the length."""
    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


def in_rotated(values, wanted):
    """Return where a value stands in an ordered list that was turned around, or -1."""
    low, high = 0, len(values) - 1
    while low <= high:
        middle = (low + high) // 2
        if values[middle] == wanted:
            return middle
        if values[low] <= values[middle]:
            if values[low] <= wanted < values[middle]:
                high = middle - 1
            else:
                low = middle + 1
        elif values[middle] < wanted <= values[high]:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def greatest_sum(values):
    """Return the largest sum of neighbouring values; of none it is 0."""
    best = here = 0
    for value in values:
        here = max(0, here + value)
        best = max(best, here)
    return best


def longest_increasing(values):
    """Return the length of the longest rising choice of values, in order."""
    lengths = []
    for place, value in enumerate(values):
        best = 0
        for earlier in range(place):
            if values[earlier] < value and lengths[earlier] > best:
                best = lengths[earlier]
        lengths.append(best + 1)
    return max(lengths, default=0)


def permutations(values):
    """Return every order of the values."""
    if not values:
        return [[]]
    found = []
    for place, value in enumerate(values):
        rest = values[:place] + values[place + 1 :]
        for order in permutations(rest):
            found.append([value, *order])
    return found


def partitioned(values, pivot):
    """Return the values smaller than, equal to and larger than a pivot."""
    smaller, equal, larger = [], [], []
    for value in values:
        if value < pivot:
            smaller.append(value)
        elif value == pivot:
            equal.append(value)
        else:
            larger.append(value)
    return smaller, equal, larger
