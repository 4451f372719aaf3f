"""One search under way: localise, try, choose, prove, explain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from bot.model import Assurance, Patch, Proposal
from bot.model.progress import Listener, Noticed
from bot.repair.guards import protected_paths
from bot.repair.proposers.base import Task
from bot.repair.proposers.search.choose import Choice, choose
from bot.repair.proposers.search.doubting import Doubts
from bot.repair.proposers.search.explain import (
    SearchEffort,
    clues,
    explain,
    in_vain,
    places,
    standing,
)
from bot.repair.proposers.search.laboratory import Laboratory, NoAnswer
from bot.repair.proposers.search.localise import suspects
from bot.repair.proposers.search.looking import look
from bot.repair.proposers.search.mutations import Candidate, candidates
from bot.repair.proposers.search.proving import RealCommand
from bot.repair.proposers.search.regression import RegressionTests, regression_tests
from bot.repair.proposers.search.stages import Stage, cold, stages
from bot.repair.proposers.search.trials import Trials
from bot.reporting.reasons import search as reasons

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

_COMPARISON: Mapping[str, float] = MappingProxyType({"seconds": 15.0, "seed": 0, "patience": 2.0})
"""How plausible candidates are compared: seconds at most, of one test at most, and the chance."""

_PROVED = 6
"""Plausible patches that are tried with the real command before the search goes on."""


_GOING_ON = 20.0
"""Seconds for which the search goes on behind a patch that is doubtful, or as long as it took so far."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: plausible patches, the best one first, and how sure it is of that one."""

    choices: tuple[Choice, ...]
    assurance: Assurance


@dataclass(slots=True)
class Search:
    """One search. Its clock is the driver's: a restarted run counts the same seconds.

    Attributes:
        task: What to repair.
        lab: Where candidates are tried.
        listener: Hears how it goes.
        left: Seconds.
    """

    task: Task
    lab: Laboratory
    listener: Listener
    left: float
    spent: float = 0.0
    slices: int = 0
    compared: dict[str, Any] | None = None

    async def done(self) -> Proposal:
        """Return the best patch that stands up to everything, or what was found out in vain."""
        evidence, seconds = await look(self.task, self.lab, self.left * _COLLECTING)
        self._count(seconds)
        ranked_lines = suspects(evidence, self.task.recent)
        if not evidence.failing and not evidence.broken:
            return Proposal(Patch(), reasons.all_pass())
        ranked = [
            one
            for one in candidates(evidence, ranked_lines)
            if not protected_paths((one.file,), self.task.protected)
        ]
        self._tell(places(ranked_lines, len(ranked)))
        trials = Trials(evidence)
        command = RealCommand(self.task, self.lab, evidence)
        regression = await regression_tests(self.task, self.lab, evidence)
        found = await self._find(trials, ranked, command, regression)
        effort = SearchEffort(len(trials.tried), self.spent)
        hints = clues(ranked_lines, evidence, trials.partial)
        if found is None:
            return Proposal(Patch(), in_vain(trials, effort), clues=hints)
        best = found.choices[0].candidate
        kept = regression.covering(best) if regression is not None else ()
        summary = explain(found.choices, evidence, ranked_lines, effort, found.assurance, kept)
        return Proposal(
            await command.patch(best),
            summary,
            clues=hints,
            edit=best.edit,
            assurance=found.assurance,
        )

    async def _find(
        self,
        trials: Trials,
        ranked: Sequence[Candidate],
        command: RealCommand,
        regression: RegressionTests | None,
    ) -> Found | None:
        """Try candidates until one stands up to everything and is likely enough to be right.

        Where none is that likely, the likeliest is returned.
        """
        doubts = Doubts(self.task, self.lab)
        doubtful: dict[int, Found] = {}
        for stage in stages(trials, ranked):
            while stage.queue and self.left > 1:
                await self._slice(trials, stage)
                await self._leave_out_harmful(trials, regression)
                if trials.plausible and not stage.cold:  # a cold one may yet be the better one
                    await self._slice(trials, cold(trials.take_urgent()))
                    await self._leave_out_harmful(trials, regression)
                if not (choices := await self._proved(trials, command)):
                    continue
                found = await self._judged(choices, trials, doubts)
                if found.assurance.enough:
                    return found
                if not doubtful:
                    self._tell(reasons.goes_on(found.assurance.probability))
                    self.left = min(self.left, max(_GOING_ON, self.spent))
                doubtful[found.choices[0].candidate.number] = found
        return max(doubtful.values(), key=lambda one: one.assurance.probability, default=None)

    async def _judged(self, choices: tuple[Choice, ...], trials: Trials, doubts: Doubts) -> Found:
        """Return the choices with how sure it is that the first of them is right."""
        took = doubts.seconds
        found = Found(choices, await doubts.assurance(choices, trials))
        self._count(doubts.seconds - took)
        return found

    async def _slice(self, trials: Trials, stage: Stage) -> None:
        """Try the front of a queue for a while."""
        if not stage.queue:
            return
        self.slices += 1
        share = _FIRST_SLICE if self.slices == 1 else _SLICE
        try:
            answer = await self.lab.ask(
                f"try {self.slices}",
                stage.act,
                min(share, self.left),
                more=_MORE,
                grace=_GRACE,
                compare=dict(_COMPARISON),
                workers=self.task.search.workers or 0,
                **trials.request(stage.queue, stage.factor),
            )
        except NoAnswer:
            if not trials.tried:
                raise
            self.left = 0.0  # what was found so far is worth choosing from
            return
        self._count(answer["seconds"])
        self.compared = answer.get("compared") or self.compared
        if answer["writing"] and not trials.writing:
            self._tell(reasons.one_at_a_time())
        fresh = trials.take(answer, stage.queue)
        rate = len(fresh) / max(answer["seconds"], 0.1)
        self._tell(standing(trials, rate))

    async def _leave_out_harmful(self, trials: Trials, regression: RegressionTests | None) -> None:
        """Discard what breaks other tests of the suite."""
        plausible = [choice.candidate for choice in choose([t.candidate for t in trials.plausible])]
        if regression is None or not plausible:
            return
        known = regression.seconds
        try:
            broken = await regression.broken_by(plausible, self.left)
        except NoAnswer as problem:
            self._tell(reasons.suite_uncollected(str(problem)))
            return
        finally:
            self._count(regression.seconds - known)
        for candidate in plausible:
            if candidate.number in broken:
                trials.discard(candidate, "harmful", broken[candidate.number])
        if broken:
            number, missed = len(plausible), regression.missed
            self._tell(reasons.break_suite(len(broken), plausible=number, missed=missed))

    async def _proved(self, trials: Trials, command: RealCommand) -> tuple[Choice, ...]:
        """Return the choices, first one that passes the real command; nothing when none does."""
        choices = self._choices(trials)
        ran = command.seconds
        best = await command.first_passing(choices[:_PROVED])
        self._count(command.seconds - ran)
        if best is not None:
            return (best, *(other for other in choices if other is not best))
        for choice in choices:
            self._refuse(trials, choice)
        return ()

    def _choices(self, trials: Trials) -> tuple[Choice, ...]:
        """Return plausible patches, best first, without those that were judged and rejected."""
        rejected = {attempt.proposal.edit for attempt in self.task.earlier}
        kept = []
        known = self.compared or {"inputs": (), "behaviour": {}}
        plausible = [tried.candidate for tried in trials.plausible]
        for choice in choose(plausible, known["inputs"], known["behaviour"]):
            if rejected & {one.edit for one in (choice.candidate, *choice.alike)}:
                self._refuse(trials, choice)
            else:
                kept.append(choice)
        return tuple(kept)

    def _refuse(self, trials: Trials, choice: Choice) -> None:
        for candidate in (choice.candidate, *choice.alike):
            trials.discard(candidate, "refused")

    def _count(self, seconds: float) -> None:
        self.spent += seconds
        self.left -= seconds

    def _tell(self, text: str) -> None:
        self.listener(Noticed(f"search: {text}"))
