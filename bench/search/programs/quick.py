"""Sorting by parts."""


def quick_sorted(values):
    """Return the values in order."""
    if not values:
        return []
    pivot = values[0]
    smaller = quick_sorted([v for v in values[1:] if v < pivot])
    larger = quick_sorted([v for v in values[1:] if v >= pivot])
    return smaller + [pivot] + larger


def merged(left, right):
    """Return two sorted lists as one."""
    result = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            result.append(left[i])
            i += 1
        else:
            result.append(right[j])
            j += 1
    return result + left[i:] + right[j:]


def kth(values, k):
    """Return the k-th smallest value, from 0."""
    pivot = values[0]
    below = [v for v in values if v < pivot]
    above = [v for v in values if v > pivot]
    count = len(values) - len(above)
    if k < len(below):
        return kth(below, k)
    if k >= count:
        return kth(above, k - count)
    return pivot
