"""A candidate patch, and how it was verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from bot.model.assurance import Assurance
from bot.model.culprit import ChangeEvent
from bot.model.mutation import MutantResults
from bot.model.observation import Failure, Observation, StartedProgram
from bot.model.patch_rank import Standing
from bot.model.plan import PlanStep
from bot.model.proof_card import Fact, Row, left_open
from bot.model.route import Route
from bot.usage import Usage


@dataclass(frozen=True, slots=True)
class Patch:
    """A candidate patch: `git diff --binary --full-index` against the base tree.

    Attributes:
        data: The diff's bytes; empty when nothing was changed.
        files: Paths that it touches, sorted.
        added: Lines added (binary files count none).
        removed: Lines removed.
    """

    data: bytes = b""
    files: tuple[str, ...] = ()
    added: int = 0
    removed: int = 0

    def __bool__(self) -> bool:
        """Whether it changes anything."""
        return bool(self.data)

    @property
    def text(self) -> str:
        """The diff as text, undecodable bytes replaced: to show, not to apply."""
        return self.data.decode("utf-8", errors="replace")

    @property
    def changed_lines(self) -> tuple[bytes, ...]:
        """What it changes, wherever that stands and whatever is around: as `git patch-id` knows it."""
        marks = (b"+", b"-", b"diff ", b"GIT binary", b"literal", b"delta")
        return tuple(line for line in self.data.split(b"\n") if line.startswith(marks))


class Severity(StrEnum):
    """What a guard finding means for the patch."""

    REJECT = "reject"
    NEEDS_PERSON = "needs a person"
    NOTE = "note"


class Acceptance(StrEnum):
    """Whether a verified patch can be used."""

    YES = "yes"
    AFTER_APPROVAL = "after approval"
    NO = "no"


@dataclass(frozen=True, slots=True)
class GuardFinding:
    """Something in a patch that a maintainer would want to know before trusting it."""

    rule: str
    severity: Severity
    message: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Guess:
    """A name that a rule put in the place of an unknown one, because it is spelt alike.

    Attributes:
        file: Where.
        unknown: The name that stood there.
        written: The name that stands there now.
    """

    file: str
    unknown: str
    written: str


@dataclass(frozen=True, slots=True)
class Revert:
    """What a patch takes back of a commit since which the tests fail.

    Attributes:
        event: The commit.
        is_whole: Whether nothing stays of what it changed in programs.
        tests: Those that came with it or that it changed, each as its file and its name.
    """

    event: ChangeEvent
    is_whole: bool
    tests: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """The result of a proposer's attempt.

    Attributes:
        patch: Against the tree that the attempt started from; empty when it changed nothing.
        summary: What was done and why, in the proposer's words (a model's text is data).
        model: The model that wrote it, or None.
        usage: What it cost.
        ended: Why it ended early ("60 turns used"), or empty.
        notes: Things for the report, such as a fallback and its reason.
        clues: What the next proposer should know: suspicious lines, edits that come near.
        programs: What the failing command started, where the proposer had it watched.
        edit: By which its proposer knows the patch again when it is asked once more, or "".
        assurance: How sure the proposer is of the patch; None where it can't tell.
        findings: What it noted while it worked, for the next attempt of its kind, or "".
        used: What it used while it worked, each as a part of one sentence.
        plan: Of its work; untrusted.
        guesses: What it can only guess: each needs a test that runs it.
        looked: Whether it could look for a change at all: a search can't in every language.
        reverts: The commits of which it takes something back.
        renews: It changes what is installed: it is verified where the setup ran with it.
        followed: Names of a package that it follows, each with what takes its place.
    """

    patch: Patch
    summary: str
    model: str | None = None
    usage: Usage = field(default_factory=Usage)
    ended: str = ""
    notes: tuple[str, ...] = ()
    clues: str = ""
    programs: tuple[StartedProgram, ...] = ()
    edit: str = ""
    assurance: Assurance | None = None
    findings: str = ""
    used: tuple[str, ...] = ()
    plan: tuple[PlanStep, ...] = ()
    guesses: tuple[Guess, ...] = ()
    looked: bool = True
    reverts: tuple[Revert, ...] = ()
    renews: bool = False
    followed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Verification:
    """The verification of a candidate patch in a clean sandbox.

    Attributes:
        target: The failing command with the patch applied.
        suite: The whole suite with the patch applied; None when the target already failed or is
            the suite, or when the suite does not end without the patch either.
        new_failures: Failing with the patch and not without it.
        findings: What the guards say.
        changed_tests: Test files that the patch touches.
        problem: Why it could not be verified (the patch does not apply, ...), or empty.
        uncompared: Why the suite can't show what the patch may have broken, as a sentence, or empty.
        restored: Files that were put back before verification.
        runs: Exit codes of every execution of the failing command with the patch.
        remarks: What a person should know of how it was verified, one sentence each.
        mutants: What the tests notice of small faults in the changed lines; None where that is
            not known.
        wrong_fixes: What the tests that were written first make of wrong fixes; None where there
            are no such tests, or no wrong fix could be made.
        unconfirmed: Guesses of its proposer that no test runs.
        besides: Ids of tests that no patch has to mend, and that pass with it.
        rows: Of its proof card, as far as the other attributes don't tell them.
    """

    target: Observation | None
    suite: Observation | None = None
    new_failures: tuple[Failure, ...] = ()
    findings: tuple[GuardFinding, ...] = ()
    changed_tests: tuple[str, ...] = ()
    problem: str = ""
    uncompared: str = ""
    restored: tuple[str, ...] = ()
    runs: tuple[int, ...] = ()
    remarks: tuple[str, ...] = ()
    mutants: MutantResults | None = None
    wrong_fixes: MutantResults | None = None
    unconfirmed: tuple[Guess, ...] = ()
    besides: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether the patch is accepted."""
        return (
            not self.problem
            and self.target is not None
            and self.target.ok
            and not self.new_failures
            and not self.refused
        )

    @property
    def acceptance(self) -> Acceptance:
        """Whether the patch can be used, or only once a person has looked at it: `to_check`, `left_open`."""
        if not self.accepted:
            return Acceptance.NO
        return Acceptance.AFTER_APPROVAL if self.to_check or self.left_open else Acceptance.YES

    @property
    def left_open(self) -> tuple[Fact, ...]:
        """What its rows leave for a person to look at."""
        return left_open(self.rows)

    @property
    def to_check(self) -> tuple[GuardFinding, ...]:
        """What a person has to look at."""
        return tuple(
            finding for finding in self.findings if finding.severity is Severity.NEEDS_PERSON
        )

    @property
    def refused(self) -> bool:
        """Whether a guard rejects the patch."""
        return any(finding.severity is Severity.REJECT for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try: who proposed what, and how it was verified.

    Attributes:
        n: Counts from 1.
        proposer: `mechanical`, `search`, `agent`, `test-first`.
        proposal: What came out.
        verification: How it was verified; None when there was no patch to verify.
        failing_before: Ids that failed before it; a command that fails and names nothing has none.
        seconds: Wall time with verification.
        started: UTC.
        route: How it asked a model, and why so; None if it asked none.
        standing: Beside attempts that were made with it and pass too; None where it is alone.
        passed_before: Whether nothing failed before it either.
    """

    n: int
    proposer: str
    proposal: Proposal
    verification: Verification | None
    failing_before: tuple[str, ...]
    seconds: float
    started: datetime | None = None
    route: Route | None = None
    standing: Standing | None = None
    passed_before: bool = False

    @property
    def passes(self) -> bool:
        """Whether its patch passes everything that is run and read."""
        return self.verification is not None and self.verification.accepted

    @property
    def doubtful(self) -> bool:
        """Whether its patch passes, and yet is not likely enough to be right.

        What takes back a change that somebody wanted never is: no test says what is lost with it.
        """
        if self.verification is None or not self.passes:
            return False
        if self.proposal.reverts:
            return True
        assurance = self.proposal.assurance
        unsure = assurance is not None and not assurance.enough
        return unsure or bool(self.verification.unconfirmed)

    @property
    def accepted(self) -> bool:
        """Whether its patch is accepted."""
        return self.passes and not self.doubtful and not self.passed_over

    @property
    def passed_over(self) -> bool:
        """Whether the patch of another attempt, made side by side with it, was taken instead."""
        return self.standing is not None and not self.standing.chosen

    @property
    def acceptance(self) -> Acceptance:
        """Whether its patch can be used."""
        if self.verification is None or self.doubtful or self.passed_over:
            return Acceptance.NO
        return self.verification.acceptance

    @property
    def failing_after(self) -> tuple[str, ...] | None:
        """Ids that failed with its patch, likewise, or None when it was not verified."""
        if self.verification is None or self.verification.target is None:
            return None
        return tuple(failure.test for failure in self.verification.target.named)


def suggestion_of(attempts: Sequence[Attempt]) -> Attempt | None:
    """Return the doubtful attempt that is the likeliest to be right, or None."""
    doubtful = [attempt for attempt in attempts if attempt.doubtful]
    return max(doubtful, key=_probability, default=None)


def _probability(attempt: Attempt) -> float:
    """Return how likely a patch is to be right; a guess that nothing runs is the least likely."""
    assurance = attempt.proposal.assurance
    return assurance.probability if assurance is not None else 0.0
