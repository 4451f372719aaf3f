"""Attempts side by side, in sandboxes of every kind: from one setup, apart from each other."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest

from bot.model import Limits, Problem, Proposal, Usage, Verdict
from bot.model.deadline import StopSign
from bot.model.progress import Listener
from bot.model.proposers import PROPOSERS
from bot.model.steps import PlainSteps, Steps
from bot.repair.engine import repair
from bot.repair.job import Job
from bot.repair.proposers.base import Task
from bot.repair.tools import Tools
from bot.repair.workspace.base import Workbench
from bot.repair.workspace.checkouts import LocalCheckout
from bot.repair.workspace.sandbox_cleanup import leftovers
from sandbox.scratch import scratch_folder
from tests.contract.conftest import Kind

pytestmark = pytest.mark.exhaustive

CHECK = """\
grep -qx right app.txt && exit 0
echo "FAILED checks.sh::app - app.txt is wrong"
exit 1
"""


class Writer:
    """Stands for a model: the second attempt writes what is right, once the first has written too.

    Attributes:
        saw: What each attempt found before and behind that.
    """

    traits = PROPOSERS["agent"]

    def __init__(self) -> None:
        self.saw: dict[int, str] = {}
        self._written = asyncio.Barrier(2)

    async def warm(self) -> None:
        """Nothing takes long."""

    async def propose(
        self,
        task: Task,
        workbench: Workbench,
        steps: Steps,
        listener: Listener,
        spend: Callable[[Usage], None],
    ) -> Proposal:
        """Write, wait for the other attempt, and look."""
        del steps, listener, spend
        word = {1: "worse", 2: "right"}[task.n]
        await workbench.run(f"echo {word} > app.txt; echo {word} >> ~/words", 60)
        await self._written.wait()
        seen = await workbench.run("cat ~/setups ~/words app.txt", 60)
        self.saw[task.n] = seen.output
        return Proposal(await workbench.patch(), f"It says {word}.")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose check fails."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "app.txt").write_text("wrong\n")
    (folder / "check.sh").write_text(CHECK)
    for command in ("init", "add .", "-c user.name=a -c user.email=a@b.c commit -m a"):
        subprocess.run(["git", "-C", folder, *command.split()], check=True, capture_output=True)
    return folder


async def test_attempts_at_the_same_time_start_from_one_setup(kind: Kind, repository: Path) -> None:
    """None sees what the other does, and the patch that passes is taken."""
    job = Job(
        uuid4().hex[:12],
        Problem(body="It says wrong."),
        Limits(attempts=2),
        setup=("echo once >> ~/setups",),
        test="sh check.sh",
        candidates=2,
    )
    writer = Writer()
    with scratch_folder("run") as scratch:
        checkout = LocalCheckout(repository, scratch)
        tools = Tools(kind.provider, {"agent": writer})
        report = await repair(job, tools, checkout, PlainSteps(), lambda _: None, StopSign())
        for name in leftovers(job.run_id):
            await kind.provider.remove(name)
    assert report.verdict is Verdict.FIXED, report.reason
    first, second = report.attempts
    assert not first.passes
    assert second.accepted
    assert b"+right" in report.patch.data
    assert writer.saw == {1: "once\nworse\nworse\n", 2: "once\nright\nright\n"}
