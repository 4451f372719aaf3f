"""One search in a program of JavaScript or TypeScript: localise, try, choose, doubt, explain."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from bot.model import Assurance, MutantResults, Patch, Proposal, Survivor, Witnesses
from bot.model.progress import Listener, Noticed
from bot.repair.guards import protected_paths
from bot.repair.proposers.base import Task
from bot.repair.proposers.mechanical.configuration import decide
from bot.repair.proposers.mechanical.protected_files import only
from bot.repair.proposers.search.choose import ChosenPatch, choose
from bot.repair.proposers.search.confidence import probability
from bot.repair.proposers.search.doubting import doubts_of
from bot.repair.proposers.search.explain import likely
from bot.repair.proposers.search.javascript.candidates import ranked_edits
from bot.repair.proposers.search.javascript.commands import ScriptTests
from bot.repair.proposers.search.javascript.suspects import (
    Lines,
    statement_at,
    suspected_files,
    suspicious_lines,
)
from bot.repair.proposers.search.javascript.trials import Coverage, ScriptLaboratory, TrialEdit
from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.mutations.change import applied
from bot.repair.verification.mutation.mutants import mutants_of_change
from bot.reporting.reasons import assurance as how_sure
from bot.reporting.reasons import search as reasons

_SLICE = 20.0
"""Seconds of trying in one step: what a crash costs at most."""

_PASSING = 6
"""Passing tests whose lines are looked at, each in a run of its own."""

_PASSING_SECONDS = 15.0
_MORE = 60
"""Edits that are tried behind the first that passes: a likelier one, or a rival, may follow."""

_PROVED = 6
"""Edits that pass which are tried with the whole command."""

_WORKERS = 4
"""Edits that are tried side by side, where there are as many processors."""

_MUTANTS = 8
_LEAST = 2.0
_TIMES = 4
"""Seconds that one run may take at least, and how many times as long as the first run took."""


@dataclass(slots=True)
class ScriptSearch:
    """One search.

    Attributes:
        task: What to repair.
        lab: Where edits are tried.
        listener: Hears how it goes.
        tests: The failing ones, and how others run.
        left: Seconds.
        spent: Seconds.
        limit: Seconds for one run.
        sources: The files that may be changed.
        tried: How each edit did, by number.
    """

    task: Task
    lab: ScriptLaboratory
    listener: Listener
    tests: ScriptTests
    left: float
    spent: float = 0.0
    limit: float = _LEAST
    sources: Mapping[str, bytes] = field(default_factory=dict)
    tried: dict[int, str] = field(default_factory=dict)

    async def done(self) -> Proposal:
        """Return the best patch with which the failing command passes, or what was tried in vain.

        Raises:
            NoAnswer: The driver does not run in this sandbox.
        """
        await self.lab.open()
        seen = await self.lab.coverage("coverage", self.tests.command, min(self.left, 300.0))
        self._count(seen.seconds)
        if seen.passes:
            return Proposal(Patch(), reasons.ALL_PASS)
        self.limit = max(_LEAST, _TIMES * seen.seconds)
        lines = await self._suspicious(seen)
        ranked = ranked_edits(self.sources, lines)
        if seen.ended and not suspected_files(seen.files):
            return Proposal(Patch(), reasons.no_script_run(self._failing()))
        first = sorted(
            (
                (score, path, line)
                for path, scores in lines.items()
                for line, score in scores.items()
            ),
            key=lambda item: (-item[0], item[1:]),
        )
        places = [f"{path}:{line}" for _, path, line in first[:3]]
        self._tell(reasons.places(len(first), places, edits=len(ranked)))
        best = await self._best(ranked)
        cut = not seen.ended or (self.left <= 1 and len(self.tried) < len(ranked))
        clues = "\n".join([reasons.RANKING, *places])
        if not best:
            return Proposal(Patch(), vain(self.tried, self.spent, cut=cut), clues=clues)
        assurance = await self._assurance(best)
        return Proposal(
            await self._patch(best[0].candidate),
            self._summary(best, assurance, cut=cut),
            clues=clues,
            edit=best[0].candidate.edit,
            assurance=assurance,
        )

    async def _suspicious(self, seen: Coverage) -> Lines:
        """Return the suspicious lines of the files that the failing tests ran."""
        there = await self.lab.workbench.untouched(suspected_files(seen.files))
        self.sources = {
            path: data
            for path, data in there.items()
            if not protected_paths((path,), self.task.protected)
        }
        whole = self.task.reproduction.whole or self.task.reproduction.observation
        passing = []
        ended = self.spent + _PASSING_SECONDS
        passed = sorted(whole.passed) if whole is not None else []
        for n, test in enumerate(passed[:: max(1, len(passed) // _PASSING)][:_PASSING]):
            if self.spent > ended:
                break
            select = partial(self.tests.alone, test)
            name = f"{self.lab.key}: select {n}"
            command = await decide(select, self.lab.workbench, self.lab.steps, name=name)
            if command is not None:
                ran = await self.lab.coverage(f"passing {n}", command, self.limit)
                self._count(ran.seconds)
                passing += [ran.files] if ran.passes else []
        observation = self.task.reproduction.observation
        failures = observation.failing if observation is not None else ()
        return suspicious_lines(self.sources, seen.files, passing, failures, self.lab.root)

    async def _best(self, ranked: Sequence[Candidate]) -> tuple[ChosenPatch, ...]:
        """Try edits until one passes the whole command, and some behind it; the best one first."""
        queue = list(ranked[: self.task.search.edits])
        rejected = {attempt.proposal.edit for attempt in self.task.earlier}
        refused: set[int] = set()
        while queue and self.left > 1:
            done = await self._try(f"try {len(self.tried)}", queue, min(_SLICE, self.left))
            queue = [candidate for candidate in queue if candidate.number not in done]
            plausible = [
                ranked[n]
                for n, status in sorted(self.tried.items())
                if status == "passes" and n not in refused and ranked[n].edit not in rejected
            ]
            self._tell(self._standing(plausible))
            choices = choose(plausible)
            for choice in choices[:_PROVED]:
                if await self._stands(choice.candidate):
                    return (choice, *(other for other in choices if other is not choice))
                refused.add(choice.candidate.number)
        return ()

    async def _try(self, name: str, part: Sequence[Candidate], seconds: float) -> set[int]:
        """Try edits for a while; return the numbers of those that were."""
        if not part:
            return set()
        results = await self.lab.tried(
            name,
            self.tests.command,
            [self._edit(candidate) for candidate in part],
            seconds=seconds,
            limit=self.limit,
            workers=self.task.search.workers or _WORKERS,
            more=_MORE,
        )
        self._count(results.seconds)
        if not results.status:
            self.left = 0.0
        self.tried.update(results.status)
        return {*results.status}

    def _edit(self, candidate: Candidate) -> TrialEdit:
        [only_one] = candidate.change.replacements
        text = self.sources[candidate.file].decode("utf-8", "surrogateescape")
        start = len(text[: only_one.start].encode("utf-8", "surrogateescape"))
        end = len(text[: only_one.end].encode("utf-8", "surrogateescape"))
        return candidate.number, candidate.file, start, end, only_one.text

    async def _stands(self, candidate: Candidate) -> bool:
        """Whether the whole failing command passes with an edit; the tree stays as it was."""
        n = candidate.number
        await self._write(candidate.file, self._patched(candidate), f"apply {n}")
        observe = self.lab.workbench.observe
        seen = await self.lab.steps(
            f"{self.lab.key}: prove {n}", observe, self.task.commands.failing
        )
        self._count(seen.seconds)
        await self._write(candidate.file, self.sources[candidate.file], f"undo {n}")
        return seen.ok

    def _patched(self, candidate: Candidate) -> bytes:
        text = self.sources[candidate.file].decode("utf-8", "surrogateescape")
        return applied(text, candidate.change.replacements).encode("utf-8", "surrogateescape")

    async def _patch(self, candidate: Candidate) -> Patch:
        await self._write(candidate.file, self._patched(candidate), "apply")
        patch = await self.lab.steps(f"{self.lab.key}: patch", self.lab.workbench.patch)
        return only(patch, {candidate.file})

    async def _write(self, file: str, data: bytes, name: str) -> None:
        path = posixpath.join(self.lab.root, file)
        await self.lab.steps(f"{self.lab.key}: {name}", self.lab.workbench.write_file, path, data)

    async def _assurance(self, choices: Sequence[ChosenPatch]) -> Assurance:
        """Return how sure it is that the first choice is right.

        No results are compared here, so nothing tells patches that pass from each other: each has
        its share of the probability that one of them is right.
        """
        best, *others = choices
        mutants = await self._mutants(best.candidate)
        seen = Witnesses(
            mutants=mutants.total,
            caught=mutants.caught,
            rivals=len(others),
            share=best.weight / (sum(choice.weight for choice in choices) or 1.0),
            passing=await self._reaching(best.candidate),
            failing=len(self._failing()),
            weight=best.candidate.change.weight,
            rank=sum(number < best.candidate.number for number in self.tried),
            lines=sum(data.count(b"\n") for data in self.sources.values()),
        )
        return Assurance(
            probability=probability(seen) * seen.share,
            required=self.task.search.confidence,
            witnesses=seen,
            doubts=tuple(doubts_of(seen, mutants)),
            deciding=how_sure.deciding_mutant(mutants.survivors[0]) if mutants.survivors else "",
            mutants=mutants if mutants.total else None,
        )

    async def _mutants(self, candidate: Candidate) -> MutantResults:
        """Put small faults into the changed lines; return which of them the failing tests notice."""
        before, after = self.sources[candidate.file], self._patched(candidate)
        found = mutants_of_change(candidate.file, before, after, most=_MUTANTS)
        changed = [
            (n, candidate.file, 0, len(before), mutant.applied(after).decode("utf-8", "replace"))
            for n, mutant in enumerate(found)
        ]
        if not changed or self.left <= 1:
            return MutantResults(0)
        results = await self.lab.tried(
            f"mutants {candidate.number}",
            self.tests.command,
            changed,
            seconds=min(_SLICE, self.left),
            limit=self.limit,
            workers=self.task.search.workers or _WORKERS,
        )
        self._count(results.seconds)
        status = results.status
        survivors = tuple(
            Survivor(candidate.file, found[n].line, found[n].says)
            for n, result in sorted(status.items())
            if result == "passes"
        )
        return MutantResults(len(status) - len(survivors), survivors)

    async def _reaching(self, candidate: Candidate) -> int:
        """Return how many tests that pass run the changed place: they fail where it throws."""
        whole = self.task.reproduction.whole or self.task.reproduction.observation
        place = statement_at(candidate.file, self.sources[candidate.file], candidate.change.line)
        if place is None or whole is None or self.left <= 1:
            return 0
        data = self.sources[candidate.file]
        thrown = data[:place] + b"throw new Error('reached'); " + data[place:]
        await self._write(candidate.file, thrown, "reach")
        observe = self.lab.workbench.observe
        seen = await self.lab.steps(f"{self.lab.key}: reached", observe, whole.command)
        self._count(seen.seconds)
        await self._write(candidate.file, data, "undo reach")
        return len(whole.passed & seen.failing_ids)

    def _summary(self, choices: Sequence[ChosenPatch], assurance: Assurance, *, cut: bool) -> str:
        best, *others = choices
        change = best.candidate.change
        shown = [
            reasons.alternative(
                choice.candidate.change.says,
                file=choice.candidate.file,
                line=choice.candidate.change.line,
            )
            for choice in others[:3]
        ]
        parts = [
            reasons.fix(change.says, file=best.candidate.file, line=change.line),
            reasons.fixes(self._failing()),
            reasons.found(len(self.tried), self.spent, cut=cut),
            likely(assurance),
            reasons.alternatives(shown, more=len(others) - len(shown)) if shown else "",
        ]
        return "\n\n".join(filter(None, parts))

    def _failing(self) -> list[str]:
        observation = self.task.reproduction.observation
        return [failure.test for failure in observation.failing] if observation is not None else []

    def _standing(self, plausible: Sequence[Candidate]) -> str:
        rate = len(self.tried) / max(self.spent, 0.1)
        failing = len(self._failing())
        return reasons.standing(
            len(self.tried), plausible=len(plausible), fixed=None, failing=failing, rate=rate
        )

    def _count(self, seconds: float) -> None:
        self.spent += seconds
        self.left -= seconds

    def _tell(self, text: str) -> None:
        self.listener(Noticed(f"search: {text}"))


def vain(tried: Mapping[int, str], seconds: float, *, cut: bool) -> str:
    """Return what came of a search that found no repair.

    Args:
        tried: How each edit did, by number.
        seconds: That it took.
        cut: Whether its time was up.
    """
    passing = [*tried.values()].count("passes")
    if passing:
        said = reasons.all_refused(passing, edits=len(tried), seconds=seconds)
    else:
        said = reasons.none_fixes_all(len(tried), seconds)
    return f"{said} {reasons.TIME_UP}" if cut else said
