"""How a job and its steps ran."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.ci.workflow.actions import ActionStatus
from bot.ci.workflow.plan.step import Step
from sandbox.base import CommandResult


class StepOutcome(StrEnum):
    """How a step ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class StepRun:
    """One step that was reached.

    Attributes:
        outcome: Before `continue-on-error`.
        tolerated: It failed, and the job goes on as if it had not.
        doubted: Tolerated only as long as a later step fails: then that is what the job fails with.
        result: Of its command, or of the command inside its composite action that failed.
        seconds: Wall time.
        inner: Steps of the composite action that it uses.
        why: Why it failed, or why that does not matter, where more than its exit status is known.
    """

    step: Step
    outcome: StepOutcome
    tolerated: bool = False
    result: CommandResult | None = None
    seconds: float = 0.0
    inner: tuple[StepRun, ...] = ()
    why: str = ""
    doubted: bool = False

    @property
    def breaks(self) -> bool:
        """Whether the job fails with it."""
        return self.outcome is StepOutcome.FAILURE and not self.tolerated

    @property
    def undated(self) -> tuple[str, ...]:
        """Package indexes that could not be held to a date; see `CommandResult.undated`."""
        own = self.result.undated if self.result else ()
        inner = (host for run in self.inner for host in run.undated)
        return tuple(dict.fromkeys((*own, *inner)))

    @property
    def left_out(self) -> bool:
        """Whether something of it could not be evaluated or run here."""
        own = self.step.need is ActionStatus.SKIPPED
        return own or any(run.left_out for run in self.inner)

    def innermost(self) -> StepRun:
        """Return the step that failed inside a composite action, or itself."""
        broken = next((run for run in self.inner if run.breaks), None)
        return broken.innermost() if broken else self


@dataclass(frozen=True, slots=True)
class FinishedJob:
    """A job that ran.

    Attributes:
        runs: Its steps in order.
        said: Differences from GitHub's runner that showed while it ran.
        fetching: Seconds in which the failing step's needs were fetched.
        unread: What of the job itself could not be evaluated, as sentences.
    """

    runs: tuple[StepRun, ...]
    said: tuple[str, ...] = ()
    fetching: float = 0.0
    unread: tuple[str, ...] = ()

    @property
    def failed(self) -> StepRun | None:
        """The step that made the job fail, or None when none did."""
        return next((run for run in self.runs if run.breaks), None)

    @property
    def left_out(self) -> tuple[StepRun, ...]:
        """Steps of which something could not be evaluated or run here."""
        return tuple(run for run in self.runs if run.left_out)

    @property
    def passed(self) -> bool:
        """Whether the job succeeded, all of it."""
        return self.failed is None and not self.left_out and not self.unread
