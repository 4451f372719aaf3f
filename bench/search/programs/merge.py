"""Merge intervals that overlap or touch."""


def merge(intervals):
    """Return disjoint intervals that cover the same numbers, in order."""
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
