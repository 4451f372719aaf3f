"""Try the fillings of a template by the tests, in the search's forked processes: a thousand in seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from bot.model.steps import Steps
from bot.model.untrusted import clip, reveal_hidden
from bot.repair.harness.client import (
    FOLDER,
    Laboratory,
    NoAnswer,
)
from bot.repair.proposers.agent.edit_template import (
    Filling,
    TemplateOutcome,
    TryEdits,
    described,
    fillings,
    problem_with,
)
from bot.repair.proposers.agent.edit_tool import EditRejected
from bot.repair.proposers.agent.reader import OUTPUT_CHARACTERS
from bot.repair.proposers.base import Task
from bot.repair.proposers.search.evidence import UNPARSABLE, SearchEvidence
from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.places import FunctionBodies
from bot.repair.proposers.search.mutations.source import SourceFile
from bot.repair.proposers.search.stages import Stage, cold
from bot.repair.proposers.search.test_laboratory import look, open_laboratory
from bot.repair.proposers.search.trials import Trials
from bot.repair.workspace.base import Workbench
from sandbox.base import WORKSPACE

_SECONDS = 60.0
"""For looking at the tests, and again for trying."""
_MOST_COLD = 60
"""Fillings of what runs at import: each costs a start of the tests."""
_FILES = 10


class EditTrial:
    """Answers `try_edits` of one attempt."""

    def __init__(
        self,
        task: Task,
        workbench: Workbench,
        steps: Steps,
        *,
        folder: str = FOLDER,
        root: str = WORKSPACE,
    ) -> None:
        """Work on the tree at `root`, with the search's driver in `folder`; both in the sandbox."""
        self._task = task
        self._workbench = workbench
        self._steps = steps
        self._folder = folder
        self._root = root

    async def answer(self, edits: TryEdits, step: str) -> str | EditRejected:
        """Return which fillings pass, and the closest; the tree stays as it is.

        Args:
            edits: What to try.
            step: Names the call, uniquely in its run.
        """
        if problem := problem_with(edits):
            return EditRejected(f"{problem} Nothing was tried.")
        laboratory = await open_laboratory(
            self._task,
            self._workbench,
            self._steps,
            key=f"{step}: try edits",
            folder=self._folder,
            root=self._root,
        )
        if laboratory is None:
            return EditRejected(
                "try_edits works only where the failing command runs pytest or unittest. "
                "Make the edit and call run_tests instead."
            )
        try:
            evidence, seconds = await look(self._task, laboratory, _SECONDS)
            return await self._tried(edits, laboratory, evidence, seconds)
        except NoAnswer as problem:
            return EditRejected(f"The tests can't be collected as the tree is now: {problem}")

    async def _tried(
        self, edits: TryEdits, laboratory: Laboratory, evidence: SearchEvidence, seconds: float
    ) -> str | EditRejected:
        file = edits.path.removeprefix(f"{self._root}/")
        if not evidence.failing and not evidence.broken:
            return EditRejected("No test fails as the tree is now: there is nothing to try.")
        if file not in evidence.sources:
            known = ", ".join(sorted(evidence.sources)[:_FILES])
            return EditRejected(f"No failing test runs {file}. They run {known}.")
        queue = candidates_of(file, evidence.sources[file], edits, found := fillings(edits))
        if isinstance(queue, EditRejected):
            return queue
        trials, statuses = Trials(evidence), Counter[str]()
        trials.add(queue)
        warm = [Stage(trials.warm)] if trials.warm else []
        for stage in warm:
            seconds += await _asked(laboratory, trials, stage, "warm", statuses)
        if trials.cold:
            stage = cold(trials.take_cold(_MOST_COLD))
            seconds += await _asked(laboratory, trials, stage, "cold", statuses)
        failing = len(evidence.failing) + len(evidence.broken)
        told = described(_outcomes(trials, found), statuses, failing, seconds)
        return clip(reveal_hidden(told), OUTPUT_CHARACTERS)


def candidates_of(
    file: str, text: str, edits: TryEdits, found: Sequence[Filling]
) -> list[Candidate] | EditRejected:
    """Return a candidate of the search for each filling, or why there are none."""
    if (times := text.count(edits.old)) != 1 or not edits.old:
        return EditRejected(
            f"old_str must occur once in {file}, not {times} times. Nothing was tried."
        )
    try:
        bodies = FunctionBodies(SourceFile(file, text))
    except UNPARSABLE as error:
        return EditRejected(f"{file} can't be parsed as it is now: {error}")
    start = text.index(edits.old)
    queue = []
    for number, filling in enumerate(found):
        replacement = Replacement(start, start + len(edits.old), filling.text)
        change = Change("template", text.count("\n", 0, start) + 1, 1.0, (replacement,), "")
        unit = bodies.unit(change)
        queue.append(Candidate(number, file, change, 1.0, unit, cold=bodies.outside(change)))
    return queue


async def _asked(
    laboratory: Laboratory, trials: Trials, stage: Stage, name: str, statuses: Counter[str]
) -> float:
    """Have a stage tried, note how each filling ended, and return the seconds it took."""
    answer: dict[str, Any] = await laboratory.ask(
        name,
        stage.act,
        _SECONDS,
        more=len(stage.queue),
        compare=None,
        workers=0,
        **trials.request(stage.queue, stage.factor),
    )
    statuses.update(tried.status for tried in trials.take(answer, stage.queue))
    return float(answer.get("seconds", 0.0))


def _outcomes(trials: Trials, found: Sequence[Filling]) -> tuple[TemplateOutcome, ...]:
    best = (*trials.plausible, *trials.partial)
    return tuple(
        TemplateOutcome(
            found[tried.candidate.number],
            tried.mended,
            tried.status == "plausible",
            tuple(tried.broken),
        )
        for tried in best
    )
