"""Ask the driver in the sandbox what a command runs, and with which edits it passes."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from bot.limited_process import TooMuch, run_limited
from bot.model.steps import Steps
from bot.repair.harness.client import NoAnswer
from bot.repair.workspace.base import Workbench
from sandbox.base import SCRATCH, WORKSPACE

FOLDER = f"{SCRATCH}/fixpoint-edits"
"""In the sandbox, outside of the work tree, so that no patch can contain it."""

_GRACE = 60.0
"""Seconds that copying the tree and starting Node.js may take."""

TrialEdit = tuple[int, str, int, int, str]
"""Number, path, first byte, byte behind the last one, and what stands there then."""


@dataclass(frozen=True, slots=True)
class CoveredFile:
    """What a command ran of a file.

    Attributes:
        lines: From 1; empty where V8 saw another text than the file's, as of a transpiler.
        functions: Names of the functions that were called.
    """

    lines: frozenset[int]
    functions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a command ran of the project.

    Attributes:
        passes: Whether it ended with 0.
        ended: Whether it ended by itself; otherwise more may have run than is known.
        files: By path.
        seconds: Wall time.
    """

    passes: bool
    ended: bool
    files: Mapping[str, CoveredFile]
    seconds: float


@dataclass(frozen=True, slots=True)
class TrialResults:
    """How edits did.

    Attributes:
        status: `passes`, `fails` or `slow`, by the number of the edit; those that time left.
        seconds: Wall time of all.
    """

    status: Mapping[int, str]
    seconds: float


@dataclass(frozen=True, slots=True)
class ScriptLaboratory:
    """Where edits are tried: the attempt's own sandbox. Each question is a durable step.

    Attributes:
        workbench: The sandbox.
        steps: Of the run.
        key: Front of the steps' names.
        root: Of the work tree in the sandbox.
    """

    workbench: Workbench
    steps: Steps
    key: str
    root: str = WORKSPACE

    async def open(self) -> None:
        """Bring the driver into the sandbox."""
        data = files(__package__).joinpath("driver.cjs").read_bytes()
        await self.steps(
            f"{self.key}: driver", self.workbench.write_file, f"{FOLDER}/driver.cjs", data
        )

    async def coverage(self, name: str, command: str, seconds: float) -> Coverage:
        """Return what a command runs of the project.

        Raises:
            NoAnswer: The driver does not run, or says nothing that can be read.
        """
        answer = await self._ask(name, seconds, act="cover", command=command)
        found = {
            str(path): CoveredFile(frozenset(seen["lines"]), frozenset(map(str, seen["functions"])))
            for path, seen in answer["files"].items()
        }
        status = answer["status"]
        return Coverage(status == "passes", status != "slow", found, float(answer["seconds"]))

    async def tried(
        self,
        name: str,
        command: str,
        edits: Sequence[TrialEdit],
        *,
        seconds: float,
        limit: float,
        workers: int,
        more: int | None = None,
    ) -> TrialResults:
        """Return with which edits a command passes, in their order until the time is over.

        Args:
            name: Of the step.
            command: That is run on each.
            edits: Each of them alone.
            seconds: For all of them.
            limit: Seconds for one of them.
            workers: How many to try side by side at most.
            more: How many to try behind the first that passes; None: all.

        Raises:
            NoAnswer: As for `coverage`.
        """
        answer = await self._ask(
            name,
            seconds,
            act="try",
            command=command,
            candidates=edits,
            limit=limit,
            workers=workers,
            more=len(edits) if more is None else more,
        )
        status = {int(number): str(result) for number, result in answer["results"].items()}
        return TrialResults(status, float(answer["seconds"]))

    async def _ask(self, name: str, seconds: float, **more: Any) -> dict[str, Any]:
        request = {"root": self.root, "seconds": seconds, **more}
        data = await self.steps(
            f"{self.key}: {name}",
            _ask,
            self.workbench,
            json.dumps(request).encode(),
            seconds + _GRACE,
        )
        try:
            answer: dict[str, Any] = await run_limited(_read, data)
        except TooMuch as error:
            raise NoAnswer(str(error)) from error
        if "problem" in answer:
            raise NoAnswer(answer["problem"])
        return answer


def _read(data: bytes) -> dict[str, Any]:
    """Return an answer; it was written where the project's own code runs."""
    try:
        answer = json.loads(data)
        complete = isinstance(answer["seconds"], (int, float)) and (
            isinstance(answer.get("files"), dict) or isinstance(answer.get("results"), dict)
        )
    except (ValueError, KeyError, TypeError) as error:
        return {"problem": f"the driver's answer can't be read: {error}"}
    return (
        answer
        if complete or "problem" in answer
        else {"problem": "the driver's answer lacks fields"}
    )


async def _ask(workbench: Workbench, request: bytes, seconds: float) -> bytes:
    """Leave the request, run the driver, fetch the answer."""
    names = [f"{FOLDER}/{name}" for name in ("driver.cjs", "request.json", "answer.json")]
    await workbench.write_file(names[1], request)
    shell = f"rm -f {shlex.quote(names[2])}; node {shlex.join(names)}"
    result = await workbench.run(shell, seconds)
    try:
        return await workbench.read_file(names[2])
    except FileNotFoundError:
        problem = result.output or f"the driver ended with exit status {result.exit_code}"
        return json.dumps({"problem": problem, "seconds": 0}).encode()
