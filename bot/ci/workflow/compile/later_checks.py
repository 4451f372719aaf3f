"""Find the checks behind a failing step, which its job never reached."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from bot.ci.workflow.compile.earlier import looks_only, only_checks, runs_tests
from bot.ci.workflow.expressions.conditions import flag
from bot.ci.workflow.plan.plan import JobPlan, PlannedStep
from bot.ci.workflow.plan.step import Decision
from bot.ci.workflow.runner.command import Command

_SHELLS = frozenset({"", "bash"})
_LEAVES = re.compile(r"\b(?:cd|pushd|exit|exec|trap)\b")
"""Words of a script behind which another one can't stand."""


def checks_behind(
    plan: JobPlan, failing: PlannedStep, skipped: Collection[str]
) -> tuple[PlannedStep, ...]:
    """Return the steps behind the failing one that only look at files, in order.

    GitHub skipped them, so nobody knows yet whether they pass: a repair that stops at the failing
    step may leave the job red. Tests are not among them, nor what needs another installation.

    Args:
        plan: Of the job.
        failing: One of its steps.
        skipped: Titles of the steps that GitHub skipped.
    """
    first = failing.step.command
    if first is None or not _can_go_on(first) or runs_tests(first, plan.frame.tree):
        return ()
    return tuple(
        planned
        for planned in _reachable(plan, failing)
        if planned.step.title in skipped and _fits(planned, first, plan)
    )


def going_on(command: Command, behind: Collection[PlannedStep]) -> Command:
    """Return a command that runs those of these steps, too, where it passes."""
    scripts = [planned.step.command.script for planned in behind if planned.step.command]
    return replace(command, script="\n".join([command.script.rstrip("\n"), *scripts]))


def _reachable(plan: JobPlan, failing: PlannedStep) -> Iterator[PlannedStep]:
    """Yield the steps behind, up to the first that prepares something for those behind it."""
    later = itertools.dropwhile(lambda planned: planned is not failing, plan.steps)
    for planned in itertools.islice(later, 1, None):
        command = planned.step.command
        if command is None or not only_checks(command, plan.frame.tree, ""):
            return
        yield planned


def _fits(planned: PlannedStep, first: Command, plan: JobPlan) -> bool:
    """Whether a step can stand behind the command in one script, and counts at GitHub."""
    step = planned.step
    command = step.command
    return (
        command is not None
        and step.check
        and step.decision is Decision.RUN
        and not flag(step.spec.continue_on_error, plan.scope)
        and not _LEAVES.search(command.script)
        and looks_only(command, plan.frame.tree)
        and replace(command, key=first.key, script=first.script, runner=first.runner) == first
    )


def _can_go_on(command: Command) -> bool:
    return command.shell in _SHELLS and not _LEAVES.search(command.script)
