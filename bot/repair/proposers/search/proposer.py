"""Repair without a model: find the suspicious lines, try typical edits, choose, explain."""

from __future__ import annotations

import posixpath
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.repair.guards import protected_paths
from bot.repair.model import Patch, Proposal, Usage
from bot.repair.progress import Listener, Noticed
from bot.repair.proposers.base import Task, Workbench
from bot.repair.proposers.mechanical.protected import without
from bot.repair.proposers.search.choose import Choice, choose
from bot.repair.proposers.search.comparison import COMPARISON, compare
from bot.repair.proposers.search.edits import Candidate, candidates
from bot.repair.proposers.search.edits.pairs import pairs
from bot.repair.proposers.search.evidence import Evidence
from bot.repair.proposers.search.explain import Effort, clues, explain, patched_text
from bot.repair.proposers.search.laboratory import FOLDER, Laboratory, Unanswered
from bot.repair.proposers.search.localise import suspects
from bot.repair.proposers.search.looking import look, open_laboratory, uncollected
from bot.repair.proposers.search.telling import in_vain, places, standing
from bot.repair.proposers.search.validate import Trials
from bot.repair.steps import Steps
from sandbox.base import WORKSPACE

_COLLECTING = 0.35
"""Of the time, the most that collecting evidence may take."""

_SLICE = 20.0
"""Seconds of trying in one step: what a crash costs at most."""

_FIRST_SLICE = 5.0
"""Seconds of the first step of trying: then somebody who watches hears how it goes."""

_MORE = 300
"""Candidates that are tried behind the first plausible one: a better one may follow."""

_GRACE = 3.0
"""Seconds that those may take."""

_SHARE = 0.8
"""Of the run's time, the most that a search may take: the verification comes after it."""

_FIRST_COLD = 48
"""Candidates that cost an import each and are tried before what is cheaper and less likely."""

_COLD_FACTOR = 30.0
"""How much longer tests may take in a fresh process: its first test pays for what is done once."""

_SLOW_FACTOR = 8.0
_MOST_SLOW = 150
_PROVED = 3
"""Plausible patches that are tried with the real command, until one passes."""


class SearchProposer:
    """A `Proposer` that needs no key: fault localisation, edits, validation by the tests."""

    name = "search"

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
            return Proposal(Patch(), "Writing a test takes a model.")
        key = f"attempt {task.n}: search"
        laboratory = await open_laboratory(
            task, workbench, steps, key=key, folder=self._folder, root=self._root
        )
        if laboratory is None:
            return Proposal(Patch(), "")  # no Python tests: nothing that anybody would miss
        left = task.deadline - await steps(f"{key}: clock", _now)
        search = _Search(task, laboratory, listener, min(task.search.seconds, _SHARE * left))
        try:
            return await search.done()
        except Unanswered as problem:
            return Proposal(Patch(), uncollected(str(problem)))


async def _now() -> float:
    return time.time()


@dataclass(slots=True)
class _Search:
    """One search under way. Its clock is the driver's: a restarted run counts the same seconds."""

    task: Task
    lab: Laboratory
    listener: Listener
    left: float
    spent: float = 0.0
    slices: int = 0
    compared: dict[str, Any] | None = None

    async def done(self) -> Proposal:
        """Localise, try, choose, explain."""
        evidence = await self._look()
        ranked_lines = suspects(evidence, self.task.recent)
        if not evidence.failing and not evidence.broken:
            return Proposal(Patch(), "Every test passes when a search runs them one by one.")
        ranked = [
            one
            for one in candidates(evidence, ranked_lines)
            if not protected_paths((one.file,), self.task.protected)
        ]
        self._tell(places(ranked_lines, len(ranked)))
        trials = Trials(evidence)
        await self._try_all(trials, ranked)
        effort = Effort(len(trials.tried), self.spent)
        choices = await self._choose(trials)
        proved = await self._prove(choices, evidence)
        hints = clues(ranked_lines, evidence, trials.partial)
        if proved is None:
            return Proposal(Patch(), in_vain(trials, effort), clues=hints)
        patch = await self._patch(proved[0].candidate)
        return Proposal(patch, explain(proved, evidence, ranked_lines, effort), clues=hints)

    async def _look(self) -> Evidence:
        evidence, seconds = await look(self.task, self.lab, self.left * _COLLECTING)
        self._count(seconds)
        return evidence

    async def _try_all(self, trials: Trials, ranked: Sequence[Candidate]) -> None:
        """Try single edits, slow ones again with more time, then pairs, while there is time."""
        trials.add(ranked)
        await self._work_off(trials, trials.take_urgent(), "cold")
        await self._work_off(trials, trials.warm, "warm")
        if trials.plausible:  # a cold one may still be the better one
            await self._slice(trials, trials.take_urgent(), "cold")
        await self._work_off(trials, trials.take_cold(_FIRST_COLD), "cold")
        await self._work_off(trials, list(trials.slow[:_MOST_SLOW]), "warm", _SLOW_FACTOR)
        near = [tried.candidate for tried in trials.partial if not tried.broken]
        trials.add(pairs(near, ranked, len(ranked)))
        await self._work_off(trials, trials.warm, "warm")
        await self._work_off(trials, trials.cold, "cold")

    async def _work_off(
        self, trials: Trials, queue: list[Candidate], act: str, factor: float = 1.0
    ) -> None:
        """Try what is in a queue until one is plausible or the time is up."""
        while queue and not trials.plausible and self.left > 1:
            await self._slice(trials, queue, act, factor)

    async def _slice(
        self, trials: Trials, queue: list[Candidate], act: str, factor: float = 1.0
    ) -> None:
        if not queue:
            return
        self.slices += 1
        share = _FIRST_SLICE if self.slices == 1 else _SLICE
        if act == "cold":
            factor = _COLD_FACTOR
        try:
            answer = await self.lab.ask(
                f"try {self.slices}",
                act,
                min(share, self.left),
                more=_MORE,
                grace=_GRACE,
                compare=dict(COMPARISON),
                workers=self.task.search.workers or 0,
                **trials.request(queue, factor),
            )
        except Unanswered:
            if not trials.tried:
                raise
            self.left = 0.0  # what was found so far is worth choosing from
            return
        self._count(answer["seconds"])
        self.compared = answer.get("compared") or self.compared
        fresh = trials.take(answer, queue)
        rate = len(fresh) / max(answer["seconds"], 0.1)
        self._tell(f"{standing(trials)}, {rate:.0f} a second")

    async def _choose(self, trials: Trials) -> tuple[Choice, ...]:
        """Compare the plausible ones on inputs that no test has."""
        plausible = [tried.candidate for tried in trials.plausible]
        alone = choose(plausible)
        unit = alone[0].candidate.unit if alone else ""  # a pair of edits may be in two functions
        comparable = [one for one in plausible if not one.cold and ":" in unit and one.unit == unit]
        if len(comparable) < 2 or trials.evidence.broken:  # noqa: PLR2004 - two can be compared
            return alone
        known = self.compared or {"numbers": ()}
        if set(known["numbers"]) != {one.number for one in comparable}:
            try:
                known, seconds = await compare(self.lab, trials, comparable)
            except Unanswered:
                return alone
            self._count(seconds)
        return choose(plausible, known["inputs"], known["behaviour"])

    async def _prove(
        self, choices: Sequence[Choice], evidence: Evidence
    ) -> tuple[Choice, ...] | None:
        """Return the choices, first one that passes the real command; None when none does."""
        for n, choice in enumerate(choices[:_PROVED], start=1):
            candidate = choice.candidate
            await self._write(candidate.file, patched_text(candidate, evidence), f"apply {n}")
            command = self.task.commands.failing
            name = f"{self.lab.key}: prove {n}"
            observation = await self.lab.steps(name, self.lab.workbench.observe, command)
            if observation.ok:
                return (choice, *(other for other in choices if other is not choice))
            await self._write(candidate.file, evidence.sources[candidate.file], f"undo {n}")
        return None

    async def _write(self, file: str, text: str, name: str) -> None:
        path = posixpath.join(self.lab.root, file)
        write = self.lab.workbench.write_file
        await self.lab.steps(f"{self.lab.key}: {name}", write, path, text.encode())

    async def _patch(self, candidate: Candidate) -> Patch:
        """Return the change alone: tests may have left files of their own."""
        patch = await self.lab.steps(f"{self.lab.key}: patch", self.lab.workbench.patch)
        others = tuple(file for file in patch.files if file != candidate.file)
        return without(patch, tuple(_literal(file) for file in others))[0] if others else patch

    def _count(self, seconds: float) -> None:
        self.spent += seconds
        self.left -= seconds

    def _tell(self, text: str) -> None:
        self.listener(Noticed(f"search: {text}."))


def _literal(path: str) -> str:
    """Return a glob (gitignore syntax) that matches this path alone."""
    return "/" + "".join(f"\\{letter}" if letter in "*?[]!#\\ " else letter for letter in path)
