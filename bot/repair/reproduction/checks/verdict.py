"""Decide why a check failed, from its evidence and from its runs here. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from bot.ci.evidence import JobEvidence
from bot.ci.evidence_reader import MOST_FAILURES
from bot.ci.failure_comparison import (
    FailureMatch,
    Likeness,
    account_of_log,
    account_of_run,
    compare,
)
from bot.ci.network import lacks_network
from bot.model import Cause, Failure, Observation, Target
from bot.repair.loop import COMMAND_NOT_FOUND
from bot.repair.reproduction.project_evidence import Project, without_evidence
from bot.repair.workspace.programs import Trace
from bot.reporting.reason import Reason, because, worded
from bot.reporting.reasons import failed_jobs

MOST_RUNS = 4
"""Executions of a failing command that may be flaky."""

_MOST_DIFFERENCES = 3

ORDER = (Cause.REAL, Cause.RED_ON_BASE, Cause.FLAKY, Cause.NOT_REPRODUCED, Cause.INFRASTRUCTURE)
"""Which cause wins for a commit whose failed checks have several."""


@dataclass(frozen=True, slots=True)
class CheckConclusion:
    """Why one check failed.

    Attributes:
        cause: Which kind of cause it has.
        reasons: For people, in their order.
        only_here: How many failures its command shows that GitHub's log does not have.
    """

    cause: Cause
    reasons: tuple[Reason | str, ...]
    only_here: int = 0

    @property
    def reason(self) -> str:
        """The reasons in words."""
        return worded(self.reasons)


def outside(evidence: JobEvidence) -> CheckConclusion | None:
    """Return the conclusion of a failure that, by its log, has a cause outside the code."""
    if not evidence.outside:
        return None
    why = because(failed_jobs.outside, evidence.check.name, evidence.outside)
    return CheckConclusion(Cause.INFRASTRUCTURE, (why,))


def wants_another_run(runs: Sequence[Observation], evidence: JobEvidence) -> bool:
    """Whether the failing command is to be run again on the untouched tree.

    One red run is confirmed by another. A single green one is not enough, because the check was
    red on GitHub. Where two disagree, or the failure looks flaky, there are more runs.
    """
    if len(runs) >= MOST_RUNS or any(run.timed_out for run in runs):
        return False
    red = sum(not run.ok for run in runs)
    if 0 < red < len(runs):
        return True
    wanted = 2 if red else 3
    return len(runs) < wanted + evidence.may_be_flaky


def wants_registries(evidence: JobEvidence, run: Observation) -> bool:
    """Whether the failing command died for want of a network before it showed GitHub's failure."""
    if run.ok or not _wants_network(run):
        return False
    return not likeness_of(evidence, run).seen


def likeness_of(evidence: JobEvidence, run: Observation) -> FailureMatch:
    """Return how much of the failure in GitHub's log a run of its command shows."""
    return compare(account_of_log(evidence), account_of_run(run))


def conclude_at_head(
    target: Target,
    evidence: JobEvidence,
    runs: Sequence[Observation],
    *,
    online: bool = False,
    setup: Sequence[str] = (),
) -> CheckConclusion:
    """Return what the runs at the failing commit show; a real failure still has to be checked at the base.

    Args:
        target: The failed job.
        evidence: Of its check.
        runs: Of its command, in order.
        online: Whether it could reach the registries.
        setup: Which steps before it failed, as sentences.
    """
    first, check, command = runs[0], target.check, runs[0].command
    red = sum(not run.ok for run in runs)
    differs = differences(target)
    if red == 0:
        reason = because(failed_jobs.passes, check, command, len(runs), differs, online=online)
        return CheckConclusion(Cause.NOT_REPRODUCED, (reason,))
    if red < len(runs):
        reason = because(failed_jobs.flaky, check, command, failed=red, runs=len(runs))
        return CheckConclusion(Cause.FLAKY, (reason,))
    found = likeness_of(evidence, first)
    if not found.seen and (another := _why_another(target, first, found, setup)):
        return CheckConclusion(Cause.NOT_REPRODUCED, (another,))
    only_here = tuple(failure.test for failure in to_leave(evidence, first))
    told: list[Reason | str] = [because(failed_jobs.fails, check, command, online=online)]
    if found.likeness is Likeness.UNKNOWN:
        told.append(failed_jobs.NOT_COMPARED)
    elif only_here:
        told.append(because(failed_jobs.fails_here_only, only_here))
    return CheckConclusion(Cause.REAL, tuple(told), len(only_here))


def _why_another(
    target: Target, run: Observation, found: FailureMatch, setup: Sequence[str]
) -> Reason | None:
    """Return why a run does not show GitHub's failure, None where it may be the one."""
    check, command, differs = target.check, run.command, differences(target)
    here, there = found.only_here, found.only_there
    not_started = run.exit_code == COMMAND_NOT_FOUND and not run.named
    if setup and (not_started or found.likeness is not Likeness.UNKNOWN):
        return because(failed_jobs.after_failed_setup, check, command, setup, here, there)
    if not_started:
        return because(failed_jobs.program_missing, check, command, differs)
    if found.likeness is Likeness.UNKNOWN and not _only_for_want_of_a_network(run):
        return None
    if _wants_network(run):
        return because(failed_jobs.network_missing, check, command, here, there, run.refused)
    if run.timed_out and not run.named:
        return because(failed_jobs.too_slow, check, command, round(run.seconds), there, differs)
    return because(failed_jobs.another_failure, check, command, here, there, differs)


def _wants_network(run: Observation) -> bool:
    return lacks_network(run.output) or bool(run.refused)


def _only_for_want_of_a_network(run: Observation) -> bool:
    told = [lacks_network(f"{each.message}\n{each.detail}") for each in run.named]
    return all(told) if told else _wants_network(run)


def to_leave(evidence: JobEvidence, run: Observation) -> tuple[Failure, ...]:
    """Return what fails here and not in GitHub's log: it comes from the sandbox, and may stay.

    Nothing where the log's list may not be complete.
    """
    found = likeness_of(evidence, run)
    if not found.shared or len(evidence.failing) >= MOST_FAILURES:
        return ()
    shared = {failure.test for failure in found.shared}
    return tuple(failure for failure in run.named if failure.test not in shared)


def base_alone(evidence: JobEvidence, base: Observation) -> tuple[Failure, ...]:
    """Return what fails at the base here and is not in GitHub's log: a repair may leave it.

    At the failing commit it may lie behind GitHub's failure, in a command that is not reached.
    """
    if base.ok or base.timed_out or len(evidence.failing) >= MOST_FAILURES:
        return ()
    shared = {failure.test for failure in likeness_of(evidence, base).shared}
    return tuple(failure for failure in base.named if failure.test not in shared)


def with_evidence(
    conclusion: CheckConclusion,
    target: Target,
    evidence: JobEvidence,
    run: Observation,
    trace: Trace,
    project: Project,
) -> CheckConclusion:
    """Return the conclusion, which is another one where nothing of the project shows in the failure.

    What GitHub's log names as well is a failure of the project, whatever it lacks.

    Args:
        conclusion: Of the runs.
        target: The failed job.
        evidence: Of its check.
        run: Its command at the failing commit.
        trace: What the command started and read in another run.
        project: The work tree.
    """
    if conclusion.cause is not Cause.REAL or likeness_of(evidence, run).shared:
        return conclusion
    why = without_evidence(run, trace, project)
    if not why:
        return conclusion
    return CheckConclusion(Cause.INFRASTRUCTURE, (because(failed_jobs.outside, target.check, why),))


def conclude_at_base(
    target: Target,
    evidence: JobEvidence,
    head: Observation,
    base: Observation,
    silent: Sequence[str] = (),
) -> CheckConclusion | None:
    """Return the conclusion of a failure that the base has too, None when the base does not have it.

    Args:
        target: The failed job.
        evidence: Of its check.
        head: Its command at the failing commit.
        base: The same at the base commit.
        silent: Files whose changed tests gave no result at the failing commit.
    """
    found = likeness_of(evidence, head)
    if not same_at_base(replace(head, failing=found.shared or head.failing), base):
        return None
    if evidence.passed_on_base and not found.seen:
        reason = because(
            failed_jobs.sandbox_differs, target.check, head.command, differences(target)
        )
        return CheckConclusion(Cause.NOT_REPRODUCED, (reason,))
    added = compare(account_of_run(base), account_of_run(head)).only_here if base.named else ()
    reason = because(
        failed_jobs.base_fails_too,
        target.check,
        head.command,
        passed_on_github=bool(evidence.passed_on_base),
        added=added,
        silent=tuple(silent),
    )
    return CheckConclusion(Cause.RED_ON_BASE, (reason,), len(to_leave(evidence, head)))


def same_at_base(head: Observation, base: Observation) -> bool:
    """Whether the base fails with everything that the head fails with."""
    if base.ok or base.timed_out != head.timed_out:
        return False
    found = compare(account_of_run(head), account_of_run(base))
    return found.likeness in {Likeness.SAME, Likeness.UNKNOWN}


def overall(conclusions: Sequence[CheckConclusion]) -> CheckConclusion:
    """Return the conclusion of all failed checks of a commit: real when one of them is."""
    cause = next(cause for cause in ORDER if any(each.cause is cause for each in conclusions))
    first = sorted(conclusions, key=lambda conclusion: conclusion.cause is not cause)
    told = dict.fromkeys(
        conclusion.reasons
        for conclusion in first
        if cause is not Cause.REAL or conclusion.cause is cause
    )
    return CheckConclusion(cause, tuple(chain.from_iterable(told)))


def differences(target: Target) -> str:
    """Return the first few ways in which a job differs here from GitHub."""
    return " ".join(target.differences[:_MOST_DIFFERENCES])
