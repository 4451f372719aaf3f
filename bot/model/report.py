"""How a run ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from bot.model.attempt import Attempt, Patch
from bot.model.money.accounts import Balance
from bot.model.observation import Observation
from bot.model.problem import Commands, FailedJob, Problem
from bot.usage import Usage


class Cause(StrEnum):
    """What the reproduction found, before any money was spent."""

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
        patch: The accepted one, or the best partial one, or empty.
        patch_accepted: Whether `patch` is accepted.
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
    def rerun_may_help(self) -> bool:
        """Whether the failed jobs may pass when GitHub runs them again: what failed comes and goes."""
        if self.verdict is Verdict.FLAKY:
            return True
        jobs = self.reproduction.jobs if self.reproduction is not None else ()
        outside = self.verdict is Verdict.INFRASTRUCTURE and bool(jobs)
        return outside and all(job.rerun_helps for job in jobs)

    @property
    def accepted_attempt(self) -> Attempt | None:
        """The attempt whose patch is accepted."""
        return next((attempt for attempt in self.attempts if attempt.accepted), None)
