"""The tests of the whole suite that the failing command leaves out: what does a candidate break?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from bot.repair.harness.client import Laboratory
from bot.repair.harness.suite_command import suite_command
from bot.repair.proposers.base import Task
from bot.repair.proposers.mechanical.configuration import decide
from bot.repair.proposers.search.evidence import SearchEvidence, read_survey
from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.trials import Trials

_PATIENCE = 4.0
"""Seconds of processor time after which a test of the suite is left out: it is traced meanwhile."""

_SURVEYED = 1000
"""Tests of the suite that are looked at: those nearest to the failing ones."""

_CANDIDATES = 60
"""Candidates that are tried on the suite at once, most promising first."""


@dataclass(slots=True)
class RegressionTests:
    """Tries plausible candidates on the other tests that run what they change.

    Attributes:
        lab: Where the whole suite is run test by test.
        evidence: Of the failing command.
        task: Says how many processes may work at once.
        suite: The suite's other tests, the passing ones alone; None until the first plausible
            candidate asks for them.
        usable: Whether the suite can be run test by test.
        judged: Numbers of the candidates that were tried on it.
        tolerated: What of the suite can't be collected without a candidate either.
        missed: Tests of the suite that were not looked at: nothing is known of them.
        asked: Questions so far.
        seconds: Of them all.
    """

    lab: Laboratory
    evidence: SearchEvidence
    task: Task
    suite: Trials | None = None
    usable: bool = True
    judged: set[int] = field(default_factory=set)
    tolerated: tuple[str, ...] = ()
    missed: int = 0
    asked: int = 0
    seconds: float = 0.0

    async def broken_by(
        self, candidates: Sequence[Candidate], left: float
    ) -> dict[int, tuple[str, ...]]:
        """Return by number what candidates break; those that break nothing are not in it.

        Args:
            candidates: Plausible ones, most promising first.
            left: Seconds that the search has left.

        Raises:
            NoAnswer: When the suite can't be run test by test; this is said once.
        """
        if not self.usable:
            return {}
        if self.suite is None:
            self.usable = False
            began = self.seconds
            self.suite = Trials(await self._survey(left))
            self.usable = True
            left -= self.seconds - began
        fresh = [
            candidate
            for candidate in candidates
            if candidate.number not in self.judged and self.covering(candidate)
        ]
        chosen = fresh[:_CANDIDATES]
        self.judged.update(candidate.number for candidate in chosen)
        broken: dict[int, tuple[str, ...]] = {}
        for act, cold in (("warm", False), ("cold", True)):
            queue = [candidate for candidate in chosen if candidate.cold is cold]
            if queue and left > 0:
                broken |= await self._try(act, queue, self.suite, left)
        return broken

    def covering(self, candidate: Candidate) -> list[str]:
        """Return the other tests of the suite that run what a candidate changes."""
        return self.suite.covering(candidate.unit) if self.suite is not None else []

    async def _survey(self, seconds: float) -> SearchEvidence:
        lines: dict[str, set[int]] = {}
        for files in self.evidence.counted.values():
            for file, counts in files.items():
                lines.setdefault(file, set()).update(counts)
        answer = await self._ask(
            "survey",
            seconds,
            patience=_PATIENCE,
            most=_SURVEYED,
            near=sorted({test.file for test in self.evidence.failing}),
            known=sorted(test.id for test in self.evidence.tests.values()),
            lines={file: sorted(numbers) for file, numbers in sorted(lines.items())},
        )
        self.tolerated = tuple(answer["errors"])
        self.missed = answer["missed"]
        return read_survey(answer, self.evidence)

    async def _try(
        self, act: str, queue: list[Candidate], suite: Trials, seconds: float
    ) -> dict[int, tuple[str, ...]]:
        """Return what these candidates break: nothing is said of those that time did not reach."""
        request = suite.request(queue)
        answer = await self._ask(
            act,
            seconds,
            **{**request, "settle": True, "tolerated": self.tolerated},
            more=len(queue),
            compare=None,
            workers=self.task.search.workers or 0,
        )
        results = answer["results"]
        return {
            int(number): tuple(result.get("broken", ()))
            for number, result in results.items()
            if result["status"] in {"failed", "died", "slow"}
        }

    async def _ask(self, act: str, seconds: float, **more: Any) -> dict[str, Any]:
        self.asked += 1
        answer = await self.lab.ask(f"{act} {self.asked}", act, seconds, **more)
        self.seconds += answer["seconds"]
        return answer


async def regression_tests(
    task: Task, laboratory: Laboratory, evidence: SearchEvidence
) -> RegressionTests | None:
    """Return what the whole suite has beside the failing command, None when that is not known."""
    whole = task.reproduction.whole
    known = whole.command if whole is not None else task.commands.failing
    if task.commands.test == known or not evidence.counted:
        return None
    key = f"{laboratory.key}: suite"
    read = partial(suite_command, task.commands.test)
    command = await decide(read, laboratory.workbench, laboratory.steps, name=key)
    if command is None or command == laboratory.command:
        return None
    lab = replace(laboratory, key=key, command=command)
    return RegressionTests(lab, evidence, task)
