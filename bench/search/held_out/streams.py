"""Generators over anything that can be iterated."""

from itertools import islice


def chunks(items, size):
    """Lists of `size` items; the last one may be shorter."""
    if size < 1:
        raise ValueError("size must be positive")
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def windows(items, size):
    """All runs of `size` neighbours, as tuples."""
    iterator = iter(items)
    window = tuple(islice(iterator, size))
    if len(window) == size:
        yield window
    for item in iterator:
        window = window[1:] + (item,)
        yield window


def alternating(*sources):
    """One of each in turn, until all are used up."""
    left = [iter(source) for source in sources]
    while left:
        for iterator in list(left):
            try:
                yield next(iterator)
            except StopIteration:
                left.remove(iterator)


def deep(items):
    """The items of lists inside lists."""
    for item in items:
        if isinstance(item, list):
            yield from deep(item)
        else:
            yield item


def changes(items):
    """What differs from its predecessor, the first one included."""
    last = object()
    for item in items:
        if item != last:
            yield item
        last = item


def running_mean(numbers):
    total = 0
    for count, number in enumerate(numbers, start=1):
        total += number
        yield total / count
