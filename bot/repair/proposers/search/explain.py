"""Every sentence of the search: how it stands, what it found and why, or why it found nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.repair.guards import is_test_file
from bot.repair.proposers.search.choose import Choice
from bot.repair.proposers.search.evidence import Evidence
from bot.repair.proposers.search.localise import Suspect
from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.mutations.change import applied
from bot.repair.proposers.search.trials import Trials, Tried

_TESTS = 3
_OTHERS = 3
_SUSPECTS = 8
_PLACES = 3

_NOTHING_READ = (
    "The failing tests run no source file of the project in their own process, "
    "or none that can be read as Python, so there is nothing to edit."
)


@dataclass(frozen=True, slots=True)
class SearchEffort:
    """What a search took: candidates tried, and seconds for trying them."""

    tried: int
    seconds: float

    def __str__(self) -> str:
        rate = f", {self.tried / self.seconds:.0f} a second" if self.seconds > 1 else ""
        candidates = "1 candidate" if self.tried == 1 else f"{self.tried:,} candidates"
        return f"{candidates} tried in {self.seconds:.0f} s{rate}"


def explain(
    choices: Sequence[Choice],
    evidence: Evidence,
    suspects: Sequence[Suspect],
    effort: SearchEffort,
    kept: Sequence[str] = (),
) -> str:
    """Return the summary of a repair as Markdown; its first sentence stands alone.

    Args:
        choices: Plausible patches, the proposed one first.
        evidence: What was seen without any.
        suspects: The suspicious lines.
        effort: What the search took.
        kept: Other tests of the whole suite that run the changed function.
    """
    best = choices[0].candidate
    said = [f"`{best.file}` line {best.change.line}: the repair {best.change.says}."]
    said.append(f"{_tests(evidence)} {_kept(kept)}{_why(best, suspects)}".strip())
    said.append(f"Found by search, without a model: {effort}.")
    alike = sum(len(choice.alike) for choice in choices[:1])
    if alike:
        other = (
            "1 other edit passes too and behaves"
            if alike == 1
            else f"{alike} other edits pass too and behave"
        )
        said.append(f"{other} the same on every input that was tried.")
    if len(choices) > 1:
        said.append(_others(choices[1:]))
    return "\n\n".join(said)


def _tests(evidence: Evidence) -> str:
    names = [test.id for test in evidence.failing] or sorted(evidence.broken)
    listed = ", ".join(f"`{name}`" for name in names[:_TESTS])
    more = f" and {len(names) - _TESTS} more" if len(names) > _TESTS else ""
    return f"It turns {listed}{more} green."


def _kept(kept: Sequence[str]) -> str:
    """Say of the tests that run the changed function that they stay as they were."""
    if not kept:
        return ""
    if len(kept) == 1:
        return "The other test of the suite that runs this function stays green. "
    return f"{len(kept)} other tests of the suite that run this function stay green. "


def _why(best: Candidate, suspects: Sequence[Suspect]) -> str:
    for suspect in suspects:
        if (suspect.file, suspect.line) == (best.file, best.change.line):
            return f"That line was suspected because it is {suspect.reasons[0]}."
    return ""


def _others(others: Sequence[Choice]) -> str:
    """Show patches that pass too but behave in another way: a person may know better."""
    lines = ["Other patches pass the tests too, but do something else:", ""]
    for choice in others[:_OTHERS]:
        change = choice.candidate.change
        where = f"`{choice.candidate.file}` line {change.line}"
        differs = f" They differ on `{choice.differs}`." if choice.differs else ""
        lines.append(f"- {where} {change.says}.{differs}")
    if len(others) > _OTHERS:
        lines.append(f"- and {len(others) - _OTHERS} more")
    return "\n".join(lines)


def clues(suspects: Sequence[Suspect], evidence: Evidence, partial: Sequence[Tried] = ()) -> str:
    """Return what the next proposer should know: the suspicious lines, and fixes that come near."""
    lines = ["Suspicious lines, the most suspicious first:"]
    for suspect in suspects[:_SUSPECTS]:
        code = _line(evidence, suspect)
        reasons = "; ".join(suspect.reasons)
        lines.append(f"- {suspect.file}:{suspect.line} ({suspect.score:.2f}) `{code}`: {reasons}")
    for tried in partial[:_OTHERS]:
        change = tried.candidate.change
        broken = f", breaks {', '.join(tried.broken)}" if tried.broken else ""
        lines.append(
            f"- An edit that comes near: {tried.candidate.file}:{change.line} {change.says}: "
            f"mends {len(tried.mended)} of {len(evidence.failing)} failing tests{broken}."
        )
    return "\n".join(lines) if suspects else ""


def _line(evidence: Evidence, suspect: Suspect) -> str:
    lines = evidence.sources.get(suspect.file, "").splitlines()
    return lines[suspect.line - 1].strip() if suspect.line <= len(lines) else ""


def patched_text(candidate: Candidate, evidence: Evidence) -> str:
    """Return the file that a candidate changes, changed."""
    return applied(evidence.sources[candidate.file], candidate.change.replacements)


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


def in_vain(trials: Trials, effort: SearchEffort) -> str:
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
        f"No edit fixes every failing test without breaking others: {effort}. The best one, "
        f"in {where}, {mended}{harm}."
    )


def _nothing_read(evidence: Evidence) -> bool:
    return all(is_test_file(file) for file in evidence.sources)


def _harmful(harmful: Sequence[Tried], effort: SearchEffort) -> str:
    """Say which test of the suite the most promising of them breaks."""
    best = min(harmful, key=lambda tried: tried.candidate.number)
    where = f"{best.candidate.file} line {best.candidate.change.line}"
    what = f"breaks `{best.broken[0]}`" if best.broken else "keeps a test from ending"
    return (
        f"No edit fixes the failing tests without breaking the rest of the suite: {effort}. The best "
        f"one, in {where}, {what}."
    )
