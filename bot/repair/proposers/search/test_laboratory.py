"""Open the laboratory for a task and look at its tests: the part that searching and locating share."""

from __future__ import annotations

from functools import partial

from bot.model.steps import Steps
from bot.repair.harness.client import (
    FOLDER,
    Laboratory,
)
from bot.repair.harness.suite_command import suite_command
from bot.repair.proposers.base import Task
from bot.repair.proposers.mechanical.configuration import decide
from bot.repair.proposers.search.evidence import (
    SearchEvidence,
    files_in,
    read_evidence,
    without,
    without_files,
)
from bot.repair.workspace.base import Workbench
from sandbox.base import WORKSPACE

_PATIENCE = 2.0
"""Seconds of processor time after which a test counts as hanging, where nothing is known of it."""


async def open_laboratory(
    task: Task,
    workbench: Workbench,
    steps: Steps,
    *,
    key: str,
    folder: str = FOLDER,
    root: str = WORKSPACE,
) -> Laboratory | None:
    """Return the attempt's sandbox with the driver in it, None when no test run is known.

    Args:
        task: Whose failing command is looked behind.
        workbench: The sandbox.
        steps: Of the run.
        key: Front of the steps' names.
        folder: For the driver, in the sandbox.
        root: Of the work tree, in the sandbox.
    """
    whole = task.reproduction.whole  # passing tests say most about where a fault can't be
    read = partial(suite_command, whole.command if whole is not None else task.commands.failing)
    command = await decide(read, workbench, steps, name=key)
    if command is None:
        return None
    laboratory = Laboratory(workbench, steps, key, command, folder, root)
    await laboratory.open()
    return laboratory


async def look(task: Task, laboratory: Laboratory, seconds: float) -> tuple[SearchEvidence, float]:
    """Return what the tests show of the commit's files, and how many seconds that took.

    Raises:
        NoAnswer: When the tests can't be collected.
    """
    observation = task.reproduction.whole or task.reproduction.observation
    patience = _PATIENCE
    if observation is not None and not observation.timed_out:
        patience = observation.seconds + 1.0
    failing = [failure.test for failure in observation.failing] if observation else []
    others = [failure.test for failure in task.reproduction.others]
    answer = await laboratory.ask(
        "localise", "collect", seconds, patience=patience, failing=failing, aside=others
    )
    evidence = await _of_the_commit(read_evidence(answer), laboratory.workbench)
    return (without(evidence, others) if others else evidence), float(answer["seconds"])


async def _of_the_commit(evidence: SearchEvidence, workbench: Workbench) -> SearchEvidence:
    """Return the evidence without files that only a setup made, such as an environment's packages."""
    seen = sorted(files_in(evidence))
    return without_files(evidence, {*seen} - {*await workbench.untouched(tuple(seen))})
