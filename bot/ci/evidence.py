"""What GitHub knows of a failed check and of its event, as values that a run starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from bot.model import Failure
from bot.model.request import FailedCheck

if TYPE_CHECKING:
    from bot.ci.workflow.expressions import Value

FAILED = frozenset({"failure", "timed_out", "cancelled"})
"""Conclusions of a step that broke its job."""

RUNNER_STEPS = frozenset({"Set up job", "Set up runner", "Initialize containers", "Complete job"})
"""Steps that GitHub adds; no line of the workflow file stands behind them."""

UNNAMED = "the step"
"""Id of a failure that no runner or tool names: the most telling line of the step's output."""


@dataclass(frozen=True, slots=True)
class StepFacts:
    """A step as GitHub's API tells of it.

    Attributes:
        name: Its `name`, or `Run` with the first line of its script.
        number: In the job's log; GitHub's own first step counts as 1.
        conclusion: `success`, `failure`, `skipped`, `cancelled`, or "" while it runs.
    """

    name: str
    number: int
    conclusion: str
    started: datetime | None = None
    ended: datetime | None = None


@dataclass(frozen=True, slots=True)
class CheckAnnotation:
    """An annotation of a check: a sentence at a line of a file."""

    path: str
    line: int
    level: str
    message: str


@dataclass(frozen=True, slots=True)
class JobEvidence:
    """One failed check, with everything that is known of it.

    Attributes:
        check: Which one.
        workflow: Path of its workflow file; "" for a check of another App.
        event: What the workflow ran for: `push`, `pull_request`; "" where it is not known.
        job: The job's name, as the workflow names its check.
        labels: Of its runner.
        image: The runner's image, such as `ubuntu-24.04`, or "".
        attempt: How often the workflow run was started.
        steps: In order; empty where GitHub does not tell.
        versions: Of linters and formatters that the job had, as `name==version`.
        title: How the log calls the failing step, or "".
        script: What the log shows of the failing step's script, or "".
        failing: What failed at GitHub, in order; the first one is the first real error.
        excerpt: What the failing step printed, cut to a budget around its first real error.
        outside: Why the failure lies outside of the code, as a sentence, or "".
        may_be_flaky: Whether its words are those of failures that come and go.
        remarks: Annotations of the check.
        missing: What is not available, as sentences.
        passed_on_base: Whether the check of this name passed on the base commit at GitHub; None
            where that is not known.
        rerun_helps: Whether the job may well pass when GitHub runs it again.
        called: Reusable workflows of other repositories, by `owner/name/path@ref`: their text.
        run_id: The workflow run that its job belongs to, where GitHub tells.
    """

    check: FailedCheck
    workflow: str = ""
    event: str = ""
    job: str = ""
    labels: tuple[str, ...] = ()
    image: str = ""
    attempt: int = 1
    steps: tuple[StepFacts, ...] = ()
    versions: tuple[str, ...] = ()
    title: str = ""
    script: str = ""
    failing: tuple[Failure, ...] = ()
    excerpt: str = ""
    outside: str = ""
    may_be_flaky: bool = False
    remarks: tuple[CheckAnnotation, ...] = ()
    missing: tuple[str, ...] = ()
    passed_on_base: bool | None = None
    rerun_helps: bool = False
    called: tuple[tuple[str, str], ...] = ()
    run_id: int | None = None

    @property
    def failed_step(self) -> StepFacts | None:
        """The step that made the job fail, where GitHub tells."""
        return next((step for step in self.steps if step.conclusion in FAILED), None)

    @property
    def named(self) -> tuple[Failure, ...]:
        """The failures that a runner or tool names."""
        return tuple(each for each in self.failing if each.test != UNNAMED)

    @property
    def of_actions(self) -> bool:
        """Whether GitHub Actions made the check."""
        return bool(self.workflow)


@dataclass(frozen=True, slots=True)
class EventFacts:
    """What is known of the event that a workflow ran for. Empty text means: not known.

    Attributes:
        name: `push`, `pull_request`.
        ref: `refs/heads/main`.
        repository: `owner/name`.
        base_ref: Branch that a pull request goes into.
        head_ref: Branch that a pull request comes from.
        payload: The webhook's payload as far as it is known.
        inputs: `inputs` of a manual or calling run.
        ran: Outputs of jobs that were run here before, by the workflow's path and the job's id.
    """

    name: str = "push"
    ref: str = ""
    sha: str = ""
    repository: str = ""
    base_ref: str = ""
    head_ref: str = ""
    default_branch: str = ""
    payload: Mapping[str, Value] = field(default_factory=dict)
    inputs: Mapping[str, Value] = field(default_factory=dict)
    ran: Mapping[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)

    def outputs_in(self, workflow: str) -> Mapping[str, Mapping[str, str]]:
        """Return the outputs of the jobs of one workflow that were run here, by their ids."""
        return {job: outputs for (path, job), outputs in self.ran.items() if path == workflow}
