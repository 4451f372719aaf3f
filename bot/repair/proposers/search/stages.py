"""In which order candidates are tried: the promising ones first, pairs of edits last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.mutations.pairs import pairs
from bot.repair.proposers.search.trials import Trials

_FIRST_COLD = 48
"""Candidates that cost an import each and are tried before what is cheaper and less likely."""

_COLD_FACTOR = 30.0
"""How much longer tests may take in a fresh process: its first test pays for what is done once."""

_SLOW_FACTOR = 8.0
_MOST_SLOW = 150


@dataclass(frozen=True, slots=True)
class Stage:
    """Candidates that are tried in one way.

    Attributes:
        queue: Those left to try; whoever tries them takes them off.
        cold: Whether each needs a process that imports anew.
        factor: How much longer than usual tests may take.
    """

    queue: list[Candidate]
    cold: bool = False
    factor: float = 1.0

    @property
    def act(self) -> str:
        """What the driver is asked to do."""
        return "cold" if self.cold else "warm"


def cold(queue: list[Candidate]) -> Stage:
    """Return the stage of candidates that change what runs at import."""
    return Stage(queue, cold=True, factor=_COLD_FACTOR)


def stages(trials: Trials, ranked: Sequence[Candidate]) -> Iterator[Stage]:
    """Yield single edits, slow ones again with more time, then pairs; each once it is its turn.

    Args:
        trials: What was tried so far decides what comes next.
        ranked: Single edits, most promising first.
    """
    trials.add(ranked)
    yield cold(trials.take_urgent())
    yield Stage(trials.warm)
    yield cold(trials.take_cold(_FIRST_COLD))
    yield Stage(list(trials.slow[:_MOST_SLOW]), factor=_SLOW_FACTOR)
    near = [tried.candidate for tried in trials.partial if not tried.broken]
    trials.add(pairs(near, ranked, len(ranked)))
    yield Stage(trials.warm)
    yield cold(trials.cold)
