"""What a search sees of tests, with a real test runner in a plain folder."""

from __future__ import annotations

import time
from pathlib import Path

from bot.repair.model import Cause, Commands, Limits, Observation, Problem, Reproduction, Usage
from bot.repair.proposers.base import Task
from bot.repair.proposers.search.evidence import Evidence
from bot.repair.proposers.search.looking import look, open_laboratory
from bot.repair.steps import PlainSteps
from tests.unit.local_workbench import LocalWorkbench

COMMAND = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest -q -p no:cacheprovider"


async def looked(folder: Path, files: dict[str, str]) -> Evidence:
    root, driver = (folder.resolve() / name for name in ("project", "driver"))
    root.mkdir()
    driver.mkdir()
    workbench = await LocalWorkbench(root, files).start()
    task = Task(
        n=1,
        problem=Problem(),
        commands=Commands((), COMMAND, COMMAND),
        reproduction=Reproduction(Cause.REAL, Observation(COMMAND, 1, timed_out=True)),
        earlier=(),
        limits=Limits(),
        spent=Usage(),
        deadline=time.time() + 100,
    )
    laboratory = await open_laboratory(
        task, workbench, PlainSteps(), key="look", folder=str(driver), root=str(root)
    )
    assert laboratory is not None
    evidence, _ = await look(task, laboratory, 60.0)
    return evidence


async def test_failing_tests_of_every_file_are_looked_at(tmp_path: Path) -> None:
    """Where more fail than are traced, each file has its share: what they have in common shows."""
    many = "".join(f"\n\ndef test_{n}():\n    assert one() + {n} == 0\n" for n in range(20))
    files = {
        "both.py": "def one():\n    return 1\n\n\ndef two():\n    return 2\n",
        "test_a.py": f"from both import one{many}",
        "test_b.py": "from both import two\n\n\ndef test_two():\n    assert two() == 5\n",
    }
    evidence = await looked(tmp_path, files)
    counted = [evidence.tests[index].id for index in evidence.counted]
    assert len(evidence.failing) == 21
    assert len(counted) == 12
    assert "test_b.py::test_two" in counted


async def test_attributes_that_an_object_gets_in_its_beginning(tmp_path: Path) -> None:
    """A type is looked at again once its objects have more attributes."""
    files = {
        "account.py": "class Account:\n    def __init__(self):\n        self.closed = False\n"
        "        self.total = 1\n\n    def empty(self):\n        return self.total == 1\n",
        "test_account.py": "from account import Account\n\n\n"
        "def test_empty():\n    assert not Account().empty()\n",
    }
    evidence = await looked(tmp_path, files)
    assert {"closed", "total", "empty"} <= set(evidence.attributes["Account"])
