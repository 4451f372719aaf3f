"""Say how a search stands while it works, and how it ended in vain."""

from __future__ import annotations

from collections.abc import Sequence

from bot.repair.proposers.search.explain import Effort
from bot.repair.proposers.search.localise import Suspect
from bot.repair.proposers.search.validate import Trials

_PLACES = 3


def places(suspects: Sequence[Suspect], edits: int) -> str:
    """Return which lines are suspected most, and how much there is to try."""
    named = ", ".join(f"{one.file}:{one.line}" for one in suspects[:_PLACES])
    first = f", {named} first" if named else ""
    lines = "suspicious line" if len(suspects) == 1 else "suspicious lines"
    return f"{len(suspects):,} {lines}{first}; {edits:,} edits to try"


def standing(trials: Trials) -> str:
    """Return how many edits were tried, and how far the best of them comes."""
    best = max((len(one.mended) for one in trials.tried.values()), default=0)
    wanted = len(trials.evidence.failing) or len(trials.evidence.broken)
    return (
        f"{len(trials.tried):,} edits tried, {len(trials.plausible)} plausible, "
        f"the best mends {best} of {wanted} failing tests"
    )


def in_vain(trials: Trials, effort: Effort) -> str:
    """Return what came of a search that found no repair."""
    if trials.plausible:
        return (
            f"{effort}, but none of the {len(trials.plausible)} that pass one test by one passes "
            "the failing command."
        )
    best = trials.partial[0] if trials.partial else None
    if best is None:
        return f"No edit turns a failing test green: {effort}."
    return (
        f"No edit turns every failing test green: {effort}. The best one mends "
        f"{len(best.mended)} of {len(trials.evidence.failing)}."
    )
