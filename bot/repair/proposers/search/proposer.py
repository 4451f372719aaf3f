"""Repair without a model: find the suspicious lines, try typical edits, choose, explain."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from bot.model import Patch, Proposal, Usage
from bot.model.progress import Listener
from bot.model.proposers import PROPOSERS
from bot.model.steps import Steps
from bot.repair.harness.client import (
    FOLDER,
    NoAnswer,
)
from bot.repair.proposers.base import Task
from bot.repair.proposers.search.javascript.commands import script_tests
from bot.repair.proposers.search.javascript.search import ScriptSearch
from bot.repair.proposers.search.javascript.trials import ScriptLaboratory
from bot.repair.proposers.search.limits import wall_seconds
from bot.repair.proposers.search.search import Search
from bot.repair.proposers.search.test_laboratory import open_laboratory
from bot.repair.workspace.base import Workbench
from bot.reporting.reasons import search as reasons
from sandbox.base import WORKSPACE


class SearchProposer:
    """A `Proposer` that needs no key: fault localisation, edits, validation by the tests."""

    traits = PROPOSERS["search"]

    def __init__(self, *, folder: str = FOLDER, root: str = WORKSPACE) -> None:
        """Work on the tree at `root`, with the driver in `folder`; both in the sandbox."""
        self._folder = folder
        self._root = root

    async def warm(self) -> None:
        """Nothing takes long here."""

    async def propose(
        self,
        task: Task,
        workbench: Workbench,
        steps: Steps,
        listener: Listener,
        spend: Callable[[Usage], None],
    ) -> Proposal:
        """Change the work tree and return the patch; see `Proposer`."""
        del spend  # nothing here costs money
        if task.write_test:
            return Proposal(Patch(), reasons.NEEDS_MODEL)
        key = f"attempt {task.n}: search"
        search = await self._search(task, workbench, steps, listener, key)
        if search is None:
            return Proposal(Patch(), "", looked=False)
        try:
            return await search.done()
        except NoAnswer as problem:
            return Proposal(Patch(), reasons.uncollected(str(problem)))

    async def _search(
        self, task: Task, workbench: Workbench, steps: Steps, listener: Listener, key: str
    ) -> Search | ScriptSearch | None:
        """Return the search for the language of the failing tests, None where there is none."""
        laboratory = await open_laboratory(
            task, workbench, steps, key=key, folder=self._folder, root=self._root
        )
        if laboratory is not None:
            return Search(task, laboratory, listener, await _seconds(task, steps, key))
        scripts = ScriptLaboratory(workbench, steps, key, self._root)
        tests = await script_tests(task, scripts)
        if tests is None:
            return None
        return ScriptSearch(task, scripts, listener, tests, await _seconds(task, steps, key))


async def _seconds(task: Task, steps: Steps, key: str) -> float:
    """Return how long a search may take."""
    left = task.deadline - await steps(f"{key}: clock", _now)
    load = await steps(f"{key}: load", _load)
    return wall_seconds(task.search.seconds, load=load, left=left)


async def _now() -> float:
    return time.time()


async def _load() -> float:
    """Return how many processes want each processor."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        return 1.0
