"""Decide which failed steps don't end a job here, although they would on GitHub. Pure."""

from __future__ import annotations

import re

from bot.ci.job_run import StepRun
from bot.ci.network import UNREACHABLE
from bot.ci.workflow.earlier import looks_only, runs_tests
from bot.ci.workflow.preparing import downloads, must_succeed
from bot.detect.tree import Tree
from bot.reporting.reasons import runner_differences


def ignored(run: StepRun) -> str:
    """Return why a failure before the step that failed on GitHub doesn't end the job; "" if it does."""
    last = run.innermost()
    title = run.step.title[:80]
    output = last.result.output if last.result else ""
    if re.search(UNREACHABLE, output):
        return runner_differences.earlier_step_unreachable(title)
    script = last.step.command.script if last.step.command else ""
    return "" if must_succeed(script) else runner_differences.earlier_step_fails(title)


def only_fetches(run: StepRun, tree: Tree) -> str:
    """Return why a failure doesn't end a job of which no step is known to fail; "" if it does.

    The step downloads from a place that can't be reached here, and neither tests nor lints.
    """
    last = run.innermost()
    command, output = last.step.command, last.result.output if last.result else ""
    if command is None or not downloads(command.script) or not re.search(UNREACHABLE, output):
        return ""
    if runs_tests(command, tree) or looks_only(command, tree):
        return ""
    return runner_differences.earlier_step_unreachable(run.step.title[:80])
