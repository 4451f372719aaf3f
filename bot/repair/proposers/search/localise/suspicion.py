"""Rank lines by everything that was seen: who runs them, where it broke, what ran hot, what is new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.repair.guards import is_test_file
from bot.repair.proposers.search.evidence import Error, Evidence
from bot.repair.proposers.search.localise.runners import Place, running
from bot.repair.proposers.search.localise.spectrum import Spectrum

_RAISED = 0.5
"""What the line gains at which a failing test's exception was raised; outer frames gain less."""

_FADING = 0.6
"""Of a frame's gain, what the next outer one gains."""

_HOT = 0.3
"""What the hottest line of a test that never ends gains."""

_RUNNING = 0.2
"""What is left of the suspicion of code that runs the tests: it sees every error pass."""

_NEW = 0.15
"""What a recently changed line gains."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A line and how suspicious it is.

    Attributes:
        file: Relative to the work tree.
        line: 1-based.
        score: From 0 up, the most suspicious line has 1.
        reasons: Why, in a few words each.
    """

    file: str
    line: int
    score: float
    reasons: tuple[str, ...]


def suspects(evidence: Evidence, recent: frozenset[Place] = frozenset()) -> tuple[Suspect, ...]:
    """Return the lines of the project that may be at fault, most suspicious first; tests are not.

    Args:
        evidence: What was seen.
        recent: Lines that were changed lately.
    """
    scores: dict[Place, float] = {}
    reasons: dict[Place, list[str]] = {}

    def add(place: Place, score: float, reason: str) -> None:
        if not is_test_file(place[0]):
            scores[place] = scores.get(place, 0.0) + score
            reasons.setdefault(place, []).append(reason)

    traced_all = len(evidence.counted) >= len(evidence.failing)
    for place, spectrum in _spectra(evidence).items():
        add(place, spectrum.suspicion, _words(spectrum, traced_all=traced_all))
    for place, (gain, reason) in _raised(evidence.errors).items():
        add(place, gain, reason)
    for place, gain in _hot(evidence).items():
        add(place, gain, "runs over and over in a test that never ends")
    for place in recent & scores.keys():
        add(place, _NEW, "was changed lately")
    for place in running(evidence) & scores.keys():
        scores[place] *= _RUNNING
        reasons[place].append("is part of what runs the tests")
    top = max(scores.values(), default=1.0)
    ranked = sorted(scores, key=lambda place: (-scores[place], place))
    return tuple(
        Suspect(*place, round(scores[place] / top, 4), tuple(reasons[place])) for place in ranked
    )


def _spectra(evidence: Evidence) -> dict[Place, Spectrum]:
    failing: dict[Place, int] = {}
    for files in evidence.counted.values():
        for file, counts in files.items():
            for line in counts:
                failing[file, line] = failing.get((file, line), 0) + 1
    passing: dict[Place, int] = {}
    for places in evidence.noted.values():
        for place in places:
            passing[place] = passing.get(place, 0) + 1
    total = len(evidence.counted)
    return {
        place: Spectrum(count, passing.get(place, 0), total - count)
        for place, count in failing.items()
    }


def _words(spectrum: Spectrum, *, traced_all: bool) -> str:
    total = spectrum.failing + spectrum.failing_elsewhere
    traced = "" if traced_all else " that were traced"
    failing = f"{spectrum.failing} of {total} failing tests{traced}"
    if total == 1 and traced_all:
        failing = "the failing test"
    passing = {0: "no passing one", 1: "1 passing one"}
    return f"run by {failing} and by {passing.get(spectrum.passing, f'{spectrum.passing} passing ones')}"


def _raised(errors: tuple[Error, ...]) -> Mapping[Place, tuple[float, str]]:
    """Return what the frames of tracebacks gain; the innermost one of the project most."""
    gains: dict[Place, tuple[float, str]] = {}
    for error in errors:
        gain = _RAISED
        frames = [frame for frame in error.frames if not is_test_file(frame.file)]
        for frame in reversed(frames):
            place = (frame.file, frame.line)
            if gain > gains.get(place, (0.0, ""))[0]:
                how = "was raised here" if gain == _RAISED else "came through here"
                gains[place] = (gain, f"{error.type or 'the error'} {how}")
            gain *= _FADING
    return gains


def _hot(evidence: Evidence) -> Mapping[Place, float]:
    """Return what the busiest lines of tests that never end gain."""
    gains: dict[Place, float] = {}
    for index, files in evidence.counted.items():
        if evidence.tests[index].outcome != "hanging":
            continue
        most = max((count for counts in files.values() for count in counts.values()), default=1)
        for file, counts in files.items():
            for line, count in counts.items():
                if count * 2 >= most:
                    gains[file, line] = _HOT
    return gains
