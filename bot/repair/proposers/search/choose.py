"""Choose among plausible patches: by how typical they are, and by how many of them behave alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.repair.proposers.search.mutations import Candidate

Behaviour = Sequence[str | None]

_LIKELY = 0.5
"""Of the score of the likeliest: from there on, what only takes away is better still."""


@dataclass(frozen=True, slots=True)
class Difference:
    """An input on which two patches differ.

    Attributes:
        call: The input.
        chosen: What the chosen patch answers; None: it finds no end.
        other: What the other one answers.
    """

    call: str
    chosen: str | None
    other: str | None


@dataclass(frozen=True, slots=True)
class ChosenPatch:
    """A plausible patch and those that can't be told from it.

    Attributes:
        candidate: The one that stands for them.
        alike: Others that behave the same on every input that was tried.
        weight: How much speaks for them.
        differs: Where it answers unlike the chosen one; None when that was not found.
    """

    candidate: Candidate
    alike: tuple[Candidate, ...] = ()
    weight: float = 0.0
    differs: Difference | None = None


def choose(
    plausible: Sequence[Candidate],
    inputs: Sequence[str] = (),
    behaviour: Mapping[str, Behaviour] | None = None,
) -> tuple[ChosenPatch, ...]:
    """Return plausible patches, the best first; patches that behave alike are one choice.

    Right patches tend to agree with each other, wrong ones to be wrong in their own ways: so what
    speaks for patches that behave alike is added up.
    """
    groups: dict[object, list[Candidate]] = {}
    known = behaviour or {}
    for candidate in sorted(plausible, key=_rank):
        answers = known.get(str(candidate.number))
        groups.setdefault(tuple(answers) if answers else candidate.number, []).append(candidate)
    choices = sorted(
        (_choice(group) for group in groups.values()),
        key=lambda choice: (-choice.weight, _rank(choice.candidate)),
    )
    if not choices:
        return ()
    best = known.get(str(choices[0].candidate.number), ())
    return (choices[0], *(_told_apart(item, best, inputs, known) for item in choices[1:]))


def _choice(group: Sequence[Candidate]) -> ChosenPatch:
    """Let the shortest stand for those that behave alike: they differ in nothing else."""
    likely = _LIKELY * max(candidate.score for candidate in group)
    shortest = min(
        group, key=lambda item: (_lines(item), item.score < likely, -_dropped(item), _rank(item))
    )
    alike = tuple(candidate for candidate in group if candidate is not shortest)
    return ChosenPatch(shortest, alike, _weight(group))


def _lines(candidate: Candidate) -> int:
    """Return how many lines a candidate adds."""
    return sum(replacement.text.count("\n") for replacement in candidate.change.replacements)


def _dropped(candidate: Candidate) -> int:
    """Return how many letters a candidate takes away, if it does nothing else."""
    changes = candidate.change.replacements
    return (
        0
        if any(change.text for change in changes)
        else sum(change.end - change.start for change in changes)
    )


def _rank(candidate: Candidate) -> tuple[float, int, int]:
    return -candidate.score, _size(candidate), candidate.number


def _size(candidate: Candidate) -> int:
    return sum(
        len(replacement.text) + replacement.end - replacement.start
        for replacement in candidate.change.replacements
    )


def _weight(group: Sequence[Candidate]) -> float:
    """Add up what speaks for each; the best one counts most, so that numbers alone do not win."""
    return group[0].score + sum(0.3 * candidate.score for candidate in group[1:])


def _told_apart(
    choice: ChosenPatch, best: Behaviour, inputs: Sequence[str], known: Mapping[str, Behaviour]
) -> ChosenPatch:
    mine = known.get(str(choice.candidate.number), ())
    for asked, chosen, other in zip(inputs, best, mine, strict=False):
        if chosen != other:
            found = Difference(asked, chosen, other)
            return ChosenPatch(choice.candidate, choice.alike, choice.weight, found)
    return choice
