"""Half-open spans (start, end)."""

import heapq


def overlap(one, other):
    """How long both are at the same time."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def gaps(spans, start, end):
    """What of start to end no span covers."""
    free = []
    at = start
    for begin, stop in sorted(spans):
        if begin > at:
            free.append((at, begin))
        at = max(at, stop)
    if at < end:
        free.append((at, end))
    return free


def rooms(meetings):
    """How many rooms the meetings need."""
    ends = []
    most = 0
    for start, end in sorted(meetings):
        while ends and ends[0] <= start:
            heapq.heappop(ends)
        heapq.heappush(ends, end)
        most = max(most, len(ends))
    return most


def without(span, cut):
    """What is left of a span when another one is cut out."""
    start, end = span
    left = (start, min(end, cut[0]))
    right = (max(start, cut[1]), end)
    return [part for part in (left, right) if part[0] < part[1]]


def most_meetings(meetings):
    """How many of them one person can attend."""
    count = 0
    free = float("-inf")
    for start, end in sorted(meetings, key=lambda meeting: meeting[1]):
        if start >= free:
            count += 1
            free = end
    return count
