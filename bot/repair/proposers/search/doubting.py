"""Gather what speaks for and against a plausible patch: is it right, or does it only pass?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import accumulate
from types import MappingProxyType
from typing import Any

from bot.model import Assurance, MutantResults, Survivor, Witnesses
from bot.repair.guards import is_test_file
from bot.repair.harness.client import (
    Laboratory,
    NoAnswer,
)
from bot.repair.proposers.base import Task
from bot.repair.proposers.search.choose import ChosenPatch, Difference
from bot.repair.proposers.search.confidence import is_vague, probability
from bot.repair.proposers.search.evidence import UNPARSABLE, SearchEvidence
from bot.repair.proposers.search.explain import patched_text
from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.neighbours import difference, neighbours
from bot.repair.proposers.search.trials import Trials
from bot.repair.verification.mutation.mutants import (
    Mutant,
    mutants_of_change,
)
from bot.reporting.reasons import assurance as reasons

# A patch that turns a condition round, or returns early, may pass because nothing runs any more that
# could fail. With `raise` in front of such a statement all tests still pass.

MOST = 12
"""Statements of a function that are asked about; each costs a run of the tests."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def probes(candidate: Candidate, evidence: SearchEvidence, first: int) -> tuple[Candidate, ...]:
    """Return the candidate once for each other statement of its function that failing tests ran: it raises now.

    Args:
        candidate: What passes all tests.
        evidence: Has the text as it was, and which lines failing tests ran.
        first: Number of the first of them; the others have the ones after it.
    """
    text, edit = evidence.sources[candidate.file], candidate.change
    ran = {line for lines in evidence.counted.values() for line in lines.get(candidate.file, ())}
    places = [
        (line, at, indent)
        for line, at, indent in _statements(text, edit.line)
        if line in ran - {edit.line}
        and not any(replacement.start <= at <= replacement.end for replacement in edit.replacements)
    ]
    step = -(-len(places) // MOST) or 1
    return tuple(
        _raising(candidate, first + n, line, Replacement(at, at, f"raise BaseException\n{indent}"))
        for n, (line, at, indent) in enumerate(places[::step])
    )


def _raising(candidate: Candidate, number: int, line: int, raised: Replacement) -> Candidate:
    replacements = (*candidate.change.replacements, raised)
    change = Change("probe", line, 0.0, replacements, "raises")
    return Candidate(number, candidate.file, change, 0.0, candidate.unit, candidate.cold)


def _statements(text: str, line: int) -> Iterator[tuple[int, int, str]]:
    """Yield the statements of the function around a line: line, place in the text, what stands before."""
    try:
        tree = ast.parse(text)
    except UNPARSABLE:
        return
    around = [
        node for node in ast.walk(tree)
        if isinstance(node, _FUNCTIONS) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]  # fmt: skip
    if not around:
        return
    lines = text.splitlines(keepends=True)
    starts = [0]
    for item in lines:
        starts.append(starts[-1] + len(item))
    inner = max(around, key=lambda node: node.lineno)
    for node in sorted(_below(inner), key=lambda node: node.lineno):
        indent = lines[node.lineno - 1].encode()[: node.col_offset].decode(errors="replace")
        if not indent.strip():
            yield node.lineno, starts[node.lineno - 1] + len(indent), indent


def _below(function: ast.AST) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(function):
        if isinstance(child, ast.stmt):
            yield child
        if not isinstance(child, (*_FUNCTIONS, ast.ClassDef, ast.Lambda)):
            yield from _below(child)


_MOST = 20
"""Mutants of a patch: in live functions they cost milliseconds."""

_MOST_NEIGHBOURS = 30
"""Edits next to a patch, of the same place."""

_FIRST = 10**6
"""Number of the first mutant: no candidate has it."""

_FIRST_PROBE = 2 * 10**6
_FIRST_NEIGHBOUR = 3 * 10**6

COMPARISON: Mapping[str, float] = MappingProxyType({"seed": 0, "patience": 2.0})
"""How candidates are compared: what chance begins with, and seconds of one test at most."""

_CAUGHT = frozenset({"failed", "slow", "died"})
_DOUBTFUL = 0.25
"""Of the mutants, the part from which it is worth telling that they survive."""

_SMALL_SHARE = 0.5

_RAISES = "raises "
"""What an answer begins with that is an exception."""

_PLACES = re.compile(r", leaving\b|`[^`]*`")
"""Where the driver says that a call has changed something."""

_PARTS = re.compile(r"[^\s,:=(){}\[\]'\"]++(?![(=])")
"""What an answer says, one by one: a list of four numbers says more than one number. What stands
before a bracket or an equals sign is the form of it: the name of a class or of a field."""

_AROUND = re.compile(r"^[-+](?=\d)|(?<=\d)[^\W\d_]+$")
"""What stands at a number in the same word: its sign, and its unit."""


@dataclass(frozen=True, slots=True)
class Values:
    """What a candidate does with values.

    Attributes:
        compared: Inputs, of tests and others, that the function answered without the candidate.
        shifted: Those of them that it answers differently with it.
        turned: Inputs of the tests that it answers differently, or answers at all.
        outcomes: Different numbers and words in its answers to these.
    """

    compared: int = 0
    shifted: int = 0
    turned: int = 0
    outcomes: int = 0


@dataclass(frozen=True, slots=True)
class Varied:
    """What the tests say of a candidate that is changed a little more.

    Attributes:
        mutants: Small faults in what it changes.
        reached: Statements of its function that failing tests ran without it.
        silenced: Those of them that no test runs with it.
        values: What it does with values.
        neighbours: Where small changes of it pass too and answer otherwise.
    """

    mutants: MutantResults
    reached: int = 0
    silenced: int = 0
    values: Values = Values()
    neighbours: tuple[Difference, ...] = ()


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
        self, choices: Sequence[ChosenPatch], trials: Trials, seconds: float
    ) -> Assurance:
        """Return how sure it is that the first of these choices is right.

        Args:
            choices: Plausible ones, the best first.
            trials: Where they come from.
            seconds: That the search has left.
        """
        chosen = choices[0]
        number = chosen.candidate.number
        if number not in self.known:
            self.known[number] = await self._varied(chosen.candidate, trials, seconds)
        varied = self.known[number]
        mutants = varied.mutants
        seen = witnesses(choices, trials, varied)
        return Assurance(
            probability=probability(seen),
            required=self.task.search.confidence,
            witnesses=seen,
            doubts=tuple(doubts_of(seen, mutants)),
            deciding=deciding(choices, varied),
            mutants=mutants if mutants.total else None,
        )

    async def _varied(self, candidate: Candidate, trials: Trials, seconds: float) -> Varied:
        """Try small changes of a candidate on its tests, and compare those that pass with it."""
        found = list(_mutants_of(candidate, trials))
        near = neighbours(candidate, trials.evidence, first=_FIRST_NEIGHBOUR, most=_MOST_NEIGHBOURS)
        asked = probes(candidate, trials.evidence, _FIRST_PROBE)
        changed = [*(item for item, _ in found), *near]
        status, compared = await self._tried([candidate, *changed, *asked], trials, seconds)
        survivors = tuple(
            Survivor(item.file, mutant.line, mutant.says)
            for item, mutant in found
            if status.get(item.number) == "plausible"
        )
        caught = sum(status.get(item.number) in _CAUGHT for item, _ in found)
        ended = [status.get(item.number, "") for item in asked]
        silenced = ended.count("plausible")
        reached = silenced + sum(item in _CAUGHT for item in ended)
        return Varied(
            MutantResults(caught, survivors),
            reached,
            silenced,
            values_of(candidate.number, compared),
            told_apart(candidate.number, [item.number for item in changed], compared),
        )

    async def _tried(
        self, variants: Sequence[Candidate], trials: Trials, seconds: float
    ) -> tuple[dict[int, str], Mapping[str, Any]]:
        """Return how a candidate and variants of it did, by number, and what they answer.

        Nothing where the driver is silent.
        """
        act = "cold" if variants[0].cold or trials.evidence.broken else "warm"
        try:
            answer = await self.lab.ask(
                f"mutants {len(self.known) + 1}",
                act,
                seconds,
                more=len(variants),
                compare={**COMPARISON, "left": seconds},
                workers=self.task.search.workers or 0,
                **trials.request(variants),
            )
        except NoAnswer:
            return {}, {}
        self.seconds += answer["seconds"]
        status = {int(n): result["status"] for n, result in answer["results"].items()}
        return status, answer.get("compared") or {}


def values_of(number: int, compared: Mapping[str, Any]) -> Values:
    """Return what the driver saw of a candidate's values; nothing where it was not compared."""
    behaviour = compared.get("behaviour", {})
    if str(number) not in behaviour:
        return Values()
    pairs = list(zip(behaviour.get("original", ()), behaviour[str(number)], strict=False))
    answered = [
        (before, after)
        for before, after in pairs
        if before is not None and after is not None and not before.startswith(_RAISES)
    ]
    turned = [(before, after) for before, after in pairs[: compared["calls"]] if before != after]
    parts = {
        _AROUND.sub("", part)
        for before, after in turned
        for part in _new_parts(before or "", after or "")
    }
    return Values(
        compared=len(answered),
        shifted=sum(before != after for before, after in answered),
        turned=len(turned),
        outcomes=len(parts),
    )


def _new_parts(before: str, after: str) -> Iterator[str]:
    """Yield what an answer says that the one before did not say at that place."""
    old, new = _parts(before), _parts(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag != "equal":
            yield from _unsaid("".join(old[first:last]), new[start:end])


def _unsaid(said: str, parts: list[str]) -> list[str]:
    """Return the parts that have a letter which was not said: a text cut in two says nothing new."""
    text = "".join(parts)
    begin = _alike(said, text)
    end = len(text) - _alike(said[begin:][::-1], text[begin:][::-1])
    ends = accumulate(map(len, parts))
    found = [
        part for part, at in zip(parts, ends, strict=True) if at > begin and at - len(part) < end
    ]
    return found or parts[:1]


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def _parts(answer: str) -> list[str]:
    return [answer] if answer.startswith(_RAISES) else _PARTS.findall(_PLACES.sub("", answer))


def told_apart(
    number: int, others: Sequence[int], compared: Mapping[str, Any]
) -> tuple[Difference, ...]:
    """Return where others answer unlike a candidate: one difference for those that answer alike."""
    behaviour = compared.get("behaviour", {})
    mine = behaviour.get(str(number), ())
    found: dict[tuple[str | None, ...], Difference] = {}
    for other in others:
        theirs = tuple(behaviour.get(str(other), mine))
        for call, chosen, answer in zip(compared.get("inputs", ()), mine, theirs, strict=False):
            if chosen != answer:
                found.setdefault(theirs, Difference(call, chosen, answer))
                break
    return tuple(found.values())


def witnesses(choices: Sequence[ChosenPatch], trials: Trials, varied: Varied) -> Witnesses:
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
        compared=varied.values.compared,
        shifted=varied.values.shifted,
        neighbours=len(varied.neighbours),
        turned=varied.values.turned,
        outcomes=varied.values.outcomes,
    )


def doubts_of(seen: Witnesses, mutants: MutantResults) -> Iterator[str]:
    """Yield what speaks against a patch, one sentence each."""
    if not mutants.total:
        yield reasons.NO_MUTANTS
    elif len(mutants.survivors) > _DOUBTFUL * mutants.total:
        yield reasons.survivors(mutants)
    compared = seen.compared or seen.turned
    if seen.rivals and (seen.share < _SMALL_SHARE or not compared):
        yield reasons.rivals(seen.rivals)
    elif seen.neighbours:
        yield reasons.neighbours(seen.neighbours)
    if not compared:
        yield reasons.NOTHING_COMPARED
    elif is_vague(seen):
        yield reasons.vague(seen.turned)
    if 2 * seen.shifted > seen.compared:
        yield reasons.shifting(seen.shifted, of=seen.compared, known=seen.turned)
    if seen.silenced:
        yield reasons.silenced(seen.silenced, of=seen.reached)
    if not seen.passing:
        yield reasons.ONLY_FAILING_TESTS


def deciding(choices: Sequence[ChosenPatch], varied: Varied) -> str:
    """Return which test would decide whether the first of these choices is right, or nothing."""
    rivals = [choice.differs for choice in choices[1:] if choice.differs is not None]
    for at in (*rivals, *varied.neighbours):
        return reasons.deciding_input(at.call, patch=at.chosen, other=at.other)
    if varied.mutants.survivors:
        return reasons.deciding_mutant(varied.mutants.survivors[0])
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
        change = Change("mutant", mutant.line, 0.0, (difference(before, text),), mutant.says)
        yield (
            Candidate(_FIRST + n, candidate.file, change, 0.0, candidate.unit, candidate.cold),
            mutant,
        )
