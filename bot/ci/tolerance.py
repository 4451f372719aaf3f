"""Decide which failed steps don't end a job here, although they would on GitHub. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.ci.job_run import StepRun
from bot.ci.network import UNREACHABLE
from bot.ci.workflow.actions.preparing import downloads, must_succeed
from bot.ci.workflow.compile.earlier import looks_only, runs_tests, tests_or_lints
from bot.ecosystems.tree import Tree
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


def only_prepares(run: StepRun, tree: Tree) -> str:
    """Return why a failure doesn't end a job that tests later; "" if it does.

    The step installs nothing, and neither tests nor lints.
    """
    command = run.innermost().step.command
    if command is None or must_succeed(command.script) or tests_or_lints(command, tree):
        return ""
    return runner_differences.earlier_step_fails(run.step.title[:80])


def blamed(runs: Sequence[StepRun]) -> tuple[StepRun, ...]:
    """Return the runs of a job; the first that was doubted breaks it where nothing else does."""
    doubted = next((run for run in runs if run.doubted), None)
    if doubted is None or any(run.breaks for run in runs):
        return tuple(runs)
    guilty = replace(doubted, tolerated=False, doubted=False, why="")
    return tuple(guilty if run is doubted else run for run in runs)
