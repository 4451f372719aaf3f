"""Put plausible patches into the work tree and run the real command on them."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.model import Patch
from bot.repair.harness.client import Laboratory
from bot.repair.proposers.base import Task
from bot.repair.proposers.mechanical.protected_files import only
from bot.repair.proposers.search.choose import ChosenPatch
from bot.repair.proposers.search.evidence import SearchEvidence
from bot.repair.proposers.search.explain import patched_text
from bot.repair.proposers.search.mutations import Candidate


@dataclass(slots=True)
class RealCommand:
    """The failing command as people type it, run on one patch after the other.

    Attributes:
        task: Whose command it is.
        lab: The sandbox.
        evidence: With the files as they were.
        passed: Whether it passes with a candidate, by number.
        seconds: Of all runs.
    """

    task: Task
    lab: Laboratory
    evidence: SearchEvidence
    passed: dict[int, bool] = field(default_factory=dict)
    seconds: float = 0.0

    async def first_passing(self, choices: Sequence[ChosenPatch]) -> ChosenPatch | None:
        """Return the first whose patch passes, None when none does; the work tree stays as it was."""
        for choice in choices:
            if await self._passes(choice.candidate):
                return choice
        return None

    async def patch(self, candidate: Candidate) -> Patch:
        """Make the change in the work tree and return it alone: tests may have left files."""
        await self._write(candidate.file, patched_text(candidate, self.evidence), "apply")
        patch = await self.lab.steps(f"{self.lab.key}: patch", self.lab.workbench.patch)
        return only(patch, {candidate.file})

    async def _passes(self, candidate: Candidate) -> bool:
        if candidate.number in self.passed:
            return self.passed[candidate.number]
        run = len(self.passed) + 1
        await self._write(candidate.file, patched_text(candidate, self.evidence), f"apply {run}")
        command = self.task.commands.failing
        observation = await self.lab.steps(
            f"{self.lab.key}: prove {run}", self.lab.workbench.observe, command
        )
        self.seconds += observation.seconds
        await self._write(candidate.file, self.evidence.sources[candidate.file], f"undo {run}")
        self.passed[candidate.number] = observation.ok
        return observation.ok

    async def _write(self, file: str, text: str, name: str) -> None:
        path = posixpath.join(self.lab.root, file)
        encoding = self.evidence.encodings.get(file, "utf-8")
        write = self.lab.workbench.write_file
        await self.lab.steps(f"{self.lab.key}: {name}", write, path, text.encode(encoding))
