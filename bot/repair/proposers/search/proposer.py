"""Repair without a model: find the suspicious lines, try typical edits, choose, explain."""

from __future__ import annotations

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
from bot.repair.proposers.search.javascript.commands import failing_command
from bot.repair.proposers.search.javascript.search import ScriptSearch
from bot.repair.proposers.search.javascript.trials import ScriptLaboratory
from bot.repair.proposers.search.search import Search
from bot.repair.proposers.search.test_laboratory import open_laboratory
from bot.repair.workspace.base import Workbench
from bot.reporting.reasons import search as reasons
from sandbox.base import WORKSPACE

_SHARE = 0.8
"""Of the run's time, the most that a search may take: the verification comes after it."""


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
        laboratory = await open_laboratory(
            task, workbench, steps, key=key, folder=self._folder, root=self._root
        )
        scripts = ScriptLaboratory(workbench, steps, key, self._root)
        command = None if laboratory is not None else await failing_command(task, scripts)
        if laboratory is None and command is None:
            return Proposal(Patch(), "", looked=False)
        left = task.deadline - await steps(f"{key}: clock", _now)
        seconds = min(task.search.seconds, _SHARE * left)
        try:
            if laboratory is not None:
                return await Search(task, laboratory, listener, seconds).done()
            return await ScriptSearch(task, scripts, listener, command or "", seconds).done()
        except NoAnswer as problem:
            return Proposal(Patch(), reasons.uncollected(str(problem)))


async def _now() -> float:
    return time.time()
