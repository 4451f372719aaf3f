"""The words of a repair as frozen values: request, reproduction, attempt, verification, report."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from bot.repair.money.accounts import Balance


@dataclass(frozen=True, slots=True)
class Failure:
    """One failing test, or one error of a compiler or linter.

    Attributes:
        test: The test's id in its runner's own words (`pkg.mod.Class::test_name` for pytest,
            `example.com/pkg.TestX/sub` for go, ...); for a tool's error `path:line: code`.
        file: Path relative to the work tree, or None.
        line: 1-based, or None.
        message: The first line that says why.
        detail: The runner's own account: traceback, diff of expected and actual; may be cut.
    """

    test: str
    file: str | None = None
    line: int | None = None
    message: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TestCounts:
    """How many tests a command ran, by outcome; all None-free because unknown means no counts."""

    __test__ = False  # not a pytest class

    passed: int
    failed: int
    skipped: int


@dataclass(frozen=True, slots=True)
class StartedProgram:
    """A program that a command started, itself or through others.

    Attributes:
        file: Its path in the sandbox.
        arguments: What it was given, its own name first.
        folder: Where it ran: relative to the work tree (empty for its root), else absolute.
        by: Index of the program that started it, or became it; None for the first.
        on_path: Whether the command's shell finds it by its plain name.
    """

    file: str
    arguments: tuple[str, ...]
    folder: str = ""
    by: int | None = None
    on_path: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """One execution of a command in a sandbox, read.

    Attributes:
        command: What was run, as a person would type it.
        exit_code: See `sandbox.base.CommandResult`.
        failing: What failed, in the runner's order; empty when it passed or can't be read.
        passed: Ids of tests that passed, when the runner reports them one by one.
        skipped: Ids of skipped tests, likewise.
        counts: Tests by outcome, or None when the runner does not say.
        output: Head and tail of what it printed.
        seconds: Wall time.
        timed_out: Its time was up.
        written: Paths that it left new or changed in the work tree; empty when nobody looked.
        order: In which order its tests ran, as a sentence; empty when nobody asked.
        programs: What it started, in order; empty when nobody watched, or nobody could.
    """

    command: str
    exit_code: int
    failing: tuple[Failure, ...] = ()
    passed: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()
    counts: TestCounts | None = None
    output: str = ""
    seconds: float = 0.0
    timed_out: bool = False
    written: tuple[str, ...] = ()
    order: str = ""
    programs: tuple[StartedProgram, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the command passed."""
        return self.exit_code == 0

    @property
    def failing_ids(self) -> frozenset[str]:
        """Ids of everything that failed."""
        return frozenset(failure.test for failure in self.failing)


@dataclass(frozen=True, slots=True)
class Target:
    """The command of a failed job, which must pass in the end, in surroundings of its own.

    Attributes:
        check: Name of the check that it stands for.
        step: Title of the step that failed.
        workflow: Path of its workflow file.
        setup: Shell commands, in order, run once with network.
        shown: The same as a person would name or type them, one for each.
        again: Those of them, and what goes with them, that a kept environment needs for another
            commit: what they do belongs to the commit.
        enter: Shell text with which every command in its sandboxes begins: the step's variables.
        command: What fails, as a person would type it.
        differences: From GitHub's runner, as sentences, the weightiest first.
    """

    check: str
    step: str
    workflow: str
    setup: tuple[str, ...]
    shown: tuple[str, ...]
    enter: str
    command: str
    differences: tuple[str, ...] = ()
    again: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A failed check as it is reported.

    Attributes:
        check: Its name.
        url: Where a person reads about it, or "".
        step: Title of the step that failed, or "".
        command: What stands for it here, or "".
        why_not: Why no step of a workflow stands for it here, as a sentence, or "".
        failing: What failed at GitHub, the first real error first.
        excerpt: What it printed around that error.
        differences: From GitHub's runner, as sentences.
    """

    check: str
    url: str = ""
    step: str = ""
    command: str = ""
    why_not: str = ""
    failing: tuple[Failure, ...] = ()
    excerpt: str = ""
    differences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Commands:
    """What sets a repository up and what tests it, and how that was found out.

    Attributes:
        setup: Shell commands, in order, run once with network.
        test: The whole suite.
        failing: The command that shows the failure; the same as `test` unless somebody named one.
        explanation: One sentence per decision, for the person ("`tox.ini` has ..., so ...").
        ecosystems: `python`, `node`, `rust`, `go`, ... in the order of weight.
        targets: The failed jobs that are done again here; `setup` and `failing` are the first's.
    """

    setup: tuple[str, ...]
    test: str
    failing: str
    explanation: tuple[str, ...] = ()
    ecosystems: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of the thread as it was at the trigger. The body is data, never instruction."""

    author: str
    body: str
    trusted: bool = False
    """Whether the author may write to the repository."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What should be repaired, in the words of the people who reported it; frozen at the trigger.

    Attributes:
        title: The issue's or pull request's title; empty for a bare failing command.
        body: Its text.
        comments: The thread, oldest first.
        instructions: What the person who triggered wrote behind `/fix`: the only trusted text.
        number: Of the issue or pull request, or None.
        is_pull_request: Which of the two it is.
    """

    title: str = ""
    body: str = ""
    comments: tuple[Comment, ...] = ()
    instructions: str = ""
    number: int | None = None
    is_pull_request: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """The budget of one run. None means no cap of that kind.

    Attributes:
        attempts: Candidate patches that may be verified.
        cost_usd: Money for model calls.
        seconds: Wall time of the whole run.
        tokens: Input and output tokens together.
        turns: Model turns in one attempt.
        command_seconds: Wall time of one command in the sandbox.
        setup_seconds: Wall time of the setup.
        sandbox_seconds: Wall time of all commands in sandboxes together.
    """

    attempts: int = 3
    cost_usd: Decimal | None = Decimal("2.00")
    seconds: float = 1800.0
    tokens: int | None = None
    turns: int = 60
    command_seconds: float = 600.0
    setup_seconds: float = 900.0
    sandbox_seconds: float | None = None

    @property
    def observation_seconds(self) -> float:
        """Seconds for a command that is judged: one that never ends must leave time for a repair.

        It runs before the repair and after it, more than once, so more than a quarter of the run
        does not help where it does end.
        """
        return min(self.command_seconds, self.seconds / 4)


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """What the search for a repair without a model may take.

    Attributes:
        seconds: Wall time.
        workers: Processes that try edits at the same time; None means one for each processor.
    """

    seconds: float = 120.0
    workers: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more model calls, and their price.

    Attributes:
        input: Tokens read at full price.
        output: Tokens written, thinking included.
        cache_read: Tokens read from the provider's cache.
        cache_write: Tokens written to it.
        cost_usd: None when a price is unknown; never zero for a call that was not free.
        calls: How many model calls these are.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost_usd: Decimal | None = Decimal(0)
    calls: int = 0

    @property
    def tokens(self) -> int:
        """All tokens, whatever their price."""
        return self.input + self.output + self.cache_read + self.cache_write

    def __add__(self, other: Usage) -> Usage:
        """Return the sum; an unknown cost makes the sum's cost unknown."""
        unknown = self.cost_usd is None or other.cost_usd is None
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            cost_usd=None
            if unknown
            else (self.cost_usd or Decimal(0)) + (other.cost_usd or Decimal(0)),
            calls=self.calls + other.calls,
        )


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


class Severity(StrEnum):
    """What a guard finding means for the patch."""

    REJECT = "reject"
    NEEDS_PERSON = "needs a person"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class GuardFinding:
    """Something in a patch that a maintainer would want to know before believing it."""

    rule: str
    severity: Severity
    message: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a proposer leaves behind at the end of one attempt.

    Attributes:
        patch: Against the tree that the attempt started from; empty when it changed nothing.
        summary: What was done and why, in the proposer's words (a model's text is data).
        model: The model that wrote it, or None.
        usage: What it cost.
        ended: Why it ended early ("60 turns used"), or empty.
        notes: Things for the report, such as a fallback and its reason.
        clues: What the next proposer should know: suspicious lines, edits that come near.
        programs: What the failing command started, where the proposer had it watched.
    """

    patch: Patch
    summary: str
    model: str | None = None
    usage: Usage = Usage()
    ended: str = ""
    notes: tuple[str, ...] = ()
    clues: str = ""
    programs: tuple[StartedProgram, ...] = ()


@dataclass(frozen=True, slots=True)
class Verification:
    """The judgement of a candidate patch in a clean sandbox.

    Attributes:
        target: The failing command with the patch applied.
        suite: The whole suite with the patch applied; None when the target already failed or is
            the suite, or when the suite does not end without the patch either.
        new_failures: Failing with the patch and not without it.
        findings: What the guards say.
        changed_tests: Test files that the patch touches.
        problem: Why it could not be judged (the patch does not apply, ...), or empty.
        uncompared: Why the suite can't show what the patch may have broken, as a sentence, or empty.
        restored: Files that were put back before judging.
        runs: Exit codes of every execution of the failing command with the patch.
        remarks: What a person should know of how it was judged, one sentence each.
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

    @property
    def accepted(self) -> bool:
        """Whether the patch is believed."""
        return (
            not self.problem
            and self.target is not None
            and self.target.ok
            and not self.new_failures
            and all(finding.severity is not Severity.REJECT for finding in self.findings)
        )


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try: who proposed what, and how it was judged.

    Attributes:
        n: Counts from 1.
        proposer: `mechanical`, `search`, `agent`, `test-first`.
        proposal: What came out.
        verification: How it was judged; None when there was no patch to judge.
        failing_before: Ids that failed before it.
        seconds: Wall time with verification.
        started: UTC.
    """

    n: int
    proposer: str
    proposal: Proposal
    verification: Verification | None
    failing_before: tuple[str, ...]
    seconds: float
    started: datetime | None = None

    @property
    def accepted(self) -> bool:
        """Whether its patch is believed."""
        return self.verification is not None and self.verification.accepted

    @property
    def failing_after(self) -> tuple[str, ...] | None:
        """Ids that failed with its patch, or None when it was not judged."""
        if self.verification is None or self.verification.target is None:
            return None
        return tuple(failure.test for failure in self.verification.target.failing)


class Cause(StrEnum):
    """What the reproduction found, before a cent was spent."""

    REAL = "real"
    FLAKY = "flaky"
    RED_ON_BASE = "red on base"
    NOT_REPRODUCED = "not reproduced"
    INFRASTRUCTURE = "infrastructure"


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The failing command on the untouched tree, and what that means.

    Attributes:
        cause: The conclusion.
        observation: The first execution; None when the setup already failed.
        baseline: The whole suite on the untouched tree; None when it is the failing command.
        reason: One sentence for the person, why this cause.
        runs: Exit codes of every execution of the failing command.
        setup_output: Tail of the setup's output when it failed.
        test_patch: The test written first, when nothing failed before it; else None.
        jobs: The failed checks that the run is about.
    """

    cause: Cause
    observation: Observation | None
    baseline: Observation | None = None
    reason: str = ""
    runs: tuple[int, ...] = ()
    setup_output: str = ""
    test_patch: Patch | None = None
    jobs: tuple[FailedJob, ...] = ()


class Verdict(StrEnum):
    """How a run ends."""

    FIXED = "fixed"
    IMPROVED = "improved"
    FLAKY = "flaky"
    RED_ON_BASE = "red on base"
    NOT_REPRODUCED = "not reproduced"
    INFRASTRUCTURE = "infrastructure"
    GAVE_UP = "gave up"
    BUDGET_SPENT = "budget spent"
    STOPPED = "stopped"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a run found out: what the pull request, the comment and `--json` show.

    Attributes:
        run_id: Of the run.
        verdict: How it ended.
        reason: One sentence, why.
        problem: What was asked.
        head: The commit that was repaired (40 hex digits).
        commands: How it was set up and tested; None when that was not found out.
        reproduction: None when the run ended before it.
        attempts: All of them, in order.
        patch: The believed one, or the best partial one, or empty.
        patch_accepted: Whether `patch` is believed.
        usage: Of the whole run.
        seconds: Wall time of the whole run.
        command_seconds: Of it, commands in the sandbox: setup, tests and what a model ran. Those
            before a restart are not counted.
        notes: What a person should know besides.
        balances: How the accounts stand that it was charged to, on a server.
    """

    run_id: str
    verdict: Verdict
    reason: str
    problem: Problem
    head: str
    commands: Commands | None = None
    reproduction: Reproduction | None = None
    attempts: tuple[Attempt, ...] = ()
    patch: Patch = field(default_factory=Patch)
    patch_accepted: bool = False
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    command_seconds: float = 0.0
    notes: tuple[str, ...] = ()
    balances: tuple[Balance, ...] = ()

    @property
    def accepted_attempt(self) -> Attempt | None:
        """The attempt whose patch is believed."""
        return next((attempt for attempt in self.attempts if attempt.accepted), None)
