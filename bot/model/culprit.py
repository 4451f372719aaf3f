"""What changed between the newest state that passed and the first one that failed: a commit, a release, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

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
        registry: Of a package: `PyPI` or `npm`; empty for what is no release.
    """

    kind: EventKind
    name: str
    before: str
    after: str
    title: str = ""
    author: str = ""
    date: str = ""
    registry: str = ""


@dataclass(frozen=True, slots=True)
class RunCounts:
    """How often the tests failed and passed at a state."""

    failed: int = 0
    passed: int = 0


@dataclass(frozen=True, slots=True)
class StateResults:
    """What a run at a commit tells of the failing tests.

    Attributes:
        failing: Ids of those that fail there as they do at the head.
        passing: Ids of those that pass there.
        why: Why nothing is told of the others, as a sentence.
    """

    failing: frozenset[str] = frozenset()
    passing: frozenset[str] = frozenset()
    why: str = ""


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
    """What a project may require of a package so that the tests pass.

    Attributes:
        requirement: As package clients take it: `lxml<5.2`, or `lxml[html_clean]`.
        patch: Where the project declares it, as a diff.
        runs: Of the failing tests in an environment that was set up with the patch.
    """

    requirement: str
    patch: str
    runs: RunCounts

    @property
    def keeps_out(self) -> bool:
        """Whether it keeps the release out, and doesn't only ask for more of it."""
        return "[" not in self.requirement


class ApiChangeKind(StrEnum):
    """How a name that a package offers became another one."""

    REMOVED = "removed"
    """It is gone, or stands elsewhere."""

    BECAME_METHOD = "became a method"
    BECAME_ATTRIBUTE = "became an attribute"
    PARAMETER_REMOVED = "parameter removed"
    PARAMETER_RENAMED = "parameter renamed"
    KEYWORD_ONLY = "parameter by keyword only"
    DEFAULT = "default changed"
    REQUIRED = "parameter required"
    RETURNS = "returns something else"
    EXTRA = "new extra"
    """Something of it is installed only by those who ask for it: `package[extra]`."""


@dataclass(frozen=True, slots=True)
class ApiChange:
    """A difference between two versions of a package that a repository meets.

    Attributes:
        kind: What became of it.
        name: Dotted, as it is imported; of a class's member, with the class before it.
        before: How it was: a signature, a default or an annotation; empty where nothing is to be said.
        after: How it is, likewise.
        parameter: The one that changed, if it is about one.
        position: Of that among those that callers give, from 0; -1 where none.
        instead: What may stand in its place, the likeliest first: dotted names or a parameter.
        said: What the package itself said of it: somebody else's text.
        uses: Where the repository uses it, what the failure goes through first.
        is_shown: Whether the failure goes through one of these.
    """

    kind: ApiChangeKind
    name: str
    before: str = ""
    after: str = ""
    parameter: str = ""
    position: int = -1
    instead: tuple[str, ...] = ()
    said: str = ""
    uses: tuple[tuple[str, int], ...] = ()
    is_shown: bool = False

    @property
    def is_member(self) -> bool:
        """Whether it belongs to a class, so that code names it without saying which."""
        owner = self.name.rpartition(".")[0].rpartition(".")[2]
        return owner[:1].isupper()


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
        bound: With which the tests pass: more of the release, else none of it; None where nothing helps.
        api: What a release changed for the repository, what the failure goes through first.
        changelog: The lines of the package's changelog that name it: somebody else's text.
        is_update: Whether the change that fails is an update which brings the release.
        is_known: Whether it was tried first because it broke another repository on this server.
        followed: Names that another repository of the owner used no more, each with what it used instead.
    """

    event: ChangeEvent
    certainty: Certainty
    tests: tuple[str, ...]
    with_it: RunCounts
    without_it: RunCounts
    missing: str = ""
    lines: tuple[ChangedLines, ...] = ()
    bound: VersionBound | None = None
    api: tuple[ApiChange, ...] = ()
    changelog: str = ""
    is_update: bool = False
    is_known: bool = False
    followed: tuple[tuple[str, str], ...] = ()


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
    def has_release(self) -> bool:
        """Whether a release explains failing tests."""
        return any(culprit.event.kind is EventKind.RELEASE for culprit in self.culprits)

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


@dataclass(frozen=True, slots=True)
class KnownRelease:
    """A release that was proven to break the tests of a repository on this server.

    Attributes:
        package: Its normalised name.
        before: The last good version.
        after: The first bad one.
        followed: As a culprit has it; empty where it was another owner's repository.
        registry: As an event has it.
    """

    package: str
    before: str
    after: str
    followed: tuple[tuple[str, str], ...] = ()
    registry: str = "PyPI"


class KnownReleases(Protocol):
    """Knows what broke the repositories of this server."""

    async def known(self) -> tuple[KnownRelease, ...]:
        """Return the releases, the newest first; those of the same owner before others."""
        ...
