"""Say how a search stands while it works, and how it ended in vain."""

from __future__ import annotations

from collections.abc import Sequence

from bot.repair.guards import is_test_file
from bot.repair.proposers.search.evidence import Evidence
from bot.repair.proposers.search.explain import Effort
from bot.repair.proposers.search.localise import Suspect
from bot.repair.proposers.search.validate import Trials, Tried

_PLACES = 3

_NOTHING_READ = (
    "The failing tests run no source file of the project in their own process, "
    "or none that can be read as Python, so there is nothing to edit."
)


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
    if trials.harmful:
        return _harmful(trials.harmful, effort)
    refused = sum(one.status == "refused" for one in trials.tried.values())
    if refused:
        return (
            f"{effort}, but none of the {refused} that pass one test by one stands up to the "
            "failing command and to the judge of patches."
        )
    best = trials.partial[0] if trials.partial else None
    if best is None:
        if _nothing_read(trials.evidence):
            return _NOTHING_READ
        return f"No edit turns a failing test green: {effort}."
    where = f"{best.candidate.file} line {best.candidate.change.line}"
    mended = f"mends {len(best.mended)} of {len(trials.evidence.failing)}"
    harm = f" and breaks `{best.broken[0]}`" if best.broken else ""
    return (
        f"No edit turns every failing test green and keeps the others so: {effort}. The best one, "
        f"in {where}, {mended}{harm}."
    )


def _nothing_read(evidence: Evidence) -> bool:
    return all(is_test_file(file) for file in evidence.sources)


def _harmful(harmful: Sequence[Tried], effort: Effort) -> str:
    """Say which test of the suite the most promising of them breaks."""
    best = min(harmful, key=lambda tried: tried.candidate.number)
    where = f"{best.candidate.file} line {best.candidate.change.line}"
    what = f"breaks `{best.broken[0]}`" if best.broken else "keeps a test from ending"
    return (
        f"No edit turns the failing tests green and keeps the whole suite so: {effort}. The best "
        f"one, in {where}, {what}."
    )
