"""Put two promising edits together, for faults that take two."""

from __future__ import annotations

from collections.abc import Sequence

from bot.repair.proposers.search.mutations.candidates import Candidate
from bot.repair.proposers.search.mutations.change import Change
from bot.repair.proposers.search.mutations.places import TOGETHER

_PARTNERS = 300
"""Edits that a partial fix is tried with."""

_ALONE = 45
"""Edits that are tried with each other when no partial fix is known."""


def pairs(
    partial: Sequence[Candidate], ranked: Sequence[Candidate], start: int
) -> tuple[Candidate, ...]:
    """Return pairs of edits of one file, most promising first.

    Args:
        partial: Candidates that mend something.
        ranked: All of them, most promising first.
        start: Number of the first pair.
    """
    leading = list(partial[:8]) or list(ranked[:_ALONE])
    others = [*partial[:20], *ranked[: _PARTNERS if partial else _ALONE]]
    found: dict[tuple[int, int], tuple[float, Candidate, Candidate]] = {}
    for candidate in leading:
        for other in others:
            key = (min(candidate.number, other.number), max(candidate.number, other.number))
            if (
                candidate.file == other.file
                and candidate.number != other.number
                and _apart(candidate, other)
            ):
                found.setdefault(key, (candidate.score * other.score, candidate, other))
    best = sorted(found.values(), key=lambda pair: (-pair[0], pair[1].number, pair[2].number))
    return tuple(
        _both(start + n, candidate, other, score)
        for n, (score, candidate, other) in enumerate(best)
    )


def _apart(candidate: Candidate, other: Candidate) -> bool:
    """Whether two edits do not touch each other."""
    return all(
        mine.end < theirs.start or theirs.end < mine.start
        for mine in candidate.change.replacements
        for theirs in other.change.replacements
    )


def _both(number: int, candidate: Candidate, other: Candidate, score: float) -> Candidate:
    first, second = sorted((candidate, other), key=lambda c: c.change.replacements)
    change = Change(
        kind=f"{first.change.kind} and {second.change.kind}",
        line=first.change.line,
        weight=first.change.weight * second.change.weight,
        replacements=(*first.change.replacements, *second.change.replacements),
        says=f"{first.change.says}, and {second.change.says}",
    )
    unit = TOGETHER.join(dict.fromkeys((first.unit, second.unit)))
    return Candidate(number, first.file, change, score, unit, first.cold or second.cold)
