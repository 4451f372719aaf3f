"""Pages of lists."""


def page(items, number, size=10):
    """Return one page, and the numbers of those before and behind it, None where there is none."""
    count = (len(items) + size - 1) // size
    number = max(1, min(number, count))
    start = (number - 1) * size
    before = number - 1 if number > 1 else None
    behind = number + 1 if number < count else None
    return items[start : start + size], before, behind


def shown(number, count, around=2):
    """Return the numbers that lead to other pages, with `...` where some are left out."""
    result = []
    last = 0
    for at in range(1, count + 1):
        if at == 1 or at == count or abs(at - number) <= around:
            if at - last > 1:
                result.append("...")
            result.append(at)
            last = at
    return result
