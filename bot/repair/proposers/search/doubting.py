"""Gather what speaks for and against a plausible patch: is it right, or does it only pass?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.model import Assurance, MutantResults, Survivor, Witnesses
from bot.repair.guards import is_test_file
from bot.repair.harness.client import (
    Laboratory,
    NoAnswer,
)
from bot.repair.proposers.base import Task
from bot.repair.proposers.search.choose import Choice
from bot.repair.proposers.search.confidence import is_loose, is_shifting, probability
from bot.repair.proposers.search.explain import patched_text
from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.silencing import probes
from bot.repair.proposers.search.trials import Trials
from bot.repair.verification.mutation.mutants import (
    Mutant,
    mutants_of_change,
)
from bot.reporting.reasons import assurance as reasons

_MOST = 20
"""Mutants of a patch: in live functions they cost milliseconds."""

_SECONDS = 15.0
_FIRST = 10**6
"""Number of the first mutant: no candidate has it."""

_FIRST_PROBE = 2 * 10**6

_CAUGHT = frozenset({"failed", "slow", "died"})
_DOUBTFUL = 0.25
"""Of the mutants, the part from which it is worth telling that they survive."""

_SMALL_SHARE = 0.5

_PARTS = re.compile(r"[^\s,:=(){}\[\]'\"]+")
"""What an answer says, one by one: a list of four numbers says more than one number."""


@dataclass(frozen=True, slots=True)
class Varied:
    """What the tests say of a candidate that is changed a little more.

    Attributes:
        mutants: Small faults in what it changes.
        reached: Statements of its function that failing tests ran without it.
        silenced: Those of them that no test runs with it.
    """

    mutants: MutantResults
    reached: int = 0
    silenced: int = 0


@dataclass(slots=True)
class Doubts:
    """Says how sure it is that a plausible patch is right.

    Attributes:
        task: Says how sure is enough.
        lab: Where mutants are tried.
        known: What was tried of candidates, by their numbers.
        seconds: Of them all.
    """

    task: Task
    lab: Laboratory
    known: dict[int, Varied] = field(default_factory=dict)
    seconds: float = 0.0

    async def assurance(
        self, choices: Sequence[Choice], trials: Trials, compared: Mapping[str, Any]
    ) -> Assurance:
        """Return how sure it is that the first of these choices is right.

        Args:
            choices: Plausible ones, the best first.
            trials: Where they come from.
            compared: What they do on the inputs of tests and on others, as the driver tells it.
        """
        chosen = choices[0]
        number = chosen.candidate.number
        if number not in self.known:
            self.known[number] = await self._varied(chosen.candidate, trials)
        varied = self.known[number]
        mutants = varied.mutants
        seen = witnesses(choices, trials, varied, values_of(number, compared))
        return Assurance(
            probability=probability(seen),
            required=self.task.search.confidence,
            witnesses=seen,
            doubts=tuple(doubts_of(seen, mutants)),
            deciding=deciding(choices, mutants),
            mutants=mutants if mutants.total else None,
        )

    async def _varied(self, candidate: Candidate, trials: Trials) -> Varied:
        """Try mutants of what a candidate changes, and what it may keep from running, on its tests."""
        found = list(_mutants_of(candidate, trials))
        asked = probes(candidate, trials.evidence, _FIRST_PROBE)
        if not found and not asked:
            return Varied(MutantResults(0))
        status = await self._tried([*(item for item, _ in found), *asked], trials)
        survivors = tuple(
            Survivor(item.file, mutant.line, mutant.says)
            for item, mutant in found
            if status.get(item.number) == "plausible"
        )
        caught = sum(status.get(item.number) in _CAUGHT for item, _ in found)
        ended = [status.get(item.number, "") for item in asked]
        silenced = ended.count("plausible")
        reached = silenced + sum(item in _CAUGHT for item in ended)
        return Varied(MutantResults(caught, survivors), reached, silenced)

    async def _tried(self, variants: Sequence[Candidate], trials: Trials) -> dict[int, str]:
        """Return how variants of one candidate did, by number; nothing where the driver is silent."""
        act = "cold" if variants[0].cold or trials.evidence.broken else "warm"
        try:
            answer = await self.lab.ask(
                f"mutants {len(self.known) + 1}",
                act,
                _SECONDS,
                more=len(variants),
                compare=None,
                workers=self.task.search.workers or 0,
                **trials.request(variants),
            )
        except NoAnswer:
            return {}
        self.seconds += answer["seconds"]
        return {int(n): result["status"] for n, result in answer["results"].items()}


@dataclass(frozen=True, slots=True)
class Values:
    """What a candidate does with values.

    Attributes:
        inputs: Different ones that tests give to the changed function and that run what is changed.
        answers: Different numbers and words in the answers to these.
        compared: Inputs, of tests and others, that the function answered without the candidate.
        shifted: Those of them that it answers differently with it.
    """

    inputs: int = 0
    answers: int = 0
    compared: int = 0
    shifted: int = 0


def values_of(number: int, compared: Mapping[str, Any]) -> Values:
    """Return what the driver saw of a candidate's values; nothing where it was not compared."""
    if str(number) not in compared.get("behaviour", {}):
        return Values()
    mine, reach = compared["behaviour"][str(number)], compared["reach"][str(number)]
    told = [answer for answer, reached in zip(mine, reach, strict=False) if reached]
    pairs = [
        (before, after)
        for before, after in zip(compared["behaviour"].get("original", ()), mine, strict=False)
        if before is not None and after is not None and not before.startswith("raises ")
    ]
    shifted = sum(before != after for before, after in pairs)
    parts = {part for answer in told for part in _PARTS.findall(answer or "")}
    return Values(len(told), len(parts), len(pairs), shifted)


def witnesses(
    choices: Sequence[Choice], trials: Trials, varied: Varied, values: Values
) -> Witnesses:
    """Return what is known of the first of these choices."""
    chosen, *others = choices
    best = chosen.candidate
    place = best.file, best.change.line
    return Witnesses(
        mutants=varied.mutants.total,
        caught=varied.mutants.caught,
        rivals=len(others),
        share=chosen.weight / (sum(choice.weight for choice in choices) or 1.0),
        passing=sum(place in lines for lines in trials.evidence.noted.values()),
        failing=len(trials.evidence.failing) or len(trials.evidence.broken),
        weight=best.change.weight,
        rank=sum(number < best.number for number in trials.tried),
        lines=sum(
            text.count("\n")
            for file, text in trials.evidence.sources.items()
            if not is_test_file(file)
        ),
        reached=varied.reached,
        silenced=varied.silenced,
        inputs=values.inputs,
        answers=values.answers,
        compared=values.compared,
        shifted=values.shifted,
    )


def doubts_of(seen: Witnesses, mutants: MutantResults) -> Iterator[str]:
    """Yield what speaks against a patch, one sentence each."""
    if not mutants.total:
        yield reasons.NO_MUTANTS
    elif len(mutants.survivors) > _DOUBTFUL * mutants.total:
        yield reasons.survivors(mutants)
    if seen.rivals and seen.share < _SMALL_SHARE:
        yield reasons.rivals(seen.rivals)
    if is_shifting(seen):
        yield reasons.shifting(seen.shifted, of=seen.compared, inputs=seen.inputs)
    elif is_loose(seen):
        yield reasons.few_values(seen.inputs)
    if seen.silenced:
        yield reasons.silenced(seen.silenced, of=seen.reached)
    if not seen.passing:
        yield reasons.ONLY_FAILING_TESTS


def deciding(choices: Sequence[Choice], mutants: MutantResults) -> str:
    """Return which test would decide whether the first of these choices is right, or nothing."""
    at = next((choice.differs for choice in choices[1:] if choice.differs is not None), None)
    if at is not None:
        return reasons.deciding_input(at.call, patch=at.chosen, other=at.other)
    if mutants.survivors:
        return reasons.deciding_mutant(mutants.survivors[0])
    return ""


def _mutants_of(candidate: Candidate, trials: Trials) -> Iterator[tuple[Candidate, Mutant]]:
    """Yield mutants of a patched file as candidates: what they change of the file as it was."""
    before = trials.evidence.sources[candidate.file]
    after = patched_text(candidate, trials.evidence)
    data = after.encode("utf-8", "surrogatepass")
    old = before.encode("utf-8", "surrogatepass")
    found = mutants_of_change(candidate.file, old, data, most=_MOST)
    for n, mutant in enumerate(found):
        text = mutant.applied(data).decode("utf-8", "surrogatepass")
        change = Change("mutant", mutant.line, 0.0, (_difference(before, text),), mutant.says)
        yield (
            Candidate(_FIRST + n, candidate.file, change, 0.0, candidate.unit, candidate.cold),
            mutant,
        )


def _difference(before: str, after: str) -> Replacement:
    """Return one replacement that makes a text of another one."""
    start = _shared(before, after)
    rest = _shared(before[start:][::-1], after[start:][::-1])
    return Replacement(start, len(before) - rest, after[start : len(after) - rest])


def _shared(one: str, other: str) -> int:
    """Return how many letters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (left, right) in pairs if left != right), min(len(one), len(other)))
