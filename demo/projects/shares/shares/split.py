"""Decide who pays how much of a bill."""

from collections.abc import Sequence


def split(total: int, people: Sequence[str]) -> dict[str, int]:
    """Return what everybody pays, in cents."""
    if not people:
        raise ValueError("a bill needs somebody who pays it")
    share = total // len(people)
    return {person: share for person in people}
