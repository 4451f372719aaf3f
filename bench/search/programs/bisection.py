"""Find where a value belongs in a sorted list."""


def place(values, wanted):
    """Return the index of the first item that is not smaller than `wanted`."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low
