"""Explain a search: how it stands, what it found and why, or why it found nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.model import Assurance
from bot.repair.guards import is_test_file
from bot.repair.proposers.search.choose import ChosenPatch
from bot.repair.proposers.search.evidence import SearchEvidence
from bot.repair.proposers.search.localise import Suspect
from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.mutations.change import applied
from bot.repair.proposers.search.trials import CandidateResult, Trials
from bot.reporting.reasons import assurance as how_sure
from bot.reporting.reasons import search

_OTHERS = 3
_SUSPECTS = 8
_PLACES = 3


@dataclass(frozen=True, slots=True)
class SearchEffort:
    """What a search took: candidates tried, seconds for trying them, and whether time ended it."""

    tried: int
    seconds: float
    cut: bool = False


def explain(
    choices: Sequence[ChosenPatch],
    evidence: SearchEvidence,
    suspects: Sequence[Suspect],
    effort: SearchEffort,
    assurance: Assurance,
    kept: Sequence[str] = (),
) -> str:
    """Return the summary of a repair as Markdown; its first sentence stands alone.

    Args:
        choices: Plausible patches, the proposed one first.
        evidence: What was seen without any.
        suspects: The suspicious lines.
        effort: What the search took.
        assurance: How sure it is of the proposed one.
        kept: Other tests of the whole suite that run the changed function.
    """
    chosen, *others = choices
    best = chosen.candidate
    fixed = [test.id for test in evidence.failing] or sorted(evidence.broken)
    said = [search.fixes(fixed)]
    said += [search.still_pass(len(kept))] if kept else []
    said += [
        search.suspected(suspect.reasons[0])
        for suspect in suspects
        if (suspect.file, suspect.line) == (best.file, best.change.line)
    ]
    parts = [
        search.fix(best.change.says, file=best.file, line=best.change.line),
        " ".join(said),
        search.found(effort.tried, effort.seconds, cut=effort.cut),
        likely(assurance),
        search.alike(len(chosen.alike)) if chosen.alike else "",
        _others(others) if others else "",
    ]
    return "\n\n".join(part for part in parts if part)


def likely(assurance: Assurance) -> str:
    """Say how sure it is that the patch is right, and where that is not enough, why."""
    said = [how_sure.likely(assurance.probability, assurance.required)]
    if not assurance.enough:
        said += [*assurance.doubts, assurance.deciding]
    return " ".join(filter(None, said))


def _others(others: Sequence[ChosenPatch]) -> str:
    """Show patches that pass too but behave in another way: a person may know better."""
    shown = []
    for choice in others[:_OTHERS]:
        file, change = choice.candidate.file, choice.candidate.change
        at = choice.differs
        differs = search.differ(at.call, fix=at.chosen, other=at.other) if at is not None else ""
        said = search.alternative(change.says, file=file, line=change.line, differs=differs)
        shown.append(said)
    return search.alternatives(shown, more=len(others) - len(shown))


def clues(
    suspects: Sequence[Suspect], evidence: SearchEvidence, partial: Sequence[CandidateResult] = ()
) -> str:
    """Return what the next proposer should know: the suspicious lines, and fixes that come near."""
    lines = [search.RANKING]
    for suspect in suspects[:_SUSPECTS]:
        place, code = f"{suspect.file}:{suspect.line}", _line(evidence, suspect)
        lines.append(search.ranked(place, suspect.score, code, suspect.reasons))
    failing = len(evidence.failing)
    for tried in partial[:_OTHERS]:
        edit = tried.candidate.change
        place = f"{tried.candidate.file}:{edit.line}"
        fixed, breaks = len(tried.mended), tried.broken
        lines.append(
            search.near_miss(edit.says, place=place, fixed=fixed, failing=failing, breaks=breaks)
        )
    return "\n".join(lines) if suspects else ""


def _line(evidence: SearchEvidence, suspect: Suspect) -> str:
    lines = evidence.sources.get(suspect.file, "").splitlines()
    return lines[suspect.line - 1].strip() if suspect.line <= len(lines) else ""


def patched_text(candidate: Candidate, evidence: SearchEvidence) -> str:
    """Return the file that a candidate changes, changed."""
    return applied(evidence.sources[candidate.file], candidate.change.replacements)


def places(suspects: Sequence[Suspect], edits: int) -> str:
    """Return which lines are suspected most, and how much there is to try."""
    first = [f"{suspect.file}:{suspect.line}" for suspect in suspects[:_PLACES]]
    return search.places(len(suspects), first, edits=edits)


def standing(trials: Trials, rate: float) -> str:
    """Return how many edits were tried, how fast, and how far the best of them comes."""
    return search.standing(
        len(trials.tried),
        plausible=len(trials.plausible),
        fixed=max((len(tried.mended) for tried in trials.tried.values()), default=0),
        failing=len(trials.evidence.failing) or len(trials.evidence.broken),
        rate=rate,
    )


def in_vain(trials: Trials, effort: SearchEffort) -> str:
    """Return what came of a search that found no repair."""
    said = _in_vain(trials, effort)
    return f"{said} {search.TIME_UP}" if effort.cut else said


def _in_vain(trials: Trials, effort: SearchEffort) -> str:
    tried, seconds = effort.tried, effort.seconds
    if trials.harmful:
        return _harmful(trials.harmful, effort)
    refused = sum(item.status == "refused" for item in trials.tried.values())
    if refused:
        return search.all_refused(refused, edits=tried, seconds=seconds)
    best = trials.partial[0] if trials.partial else None
    if best is None:
        return _why_none(trials.evidence) or search.none_fixes(tried, seconds)
    nearest = search.best(
        best.candidate.file,
        best.candidate.change.line,
        fixed=len(best.mended),
        failing=len(trials.evidence.failing),
        breaks="".join(best.broken[:1]),
    )
    return f"{search.none_fixes_all(tried, seconds)} {nearest}"


def _why_none(evidence: SearchEvidence) -> str:
    """Return why there was no line to edit; "" where there was one.

    That the tests run none is only known where each of them was watched.
    """
    if any(not is_test_file(file) for file in evidence.sources):
        return ""
    failing = {test.index for test in evidence.failing}
    watched = bool(failing) and failing <= evidence.counted.keys() and not evidence.broken
    return search.NOTHING_READ if watched else search.NOT_WATCHED


def _harmful(harmful: Sequence[CandidateResult], effort: SearchEffort) -> str:
    """Say which test of the suite the most promising of them breaks."""
    best = min(harmful, key=lambda tried: tried.candidate.number)
    return search.harmful(
        best.candidate.file,
        best.candidate.change.line,
        breaks="".join(best.broken[:1]),
        edits=effort.tried,
        seconds=effort.seconds,
    )
