"""Decide why a check failed, from its evidence and from its runs here. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.ci.evidence import JobEvidence
from bot.model import Cause, Failure, Observation, Target
from bot.repair.loop import COMMAND_NOT_FOUND
from bot.reporting.reasons import failed_jobs

MOST_RUNS = 4
"""Executions of a failing command that may be flaky."""

_MOST_DIFFERENCES = 3

ORDER = (Cause.REAL, Cause.RED_ON_BASE, Cause.FLAKY, Cause.NOT_REPRODUCED, Cause.INFRASTRUCTURE)
"""Which cause wins for a commit whose failed checks have several."""


@dataclass(frozen=True, slots=True)
class CheckConclusion:
    """Why one check failed: the cause, and a sentence for people."""

    cause: Cause
    reason: str


def outside(evidence: JobEvidence) -> CheckConclusion | None:
    """Return the conclusion of a failure that, by its log, has a cause outside the code."""
    if not evidence.outside:
        return None
    return CheckConclusion(
        Cause.INFRASTRUCTURE, failed_jobs.outside(evidence.check.name, evidence.outside)
    )


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


def conclude_at_head(
    target: Target, evidence: JobEvidence, runs: Sequence[Observation]
) -> CheckConclusion:
    """Return what the runs at the failing commit show; a real failure still has to be checked at the base."""
    first, check, command = runs[0], target.check, runs[0].command
    red = sum(not run.ok for run in runs)
    differs = differences(target)
    if red == 0:
        reason = failed_jobs.passes(check, command, len(runs), differs)
        return CheckConclusion(Cause.NOT_REPRODUCED, reason)
    if red < len(runs):
        reason = failed_jobs.flaky(check, command, failed=red, runs=len(runs))
        return CheckConclusion(Cause.FLAKY, reason)
    if first.exit_code == COMMAND_NOT_FOUND and not _named(first.failing, command):
        reason = failed_jobs.program_missing(check, command, differs)
        return CheckConclusion(Cause.NOT_REPRODUCED, reason)
    if _is_another_failure(evidence, first):
        here, there = ([one.test for one in each.failing] for each in (first, evidence))
        reason = failed_jobs.another_failure(check, command, here, there, differs)
        return CheckConclusion(Cause.NOT_REPRODUCED, reason)
    return CheckConclusion(Cause.REAL, failed_jobs.fails(check, command))


def conclude_at_base(
    target: Target, evidence: JobEvidence, head: Observation, base: Observation
) -> CheckConclusion | None:
    """Return the conclusion of a failure that the base has too, None when the base does not have it.

    Args:
        target: The failed job.
        evidence: Of its check.
        head: Its command at the failing commit.
        base: The same at the base commit.
    """
    if not same_at_base(head, base):
        return None
    if evidence.passed_on_base and not _confirms(evidence, head):
        reason = failed_jobs.sandbox_differs(target.check, head.command, differences(target))
        return CheckConclusion(Cause.NOT_REPRODUCED, reason)
    reason = failed_jobs.base_fails_too(
        target.check, head.command, passed_on_github=bool(evidence.passed_on_base)
    )
    return CheckConclusion(Cause.RED_ON_BASE, reason)


def same_at_base(head: Observation, base: Observation) -> bool:
    """Whether the base fails with everything that the head fails with."""
    if base.ok or base.timed_out != head.timed_out:
        return False
    before, now = _ids(base), _ids(head)
    return not (now and before) or now <= before


def overall(conclusions: Sequence[CheckConclusion]) -> CheckConclusion:
    """Return the conclusion of all failed checks of a commit: real when one of them is."""
    cause = next(cause for cause in ORDER if any(each.cause is cause for each in conclusions))
    same = [each.reason for each in conclusions if each.cause is cause]
    rest = [each.reason for each in conclusions if each.cause is not cause]
    told = same if cause is Cause.REAL else [*same, *rest]
    return CheckConclusion(cause, " ".join(dict.fromkeys(told)))


def _confirms(evidence: JobEvidence, observation: Observation) -> bool:
    """Whether the same thing fails here as on GitHub, as far as both name it."""
    return bool({_id(each) for each in evidence.failing} & _ids(observation))


def _is_another_failure(evidence: JobEvidence, observation: Observation) -> bool:
    there = {_id(each) for each in evidence.failing if _names_something(each)}
    here = {_id(each) for each in observation.failing if _names_something(each)}
    return bool(there) and bool(here) and not there & here


def _names_something(failure: Failure) -> bool:
    """Whether a failure was read by a parser that knows its tool, instead of guessed."""
    return "::" in failure.test or failure.file is not None


def _id(failure: Failure) -> str:
    """Return a failure's id; places are compared by file, because a merge may move lines."""
    place = f"{failure.file}:"
    if failure.file and failure.test.startswith(place):
        return failure.file
    return failure.test


def _ids(observation: Observation) -> set[str]:
    return {_id(each) for each in observation.failing if each.test != observation.command}


def _named(failing: Sequence[Failure], command: str) -> bool:
    return any(each.test != command for each in failing)


def differences(target: Target) -> str:
    """Return the first few ways in which a job differs here from GitHub."""
    return " ".join(target.differences[:_MOST_DIFFERENCES])
