"""The words of a repair as frozen values: request, reproduction, attempt, verification, report."""

from __future__ import annotations

from bot.model.assurance import Assurance, Witnesses
from bot.model.attempt import (
    Acceptance,
    Attempt,
    GuardFinding,
    Guess,
    Patch,
    Proposal,
    Revert,
    Severity,
    Verification,
    suggestion_of,
)
from bot.model.limits import Limits, SearchLimits
from bot.model.mutation import MutantResults, Survivor
from bot.model.observation import Failure, Observation, StartedProgram, TestCounts
from bot.model.problem import Commands, Comment, FailedJob, Problem, Target
from bot.model.report import Cause, OtherFailure, OtherKind, Report, Reproduction, Verdict
from bot.model.specification import Point, RequestKind, Specification, Specify
from bot.usage import Usage

__all__ = [
    "Acceptance",
    "Assurance",
    "Attempt",
    "Cause",
    "Commands",
    "Comment",
    "FailedJob",
    "Failure",
    "GuardFinding",
    "Guess",
    "Limits",
    "MutantResults",
    "Observation",
    "OtherFailure",
    "OtherKind",
    "Patch",
    "Point",
    "Problem",
    "Proposal",
    "Report",
    "Reproduction",
    "RequestKind",
    "Revert",
    "SearchLimits",
    "Severity",
    "Specification",
    "Specify",
    "StartedProgram",
    "Survivor",
    "Target",
    "TestCounts",
    "Usage",
    "Verdict",
    "Verification",
    "Witnesses",
    "suggestion_of",
]
