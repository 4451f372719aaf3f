"""Run the search on a plain folder: no sandbox, no setup, no verification."""

from __future__ import annotations

import time
from pathlib import Path

from bot.model import (
    Cause,
    Commands,
    Limits,
    Observation,
    Problem,
    Proposal,
    Reproduction,
    SearchLimits,
    Usage,
)
from bot.model.progress import silent
from bot.model.steps import PlainSteps
from bot.repair.proposers.base import Task
from bot.repair.proposers.search import SearchProposer
from tests.unit.local_workbench import LocalWorkbench

WITHOUT_PLUGINS = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1"
"""Else the plugins of this project's own tests, which no program needs, are imported each time."""


async def repair_in_place(
    folder: Path, test: str, limits: SearchLimits, tools: Path | None = None
) -> Proposal | None:
    """Repair the project in a folder; None where a command took too long for that.

    Args:
        folder: Of the project.
        test: The failing command.
        limits: Of the search.
        tools: The folder of programs of the project's environment; None: of this one.
    """
    workbench = await LocalWorkbench(folder, {}, tools).start()
    driver = folder.parent / "driver"
    driver.mkdir()
    task = Task(
        n=1,
        problem=Problem(),
        commands=Commands((), test, test),
        reproduction=Reproduction(Cause.REAL, Observation(test, 1, timed_out=True)),
        earlier=(),
        limits=Limits(),
        spent=Usage(),
        deadline=time.time() + 2 * limits.seconds,
        search=limits,
    )
    proposer = SearchProposer(folder=str(driver), root=str(folder))
    try:
        proposal = await proposer.propose(task, workbench, PlainSteps(), silent, lambda _: None)
    except TimeoutError:  # this plain folder gives up on a command after a minute
        return None
    return proposal
