"""Ask the driver inside the sandbox: one durable step for each question."""

from __future__ import annotations

import io
import json
import shlex
import zipfile
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from bot.apart import TooMuch, apart
from bot.model.steps import Steps
from bot.repair.proposers.base import Workbench
from bot.repair.proposers.search.command import SuiteCommand
from sandbox.base import SCRATCH, WORKSPACE

FOLDER = f"{SCRATCH}/fixpoint-search"
"""In the sandbox: neither work tree nor environment, so that no patch can contain it."""

_PACKAGE = "fixpoint_inside"
_START = f"from {_PACKAGE}.main import main\n\nmain()\n"
_GRACE = 60.0
"""Seconds that the driver may take longer than it was asked to: it collects tests first."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The same files make the same zip, whenever it is made."""


def driver() -> bytes:
    """Return the driver as a zip file that Python can run."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo("__main__.py", _EPOCH), _START)
        folder = files("bot.repair.proposers.search.inside")
        for file in sorted(folder.iterdir(), key=lambda one: one.name):
            if file.name.endswith(".py"):
                info = zipfile.ZipInfo(f"{_PACKAGE}/{file.name}", _EPOCH)
                archive.writestr(info, file.read_bytes())
    return buffer.getvalue()


class NoAnswer(Exception):
    """The driver could not do what was asked; the text is what the test runner printed."""


@dataclass(frozen=True, slots=True)
class Laboratory:
    """Where candidates are tried: the attempt's own sandbox.

    Attributes:
        workbench: The sandbox.
        steps: Of the run.
        key: Front of the steps' names.
        command: How the tests are collected.
        folder: Of the driver in the sandbox.
        root: Of the work tree in the sandbox.
    """

    workbench: Workbench
    steps: Steps
    key: str
    command: SuiteCommand
    folder: str = FOLDER
    root: str = WORKSPACE

    async def open(self) -> None:
        """Bring the driver into the sandbox."""
        await self.steps(
            f"{self.key}: driver", self.workbench.write_file, f"{self.folder}/driver.zip", driver()
        )

    async def ask(self, name: str, act: str, seconds: float, **more: Any) -> dict[str, Any]:
        """Return the driver's answer.

        Args:
            name: Of the step.
            act: `collect`, `survey`, `warm` or `cold`.
            seconds: How long the driver may work.
            more: The rest of the request.

        Raises:
            NoAnswer: When the tests can't be collected in this way.
        """
        request = {**self.command.request(self.root), "act": act, "seconds": seconds, **more}
        data = await self.steps(
            f"{self.key}: {name}",
            _ask, self.workbench, self.folder, self._shell(), json.dumps(request).encode(),
            seconds + _GRACE,
        )  # fmt: skip
        try:
            answer = await apart(_answer, data)
        except TooMuch as error:
            raise NoAnswer(str(error)) from error
        if "problem" in answer:
            raise NoAnswer(answer["problem"])
        return answer

    def _shell(self) -> str:
        return driver_shell(self.command, self.folder, self.root)


def driver_shell(command: SuiteCommand, folder: str = FOLDER, root: str = WORKSPACE) -> str:
    """Return the command: the project's Python, which leaves no compiled files behind."""
    words = [f"{folder}/{name}" for name in ("driver.zip", "request.json", "answer.json")]
    stale = f"rm -f {shlex.quote(words[-1])}"
    there = shlex.quote(command.request(root)["folder"])
    return f"{stale}; cd {there} && PYTHONHASHSEED=0 {command.python} -B {shlex.join(words)}"


def _answer(data: bytes) -> dict[str, Any]:
    """Return an answer; it was written where the project's own code runs."""
    try:
        answer = json.loads(data)
    except ValueError as error:
        return {"problem": f"the driver's answer is no JSON: {error}"}
    return answer if isinstance(answer, dict) else {"problem": "the driver's answer is no object"}


async def _ask(
    workbench: Workbench, folder: str, shell: str, request: bytes, seconds: float
) -> bytes:
    """Leave the request, run the driver, fetch the answer."""
    await workbench.write_file(f"{folder}/request.json", request)
    result = await workbench.run(shell, seconds)
    try:
        return await workbench.read_file(f"{folder}/answer.json")
    except FileNotFoundError:
        problem = result.output or f"the driver ended with exit status {result.exit_code}"
        return json.dumps({"problem": problem}).encode()
