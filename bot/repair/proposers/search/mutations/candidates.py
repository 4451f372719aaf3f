"""Gather every edit that could mend a suspicious place, the most promising first."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from bot.repair.guards import is_test_file
from bot.repair.proposers.search.evidence import UNPARSABLE, SearchEvidence
from bot.repair.proposers.search.localise import Suspect
from bot.repair.proposers.search.mutations import (
    conditions,
    errors,
    guards,
    moves,
    names,
    operators,
    siblings,
    statements,
    symmetry,
    texts,
    values,
)
from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.places import TOGETHER, FunctionBodies, Place, places_of
from bot.repair.proposers.search.mutations.repeated_edits import repeated_edits
from bot.repair.proposers.search.mutations.rewrites import REWRITES
from bot.repair.proposers.search.mutations.rule import MutationRule
from bot.repair.proposers.search.mutations.scope import FunctionScope, scope_of
from bot.repair.proposers.search.mutations.source import Definition, SourceFile
from bot.repair.proposers.search.mutations.weights import (
    HIGHEST,
    SHARPNESS,
    UNUSED,
)

RULES: tuple[MutationRule, ...] = (
    operators.comparison, operators.arithmetic, operators.update,
    operators.grouping, operators.off_by_one,
    operators.number, names.variable, names.part, names.attribute, names.function,
    values.missing_call,
    conditions.condition, conditions.missing_condition, conditions.bounds,
    conditions.comprehension_filter, values.result, values.assigned,
    statements.dropped, statements.missing_statement, statements.loop_remainder, statements.order,
    statements.branch, statements.conditional,  guards.missing_guard,
    guards.same_place, guards.shared_default, errors.expected_error,
    errors.caught, errors.uncaught, errors.fallback,
    errors.absent_attribute, symmetry.exchanged,
    symmetry.counterpart, values.copied, texts.pattern, texts.formatted,
    siblings.part_for_whole, siblings.left_out, siblings.left_out_filter, siblings.exchanged,
    siblings.missing_operand, siblings.missing_argument, siblings.ends, siblings.other_expression,
    moves.unwrapped, moves.left_out_branch, moves.chained, moves.missing_else, moves.moved,
    *REWRITES,
)  # fmt: skip
"""Every rule of the search."""

_Found = tuple[float, str, Change]
"""How promising a change is, its file, and the change."""

MOST = 12_000
"""Candidates that are kept."""

_LINES = 500
"""Suspicious lines that are edited."""

_CROWD = 3 * MOST
"""Changes at which those are left out that come too late in any case."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An edit worth trying.

    Attributes:
        number: Its rank, from 0; names it.
        file: That it changes.
        change: What it does.
        score: How promising it is, to compare with others.
        unit: The function around it, as `file:name:line`; `file` at module level. Of two edits in
            two functions both, with `TOGETHER` between them.
        cold: It changes what runs at import, so that the tests have to be imported anew.
    """

    number: int
    file: str
    change: Change
    score: float
    unit: str
    cold: bool

    @property
    def in_function(self) -> bool:
        """Whether it changes one function and nothing that runs at import."""
        return not self.cold and ":" in self.unit and TOGETHER not in self.unit

    @property
    def edit(self) -> str:
        """What it does to which file, by which it is known again in another search."""
        parts = (
            f"{replacement.start}-{replacement.end} {replacement.text!r}"
            for replacement in self.change.replacements
        )
        return f"{self.file}: {', '.join(parts)}"


def candidates(evidence: SearchEvidence, suspects: Sequence[Suspect]) -> tuple[Candidate, ...]:
    """Return the edits to try, in order. Pure: the same evidence gives the same candidates."""
    scores: dict[str, dict[int, float]] = {}
    for suspect in suspects[:_LINES]:
        scores.setdefault(suspect.file, {})[suspect.line] = suspect.score
    bodies: dict[str, FunctionBodies] = {}
    places: list[Place] = []
    for file, text in evidence.sources.items():
        if is_test_file(file):
            continue
        try:
            source = SourceFile(file, text)
        except UNPARSABLE:
            continue
        bodies[file] = FunctionBodies(source)
        places += places_of(source, scores.get(file, {}))
    best = _best(_likely(places, evidence))
    placed = [(score, change, bodies[file].unit(change)) for score, file, change in best]
    again = [
        (score, unit.partition(":")[0], change) for score, change, unit in repeated_edits(placed)
    ]
    return tuple(
        Candidate(n, file, change, score, bodies[file].unit(change), bodies[file].outside(change))
        for n, (score, file, change) in enumerate(_best([*best, *again]))
    )


def _best(found: list[_Found]) -> list[_Found]:
    """Return the most promising, without what comes to the same text as a better one."""
    kept: dict[tuple[str, tuple[Replacement, ...]], _Found] = {}
    for pair in sorted(found, key=lambda item: -item[0]):
        kept.setdefault((pair[1], pair[2].replacements), pair)
        if len(kept) == MOST:
            break
    return list(kept.values())


def _likely(places: list[Place], evidence: SearchEvidence) -> list[_Found]:
    """Return the changes of all places, those left out that others outdo in any case."""
    scopes: dict[tuple[str, Definition | None], FunctionScope] = {}
    found: list[_Found] = []
    least = 0.0
    for suspicion, source, node in sorted(places, key=lambda place: -place[0]):
        if suspicion**SHARPNESS * HIGHEST <= least:
            break
        definition = node if isinstance(node, Definition) else source.definition(node)
        at = source.file, definition
        if at not in scopes:
            scopes[at] = scope_of(source, definition, evidence)
        found += _at(scopes[at], node, suspicion**SHARPNESS)
        if len(found) > _CROWD:
            found = _best(found)
            least = found[-1][0] if len(found) == MOST else 0.0
    return found


def _at(scope: FunctionScope, node: ast.AST, suspicion: float) -> Iterator[_Found]:
    """Yield the changes at a node, and how promising they are."""
    source = scope.source
    for change in changes_at(scope, node):
        use = UNUSED if _uses(change, scope.unused) else 1.0
        yield suspicion * change.weight * use, source.file, _trimmed(source, change)


def changes_at(scope: FunctionScope, node: ast.AST) -> Iterator[Change]:
    """Yield what the rules would do at a node."""
    for rule in _rules_for(type(node).__name__):
        for change in rule.changes(scope, node):
            if change.weight > 0 and not _is_nothing(scope.source, change):
                yield change


@cache
def _rules_for(kind: str) -> tuple[MutationRule, ...]:
    """Return the rules that look at nodes of a type, by its name."""
    return tuple(rule for rule in RULES if issubclass(getattr(ast, kind), rule.kinds))


def _uses(change: Change, names: frozenset[str]) -> bool:
    """Whether a change brings in one of these variables."""
    texts = [replacement.text for replacement in change.replacements]
    return any(re.search(rf"\b{name}\b", text) for name in names for text in texts)


def _is_nothing(source: SourceFile, change: Change) -> bool:
    return all(
        source.text[replacement.start : replacement.end] == replacement.text
        for replacement in change.replacements
    )


def _trimmed(source: SourceFile, change: Change) -> Change:
    """Return the change without what its replacements keep at their ends."""
    replacements = tuple(
        sorted(_trim(source.text, replacement) for replacement in change.replacements)
    )
    return Change(change.kind, change.line, change.weight, replacements, change.says)


def _trim(text: str, replacement: Replacement) -> Replacement:
    start, end, new = replacement.start, replacement.end, replacement.text
    while start < end and new and text[start] == new[0]:
        start, new = start + 1, new[1:]
    while end > start and new and text[end - 1] == new[-1]:
        end, new = end - 1, new[:-1]
    return Replacement(start, end, new)
