"""How a run ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from bot.model.attempt import (
    Acceptance,
    Attempt,
    GuardFinding,
    Patch,
    Revert,
    Verification,
    suggestion_of,
)
from bot.model.culprit import WhatChanged
from bot.model.flaky import FlakyFindings
from bot.model.merge_group import GroupFinding
from bot.model.money.accounts import Balance
from bot.model.observation import Observation
from bot.model.problem import Commands, FailedJob, Problem
from bot.model.proof_card import Fact
from bot.model.quarantine import QuarantineMark
from bot.model.specification import RequestKind, Specification
from bot.usage import Usage


class Cause(StrEnum):
    """What the reproduction found, before any money was spent."""

    REAL = "real"
    FLAKY = "flaky"
    RED_ON_BASE = "red on base"
    NOT_REPRODUCED = "not reproduced"
    INFRASTRUCTURE = "infrastructure"


class OtherKind(StrEnum):
    """Why a failure is not what a patch has to mend."""

    ENVIRONMENT = "environment"
    UNSTABLE = "unstable"
    OLD = "old"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True)
class OtherFailure:
    """A test that fails, and that no patch has to mend.

    Attributes:
        test: Its id.
        kind: Why not.
        cause: The same for people, as the end of a sentence about the test.
    """

    test: str
    kind: OtherKind
    cause: str


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The failing command on the untouched tree, and what that means.

    Attributes:
        cause: The conclusion.
        observation: The execution that shows what a patch has to mend; None when the setup
            already failed.
        baseline: The whole suite on the untouched tree; None when it is the failing command.
        reason: One sentence for the person, why this cause.
        runs: Exit codes of every execution of the failing command.
        setup_output: Tail of the setup's output when it failed.
        test_patch: The test written first, when nothing failed before it; else None.
        jobs: The failed checks that the run is about.
        whole: The failing command as it was before it was narrowed to the failing tests, on the
            untouched tree; None when it was not narrowed.
        others: What fails besides, and no patch has to mend.
        undecided: Nothing told which of several failures the problem is about.
    """

    cause: Cause
    observation: Observation | None
    baseline: Observation | None = None
    reason: str = ""
    runs: tuple[int, ...] = ()
    setup_output: str = ""
    test_patch: Patch | None = None
    jobs: tuple[FailedJob, ...] = ()
    whole: Observation | None = None
    others: tuple[OtherFailure, ...] = ()
    undecided: bool = False


class Verdict(StrEnum):
    """How a run ends."""

    FIXED = "fixed"
    SUGGESTED = "suggested"
    IMPROVED = "improved"
    FLAKY = "flaky"
    RED_ON_BASE = "red on base"
    NOT_REPRODUCED = "not reproduced"
    INFRASTRUCTURE = "infrastructure"
    GAVE_UP = "gave up"
    BUDGET_SPENT = "budget spent"
    STOPPED = "stopped"
    REFUSED = "refused"
    EXPLAINED = "explained"


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
        patch: The accepted one, or the suggested one, or the best partial one, or empty.
        patch_accepted: Whether `patch` is accepted.
        usage: Of the whole run.
        seconds: Wall time of the whole run.
        command_seconds: Of it, commands in the sandbox: setup, tests and what a model ran. Those
            before a restart are not counted.
        notes: What a person should know besides.
        balances: How the accounts stand that it was charged to, on a server.
        draft: Whether `patch`, which is not accepted, is worth a draft: it mends some of several
            failures, and nothing tells which of them the problem is about; or it takes back what
            broke the tests, and somebody has to say whether they may lose that.
        kind: What was asked for.
        specification: What is asked, as points, where nothing failed at first; else None.
        asks: Whether the run goes on once a person agrees with `specification`.
        what_changed: The commit or the release that broke the tests; None where nobody looked.
        flaky: What decides how tests end that both fail and pass; None where nobody looked.
        group: Which pull requests of a merge group are the cause; None where nobody looked.
        issue_unread: Whether nobody read the issue, and nothing shows that it is about what was mended.
        quarantine: Its flaky tests that were not repaired, with the marks that were tried.
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
    draft: bool = False
    kind: RequestKind = RequestKind.BUG
    specification: Specification | None = None
    asks: bool = False
    what_changed: WhatChanged | None = None
    flaky: FlakyFindings | None = None
    group: GroupFinding | None = None
    issue_unread: bool = False
    quarantine: tuple[QuarantineMark, ...] = ()

    @property
    def rerun_may_help(self) -> bool:
        """Whether the failed jobs may pass when GitHub runs them again: what failed comes and goes."""
        if self.verdict is Verdict.FLAKY:
            return True
        jobs = self.reproduction.jobs if self.reproduction is not None else ()
        outside = self.verdict is Verdict.INFRASTRUCTURE and bool(jobs)
        return outside and all(job.rerun_helps for job in jobs)

    @property
    def acceptance(self) -> Acceptance:
        """Whether `patch` can be used, or only once a person has looked at it."""
        if not self.patch_accepted:
            return Acceptance.NO
        waits = self.to_check or self.left_open
        return Acceptance.AFTER_APPROVAL if waits else Acceptance.YES

    @property
    def to_check(self) -> tuple[GuardFinding, ...]:
        """What a person has to look at before `patch` is used; nothing where it is not accepted."""
        verification = self._verification
        return verification.to_check if verification is not None else ()

    @property
    def left_open(self) -> tuple[Fact, ...]:
        """What the proof of `patch` leaves open; nothing where it is not accepted."""
        verification = self._verification
        return verification.left_open if verification is not None else ()

    @property
    def _verification(self) -> Verification | None:
        attempt = self.accepted_attempt if self.patch_accepted else None
        return attempt.verification if attempt is not None else None

    @property
    def suggested_attempt(self) -> Attempt | None:
        """The attempt whose patch is suggested: it passes, and may yet be wrong."""
        return suggestion_of(self.attempts) if self.verdict is Verdict.SUGGESTED else None

    @property
    def reverts(self) -> tuple[Revert, ...]:
        """The commits of which a suggested `patch` takes something back."""
        attempt = self.suggested_attempt
        return attempt.proposal.reverts if attempt is not None else ()

    @property
    def accepted_attempt(self) -> Attempt | None:
        """The attempt whose patch is accepted."""
        return next((attempt for attempt in self.attempts if attempt.accepted), None)
