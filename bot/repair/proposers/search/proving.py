"""Put plausible patches into the work tree and run the real command on them."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass

from bot.model import Patch
from bot.repair.proposers.base import Task
from bot.repair.proposers.mechanical.protected import without
from bot.repair.proposers.search.choose import Choice
from bot.repair.proposers.search.evidence import Evidence
from bot.repair.proposers.search.explain import patched_text
from bot.repair.proposers.search.laboratory import Laboratory
from bot.repair.proposers.search.mutations import Candidate


@dataclass(slots=True)
class RealCommand:
    """The failing command as people type it, run on one patch after the other.

    Attributes:
        task: Whose command it is.
        lab: The sandbox.
        evidence: With the files as they were.
        runs: So far.
        seconds: Of them all.
    """

    task: Task
    lab: Laboratory
    evidence: Evidence
    runs: int = 0
    seconds: float = 0.0

    async def first_passing(self, choices: Sequence[Choice]) -> Choice | None:
        """Return the first whose patch passes, which stays in the work tree; None when none does."""
        for choice in choices:
            if await self._passes(choice.candidate):
                return choice
        return None

    async def patch(self, candidate: Candidate) -> Patch:
        """Return the change alone: tests may have left files of their own."""
        patch = await self.lab.steps(f"{self.lab.key}: patch", self.lab.workbench.patch)
        others = tuple(file for file in patch.files if file != candidate.file)
        return without(patch, tuple(_literal(file) for file in others))[0] if others else patch

    async def _passes(self, candidate: Candidate) -> bool:
        self.runs += 1
        text = patched_text(candidate, self.evidence)
        await self._write(candidate.file, text, f"apply {self.runs}")
        name = f"{self.lab.key}: prove {self.runs}"
        command = self.task.commands.failing
        observation = await self.lab.steps(name, self.lab.workbench.observe, command)
        self.seconds += observation.seconds
        if not observation.ok:
            before = self.evidence.sources[candidate.file]
            await self._write(candidate.file, before, f"undo {self.runs}")
        return observation.ok

    async def _write(self, file: str, text: str, name: str) -> None:
        path = posixpath.join(self.lab.root, file)
        encoding = self.evidence.encodings.get(file, "utf-8")
        write = self.lab.workbench.write_file
        await self.lab.steps(f"{self.lab.key}: {name}", write, path, text.encode(encoding))


def _literal(path: str) -> str:
    """Return a glob (gitignore syntax) that matches this path alone."""
    return "/" + "".join(f"\\{letter}" if letter in "*?[]!#\\ " else letter for letter in path)
