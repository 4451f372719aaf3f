"""Show a job that runs here: a line per step, and what failed in the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TextIO

from bot.ci.execution import Watcher
from bot.ci.failures.console import plain
from bot.ci.failures.registry import read
from bot.ci.job_run import FinishedJob, StepOutcome, StepRun
from bot.ci.workflow.plan.jobs import JobLeg
from bot.ci.workflow.plan.plan import JobPlan
from bot.ci.workflow.plan.step import Step
from bot.model.untrusted import strip_hidden
from bot.reporting.figures import duration
from bot.reporting.plain import printable
from bot.reporting.reasons import job_steps

_TAIL_LINES = 40
_MOST_FAILURES = 10
_MOST_OTHERS = 6
_MOST_PARTS = 4
_SIGNS = {StepOutcome.SUCCESS: "ok  ", StepOutcome.FAILURE: "FAIL", StepOutcome.SKIPPED: "skip"}


def chosen_leg(chosen: JobLeg, found: Sequence[JobLeg]) -> str:
    """Say which of several legs was taken because it runs here."""
    others = [leg.names[0] for leg in found if leg is not chosen]
    if len(others) > _MOST_OTHERS:
        others[_MOST_OTHERS:] = [f"{len(others) - _MOST_OTHERS} more"]
    return (
        f"{len(found)} matrix legs match; using {chosen.names[0]} because it can run here. "
        f"The others: {'; '.join(others)}."
    )


class RunPrinter:
    """Writes plain lines as the job goes on."""

    def __init__(self, target: TextIO, steps: int) -> None:
        self._target = target
        self._steps = steps

    def watcher(self) -> Watcher:
        """Return what an execution tells its steps to."""
        return Watcher(self._started, self._finished, self._fetching)

    def for_its_outputs(self, plan: JobPlan) -> None:
        """Say that a job runs first because its outputs make the matrix of the chosen one."""
        self._line(
            f"{plan.name}  ({plan.target.entry}, job {plan.target.job.id}) runs first: its outputs"
            " make the matrix."
        )

    def for_its_artifacts(self, plan: JobPlan) -> None:
        """Say that a job runs first because the chosen one takes what it uploads."""
        self._line(
            f"{plan.name}  ({plan.target.entry}, job {plan.target.job.id}) runs first: it uploads"
            " artifacts that are needed."
        )

    def planned(self, plan: JobPlan, sentences: tuple[str, ...]) -> None:
        """Name the job and what differs from GitHub's runner."""
        self._line(f"{plan.name}  ({plan.target.entry}, job {plan.target.job.id})")
        for sentence in sentences:
            self._line(f"  note: {sentence}")

    def _started(self, step: Step) -> None:
        self._line(f"  ... {step.spec.number}/{self._steps} {step.title}")

    def _fetching(self, shown: str) -> None:
        self._line(f"  ... {shown}")

    def _finished(self, run: StepRun) -> None:
        took = f" ({duration(run.seconds)})" if run.result else ""
        tolerated = ", ignored because of `continue-on-error`" if run.tolerated else ""
        if run.tolerated and not run.step.spec.continue_on_error:
            tolerated = f". {run.why}"
        why = f" {' '.join(run.step.said)}" if run.outcome is StepOutcome.SKIPPED else ""
        sign = _SIGNS[run.outcome]
        title = run.step.title
        self._line(f"  {sign} {run.step.spec.number}/{self._steps} {title}{took}{tolerated}{why}")

    def concluded(self, execution: FinishedJob) -> None:
        """Say how it ended, with the end of the failing step's output."""
        for sentence in execution.said:
            self._line(f"  note: {sentence}")
        self._line(time_spent(execution))
        failed = execution.failed
        if failed is None:
            numbers = [run.step.spec.number for run in execution.left_out]
            self._line(job_steps.job_ends(numbers, execution.unread))
            return
        run = failed.innermost()
        self._line("")
        self._line(f"The job fails at step {failed.step.spec.number}: {run.step.title}. {how(run)}")
        for failure in _failures(run)[:_MOST_FAILURES]:
            self._line(f"  {failure}")
        for line in _tail(run):
            self._target.write(f"  | {line}\n")

    def _line(self, text: str) -> None:
        indent = text[: len(text) - len(text.lstrip())]
        self._target.write(f"{indent}{printable(text)}\n")
        self._target.flush()


def time_spent(execution: FinishedJob) -> str:
    """Say where the time went: the longest parts first."""
    parts = [(run.step.title[:40], run.seconds) for run in execution.runs if run.seconds >= 1]
    if execution.fetching >= 1:
        parts.append((job_steps.FETCHING, execution.fetching))
    parts.sort(key=lambda part: -part[1])
    whole = sum(run.seconds for run in execution.runs) + execution.fetching
    return job_steps.time_spent(
        duration(whole), [(name, duration(seconds)) for name, seconds in parts[:_MOST_PARTS]]
    )


def how(run: StepRun) -> str:
    """Return how a step failed, as a sentence or two."""
    code = f"Exit code {run.result.exit_code}." if run.result else ""
    return f"{code} {run.why}".strip()


def _failures(run: StepRun) -> list[str]:
    if run.result is None:
        return []
    title = run.step.title.removeprefix("Run ")
    found = read(run.result.output, failed=True, command=title).failing
    return [f"{failure.test}: {failure.message}".strip(": ") for failure in found]


def _tail(run: StepRun) -> list[str]:
    if run.result is None:
        return []
    lines = plain(run.result.output).rstrip().split("\n")[-_TAIL_LINES:]
    return [strip_hidden(line) for line in lines]


def execution_json(plan: JobPlan, execution: FinishedJob) -> dict[str, Any]:
    """Return how a job ran."""
    failed = execution.failed
    return {
        "name": plan.name,
        "workflow": plan.target.entry,
        "job": plan.target.job.id,
        "passed": execution.passed,
        "left_out": [run.step.spec.number for run in execution.left_out],
        "unread": list(execution.unread),
        "failed_step": failed.step.spec.number if failed else None,
        "failing": _failures(failed.innermost()) if failed else [],
        "notes": list(execution.said),
        "fetching_seconds": round(execution.fetching, 3),
        "steps": [_run(run) for run in execution.runs],
    }


def _run(run: StepRun) -> dict[str, Any]:
    return {
        "number": run.step.spec.number,
        "name": run.step.title,
        "outcome": run.outcome.value,
        "tolerated": run.tolerated,
        "exit_code": run.result.exit_code if run.result else None,
        "seconds": round(run.seconds, 3),
        "why": run.why or None,
        "said": list(run.step.said),
        "output": run.result.output if run.result and run.breaks else None,
        "steps": [_run(inner) for inner in run.inner],
    }
