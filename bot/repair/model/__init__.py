"""The words of a repair as frozen values: request, reproduction, attempt, verification, report."""

from __future__ import annotations

from bot.repair.model.attempt import Attempt, GuardFinding, Patch, Proposal, Severity, Verification
from bot.repair.model.limits import Limits, SearchLimits, Usage
from bot.repair.model.observation import Failure, Observation, StartedProgram, TestCounts
from bot.repair.model.problem import Commands, Comment, FailedJob, Problem, Target
from bot.repair.model.report import Cause, Report, Reproduction, Verdict

__all__ = [
    "Attempt",
    "Cause",
    "Commands",
    "Comment",
    "FailedJob",
    "Failure",
    "GuardFinding",
    "Limits",
    "Observation",
    "Patch",
    "Problem",
    "Proposal",
    "Report",
    "Reproduction",
    "SearchLimits",
    "Severity",
    "StartedProgram",
    "Target",
    "TestCounts",
    "Usage",
    "Verdict",
    "Verification",
]
