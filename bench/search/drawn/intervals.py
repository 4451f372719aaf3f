"""Hours of opening."""


def gaps(busy, start, end):
    """Return what is free between start and end."""
    free = []
    at = start
    for first, last in sorted(busy):
        if first > at:
            free.append((at, min(first, end)))
        at = max(at, last)
        if at >= end:
            break
    if at < end:
        free.append((at, end))
    return free


def meeting(calendars, minutes, start=480, end=1080):
    """Return the earliest time at which all are free for so long, None where there is none."""
    busy = []
    for calendar in calendars:
        busy.extend(calendar)
    for first, last in gaps(busy, start, end):
        if last - first >= minutes:
            return first
    return None


def overlap(one, other):
    """Return how long two spans overlap."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))
