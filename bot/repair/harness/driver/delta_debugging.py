"""Find a smallest part that decides: the algorithm ddmin, without what asks.

A. Zeller and R. Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002.
"""

from __future__ import annotations

from typing import Callable, Generator, Sequence, TypeVar

Item = TypeVar("Item")


def smallest_part(items: Sequence[Item]) -> Generator[Sequence[Item], bool, Sequence[Item]]:
    """Yield parts, be sent whether each decides, and return one none of whose items can be left out.

    Args:
        items: Which decide together.
    """
    left, parts = list(items), 2
    while len(left) > 1:
        size = -(-len(left) // parts)
        chunks = [left[start : start + size] for start in range(0, len(left), size)]
        rests = [
            [item for other in chunks if other is not chunk for item in other] for chunk in chunks
        ]
        found = None
        for some in (*chunks, *(rests if len(chunks) > 2 else ())):  # noqa: PLR2004 - of two, each is the other's rest
            if (yield some):
                found = some
                break
        if found is not None:
            parts = 2 if found in chunks else max(2, parts - 1)
            left = found
        elif parts >= len(left):
            break
        else:
            parts = min(len(left), parts * 2)
    return left


def smallest(items: Sequence[Item], decide: Callable[[Sequence[Item]], bool]) -> Sequence[Item]:
    """Return a set of items that decides, none of which can be left out.

    Args:
        items: Which decide together.
        decide: Whether some of them do.
    """
    search = smallest_part(items)
    try:
        part = next(search)
        while True:
            part = search.send(decide(part))
    except StopIteration as end:
        found: Sequence[Item] = end.value
        return found
