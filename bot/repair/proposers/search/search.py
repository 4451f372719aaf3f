"""One search under way: localise, try, choose, prove, explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot.model import Assurance, Patch, Proposal
from bot.model.progress import Listener, Noticed
from bot.repair.guards import protected_paths
from bot.repair.harness.client import GRACE, Laboratory, NoAnswer
from bot.repair.proposers.base import Task
from bot.repair.proposers.search.choose import ChosenPatch, choose
from bot.repair.proposers.search.doubting import COMPARISON, Doubts
from bot.repair.proposers.search.explain import (
    SearchEffort,
    clues,
    explain,
    in_vain,
    places,
    standing,
)
from bot.repair.proposers.search.limits import edits_to_try
from bot.repair.proposers.search.localise import suspects
from bot.repair.proposers.search.mutations import Candidate, candidates
from bot.repair.proposers.search.proving import RealCommand
from bot.repair.proposers.search.regression import RegressionTests, regression_tests
from bot.repair.proposers.search.stages import Stage, cold, stages
from bot.repair.proposers.search.test_laboratory import look
from bot.repair.proposers.search.trials import Trials
from bot.reporting.reasons import search as reasons

_SLICE = 20.0
"""Seconds of trying in one step: what a crash costs at most. The next step goes on behind it."""

_WORTH = 5
"""How many times as long as a step's start it tries: on a busy machine, starting takes long."""

_FIRST_SLICE = 5.0
"""Seconds of the first step of trying: then somebody who watches hears how it goes."""

_MORE = 300
"""Candidates that are tried behind the first plausible one: a better one may follow."""

_PROVED = 6
"""Plausible patches that are tried with the real command before the search goes on."""

_GOING_ON = 1000
"""Edits that are tried behind a patch that is doubtful, or as many as were tried so far."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: plausible patches, the best one first, and how sure it is of that one."""

    choices: tuple[ChosenPatch, ...]
    assurance: Assurance


@dataclass(slots=True)
class Search:
    """One search. What it finds hangs on the number of edits, and its clock only ends it.

    The clock is the driver's: a restarted run counts the same seconds.

    Attributes:
        task: What to repair.
        lab: Where candidates are tried.
        listener: Hears how it goes.
        left: Seconds.
        most: Edits to try.
        spent: Seconds.
        slices: Steps of trying so far.
        fruitless: The last of them in which no edit was tried to its end.
        starting: Seconds that the last of them took besides trying.
        compared: By function, how its plausible candidates behave.
    """

    task: Task
    lab: Laboratory
    listener: Listener
    left: float
    most: int = 0
    spent: float = 0.0
    slices: int = 0
    fruitless: int = 0
    starting: float = 0.0
    compared: dict[str, dict[str, Any]] = field(default_factory=dict)

    async def done(self) -> Proposal:
        """Return the best patch that stands up to everything, or what was found out in vain."""
        evidence, seconds = await look(self.task, self.lab, self.left)
        self._count(seconds)
        ranked_lines = suspects(evidence, self.task.recent, self.task.deciding)
        if not evidence.failing and not evidence.broken:
            return Proposal(Patch(), reasons.ALL_PASS)
        ranked = [
            candidate
            for candidate in candidates(evidence, ranked_lines)
            if not protected_paths((candidate.file,), self.task.protected)
        ]
        self._tell(places(ranked_lines, len(ranked)))
        trials = Trials(evidence)
        self.most = edits_to_try(evidence, self.task.search.edits)
        command = RealCommand(self.task, self.lab, evidence)
        regression = await regression_tests(self.task, self.lab, evidence)
        found = await self._find(trials, ranked, command, regression)
        unfinished = len(trials.tried) < min(self.most, len(ranked))
        cut = evidence.missed > 0 or (self._out_of_time and unfinished)
        effort = SearchEffort(len(trials.tried), self.spent, cut=cut)
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
            while stage.queue and self._goes_on(trials):
                await self._try_front(trials, stage)
                await self._leave_out_harmful(trials, regression)
                if trials.plausible and not stage.cold:  # a cold one may yet be the better one
                    await self._finish(trials, cold(trials.take_urgent()))
                    await self._leave_out_harmful(trials, regression)
                if not (choices := await self._proved(trials, command)):
                    continue
                found = await self._judged(choices, trials, doubts)
                if found.assurance.enough:
                    return found
                if not doubtful:
                    self._tell(reasons.goes_on(found.assurance.probability))
                    tried = len(trials.tried)
                    self.most = min(self.most, tried + max(_GOING_ON, tried))
                doubtful[found.choices[0].candidate.number] = found
        return max(doubtful.values(), key=lambda item: item.assurance.probability, default=None)

    @property
    def _out_of_time(self) -> bool:
        return self.left <= 1

    def _goes_on(self, trials: Trials) -> bool:
        return not self._out_of_time and len(trials.tried) < self.most

    async def _judged(
        self, choices: tuple[ChosenPatch, ...], trials: Trials, doubts: Doubts
    ) -> Found:
        """Return the choices with how sure it is that the first of them is right."""
        took = doubts.seconds
        found = Found(choices, await doubts.assurance(choices, trials, self.left))
        self._count(doubts.seconds - took)
        return found

    async def _try_front(self, trials: Trials, stage: Stage) -> None:
        """Try the front of a queue for a while; behind what is plausible, all of so many."""
        known = {tried.candidate.number for tried in trials.plausible}
        place = {candidate.number: n for n, candidate in enumerate(stage.queue)}
        compared = {*self.compared}
        slices = self.slices
        await self._slice(trials, stage)
        while self._goes_on(trials):
            found = {tried.candidate.number for tried in trials.plausible} - known
            last = min((place[n] for n in found if n in place), default=-1) + _MORE
            rest = [
                candidate for candidate in stage.queue if found and place[candidate.number] <= last
            ]
            if not rest:
                break
            part = replace(stage, queue=[*rest])
            await self._slice(trials, part)
            done = {candidate.number for candidate in rest} - {
                candidate.number for candidate in part.queue
            }
            stage.queue[:] = [
                candidate for candidate in stage.queue if candidate.number not in done
            ]
        again = {
            tried.candidate.unit
            for tried in trials.plausible
            if tried.candidate.number not in known
        }
        if again & compared or (again and self.slices > slices + 1):
            await self._compare(trials, stage)

    async def _finish(self, trials: Trials, stage: Stage) -> None:
        """Try all of a queue."""
        while stage.queue and self._goes_on(trials):
            await self._slice(trials, stage)

    async def _slice(self, trials: Trials, stage: Stage) -> None:
        """Try the front of a queue for a while; longer, if that was too short for any of it."""
        queue = stage.queue[: self.most - len(trials.tried)]
        if not queue:
            return
        self.slices += 1
        share = _FIRST_SLICE if self.slices == 1 else max(_SLICE, _WORTH * self.starting)
        seconds = min(share * 2**self.fruitless, self.left)
        answer = await self._ask(trials, stage, f"try {self.slices}", queue, seconds)
        if answer is None:
            return
        if not answer.get("compared"):
            self.starting = max(0.0, answer["seconds"] - seconds)
        if answer["writing"] and not trials.writing:
            self._tell(reasons.ONE_AT_A_TIME)
        left = len(stage.queue)
        fresh = trials.take(answer, stage.queue)
        self.fruitless = self.fruitless + 1 if len(stage.queue) == left else 0
        rate = len(fresh) / max(answer["seconds"], 0.1)
        self._tell(standing(trials, rate))

    async def _compare(self, trials: Trials, stage: Stage) -> None:
        """Compare all plausible candidates, where they were not tried in one go."""
        plausible = sorted(
            (tried.candidate for tried in trials.plausible), key=lambda item: item.number
        )
        if plausible and not self._out_of_time:
            await self._ask(trials, stage, f"compare {self.slices}", plausible, self.left)

    async def _ask(
        self, trials: Trials, stage: Stage, name: str, queue: list[Candidate], seconds: float
    ) -> dict[str, Any] | None:
        """Return what the driver says of candidates, None where it says nothing any more."""
        try:
            answer = await self.lab.ask(
                name,
                stage.act,
                seconds,
                grace=max(GRACE, self.left),
                more=_MORE,
                compare={**COMPARISON, "left": self.left},
                workers=self.task.search.workers or 0,
                **trials.request(queue, stage.factor),
            )
        except NoAnswer:
            if not trials.tried:
                raise
            self.left = 0.0  # what was found so far is worth choosing from
            return None
        self._count(answer["seconds"])
        if compared := answer.get("compared"):
            known = {candidate.number: candidate.unit for candidate in queue}
            self.compared[known[compared["numbers"][0]]] = compared
        return answer

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

    async def _proved(self, trials: Trials, command: RealCommand) -> tuple[ChosenPatch, ...]:
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

    def _choices(self, trials: Trials) -> tuple[ChosenPatch, ...]:
        """Return plausible patches, best first, without those that were judged and rejected."""
        rejected = {attempt.proposal.edit for attempt in self.task.earlier}
        kept = []
        plausible = sorted(
            (tried.candidate for tried in trials.plausible), key=lambda item: item.number
        )
        unit = plausible[0].unit if plausible else ""
        known = self.compared.get(unit, {"inputs": (), "behaviour": {}})
        for choice in choose(plausible, known["inputs"], known["behaviour"]):
            if rejected & {candidate.edit for candidate in (choice.candidate, *choice.alike)}:
                self._refuse(trials, choice)
            else:
                kept.append(choice)
        return tuple(kept)

    def _refuse(self, trials: Trials, choice: ChosenPatch) -> None:
        for candidate in (choice.candidate, *choice.alike):
            trials.discard(candidate, "refused")

    def _count(self, seconds: float) -> None:
        self.spent += seconds
        self.left -= seconds

    def _tell(self, text: str) -> None:
        self.listener(Noticed(f"search: {text}"))
