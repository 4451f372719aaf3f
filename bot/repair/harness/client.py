"""Ask the driver inside the sandbox: one durable step for each question."""

from __future__ import annotations

import io
import json
import marshal
import shlex
import zipfile
from dataclasses import asdict, dataclass
from functools import cache
from importlib.abc import InspectLoader
from importlib.resources import files
from importlib.util import MAGIC_NUMBER, find_spec
from types import CodeType
from typing import Any, cast

from bot.limited_process import TooMuch, run_limited
from bot.model.steps import Steps
from bot.repair.harness.driver.protocol import Request, written
from bot.repair.harness.suite_command import SuiteCommand
from bot.repair.workspace.base import Workbench
from sandbox.base import SCRATCH, WORKSPACE

FOLDER = f"{SCRATCH}/fixpoint-search"
"""In the sandbox: neither work tree nor environment, so that no patch can contain it."""

_INSIDE = "bot.repair.harness.driver"
_PACKAGE = "fixpoint_inside"
_START = f"from {_PACKAGE}.main import main\n\nmain()\n"
STEADY = "PYTHONHASHSEED=0"
"""With other hashes, sets come in another order."""

GRACE = 60.0
"""Seconds that collecting tests may take."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The same files make the same zip, whenever it is made."""


@cache
def driver() -> bytes:
    """Return the driver as a zip file that Python can run.

    A Python of this one's version need not compile it: that takes as long as most of its work.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo("__main__.py", _EPOCH), _START)
        folder = files(_INSIDE)
        for file in sorted(folder.iterdir(), key=lambda item: item.name):
            if file.name.endswith(".py"):
                name, compiled = f"{_PACKAGE}/{file.name}", _compiled(file.name[:-3])
                archive.writestr(zipfile.ZipInfo(name, _EPOCH), file.read_bytes())
                archive.writestr(zipfile.ZipInfo(f"{name}c", _EPOCH), compiled)
    return buffer.getvalue()


def _compiled(module: str) -> bytes:
    """Return a module as compiled files have it; another version of Python takes the source.

    The header says that nobody is to look at the source: https://peps.python.org/pep-0552/.
    """
    spec = find_spec(f"{_INSIDE}.{module}")
    loader = cast("InspectLoader", spec and spec.loader)
    code = _named(cast("CodeType", loader.get_code(f"{_INSIDE}.{module}")), module)
    header = MAGIC_NUMBER + _UNCHECKED.to_bytes(4, "little") + bytes(8)
    return header + marshal.dumps(code)


def _named(code: CodeType, module: str) -> CodeType:
    """Return code that says that it was read from the driver, as the source would."""
    constants = tuple(
        _named(const, module) if isinstance(const, CodeType) else const for const in code.co_consts
    )
    name = f"{FOLDER}/driver.zip/{_PACKAGE}/{module}.py"
    return code.replace(co_filename=name, co_consts=constants)


_UNCHECKED = 0b01
"""Flags of a compiled file that is known by its source's hash, and not checked."""


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

    async def ask(
        self,
        name: str,
        act: str,
        seconds: float,
        *,
        grace: float = GRACE,
        front: str = STEADY,
        **more: Any,
    ) -> dict[str, Any]:
        """Return the driver's answer.

        Args:
            name: Of the step.
            act: `collect`, `survey`, `warm` or `cold`.
            seconds: How long the driver may work.
            grace: Seconds that it may take longer than that: it collects tests first.
            front: What stands before the driver's command, in the shell.
            more: The rest of the request.

        Raises:
            NoAnswer: When the tests can't be collected in this way.
        """
        request = {
            **asdict(self.command.collection(self.root)),
            "act": act,
            "seconds": seconds,
            **more,
        }
        data = await self.steps(
            f"{self.key}: {name}",
            _ask, self.workbench, self.folder, self._shell(front), json.dumps(request).encode(),
            seconds + grace,
        )  # fmt: skip
        try:
            answer = await run_limited(_answer, data)
        except TooMuch as error:
            raise NoAnswer(str(error)) from error
        if "problem" in answer:
            raise NoAnswer(answer["problem"])
        return answer

    def _shell(self, front: str) -> str:
        return driver_shell(self.command, self.folder, self.root, front)


def driver_shell(
    command: SuiteCommand, folder: str = FOLDER, root: str = WORKSPACE, front: str = STEADY
) -> str:
    """Return the command: the project's Python, which leaves no compiled files behind."""
    words = [f"{folder}/{name}" for name in ("driver.zip", "request.json", "answer.json")]
    stale = f"rm -f {shlex.quote(words[-1])}"
    there = shlex.quote(command.collection(root).folder)
    return f"{stale}; cd {there} && {front} {command.python} -B {shlex.join(words)}"


def question(suite: SuiteCommand, request: Request) -> dict[str, bytes]:
    """Return what a sandbox needs for a question of the verifier's: the files, by path."""
    return {
        f"{FOLDER}/driver.zip": driver(),
        f"{FOLDER}/request.json": written(suite.collection(), request),
    }


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
