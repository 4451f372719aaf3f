"""What changed between the newest state that passed and the first one that failed: a commit, a release, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SECONDS = 600.0
"""For finding out what changed, where nobody says otherwise."""


class EventKind(StrEnum):
    """What sort of thing happened."""

    COMMIT = "commit"
    """Somebody changed the repository."""

    RELEASE = "release"
    """Somebody uploaded another version of a package or a tool that the job installs."""

    RUNTIME = "runtime"
    """The interpreter, or the image that the job runs on, is another version."""


class Certainty(StrEnum):
    """How sure it is that an event is the cause."""

    PROVEN = "proven"
    """The tests fail with it and pass without it, each as often as the evidence asks and at least twice."""

    LIKELY = "likely"
    """Everything that was seen agrees, and something of that is missing."""


@dataclass(frozen=True, slots=True)
class ChangeEvent:
    """Something that happened, from a state to the next.

    Attributes:
        kind: What sort of thing.
        name: A commit's full SHA, a package's normalised name, or a runtime's.
        before: The state without it: the parent's SHA, or the version that was there.
        after: The state with it: the commit's own SHA, or the new version.
        title: A commit's subject; empty for others. Somebody else's text.
        author: Who wrote or uploaded it, as the source names them; empty if unknown.
        date: When, as ISO 8601 in UTC; empty if unknown.
    """

    kind: EventKind
    name: str
    before: str
    after: str
    title: str = ""
    author: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class RunCounts:
    """How often the tests failed and passed at a state."""

    failed: int = 0
    passed: int = 0


@dataclass(frozen=True, slots=True)
class TestedState:
    """A state that was looked at, on a line from old to new.

    Attributes:
        state: A commit's SHA, a day (`2024-03-31`), or versions (`lxml==5.1.1`).
        order: Its place on the line, from 0 for the oldest.
        runs: Of the failing tests.
        skipped: Why nothing could be run there, as a sentence; empty if something was.
    """

    state: str
    order: int
    runs: RunCounts = RunCounts()
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class VersionBound:
    """A bound on a package's versions with which the tests pass.

    Attributes:
        requirement: As package clients take it, such as `lxml<5.2`.
        patch: Where the project declares it, as a diff.
        runs: Of the failing tests in an environment that was set up with the patch.
    """

    requirement: str
    patch: str
    runs: RunCounts


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """Lines of a file as a commit left them, from 1; where it only removed some, those beside them."""

    file: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Culprit:
    """An event and the failing tests that it explains.

    Attributes:
        event: What happened.
        certainty: How sure that is.
        tests: Ids of the failing tests that it explains; empty if the failure has no name.
        with_it: RunCounts in the state after it.
        without_it: RunCounts in the state before it.
        missing: What a proof lacks, as a sentence; empty where it is proven.
        bound: Keeps a release out until the code is adapted; None where none is known to help.
    """

    event: ChangeEvent
    certainty: Certainty
    tests: tuple[str, ...]
    with_it: RunCounts
    without_it: RunCounts
    missing: str = ""
    lines: tuple[ChangedLines, ...] = ()
    bound: VersionBound | None = None


@dataclass(frozen=True, slots=True)
class WhatChanged:
    """The answer to: why does this fail now, and did not before?

    Attributes:
        culprits: What explains the failing tests, surest first; empty is an answer, too.
        ruled_out: What was tried and is not the cause, a sentence each.
        points: What was looked at.
        seconds: Wall time that it took.
    """

    culprits: tuple[Culprit, ...] = ()
    ruled_out: tuple[str, ...] = ()
    points: tuple[TestedState, ...] = ()
    seconds: float = 0.0

    @property
    def is_answer(self) -> bool:
        """Whether anything was looked at, so that there is something to tell."""
        return bool(self.culprits or self.points)


@dataclass(frozen=True, slots=True)
class EventLead:
    """Where an event leads whoever repairs what it broke.

    Attributes:
        found: What changed.
        lines: The lines that decide, as path and number, as far as the head still has them.
        diff: Of the commits that explain the tests, the part that decides; empty where it is large.
    """

    found: WhatChanged
    lines: frozenset[tuple[str, int]] = frozenset()
    diff: str = ""
