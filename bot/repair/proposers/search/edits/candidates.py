"""Gather every edit that could mend a suspicious place, the most promising first."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.repair.guards import is_test_file
from bot.repair.proposers.search.edits import (
    calls,
    comprehensions,
    conditions,
    constants,
    effects,
    formats,
    guards,
    messages,
    names,
    operators,
    refusals,
    signatures,
    statements,
    subscripts,
    symmetry,
    values,
)
from bot.repair.proposers.search.edits.change import Change, Replacement
from bot.repair.proposers.search.edits.scope import Scope, scope_of
from bot.repair.proposers.search.edits.source import Definition, Source
from bot.repair.proposers.search.evidence import Evidence
from bot.repair.proposers.search.localise import Suspect

Rule = Callable[[Scope, ast.AST], Iterator[Change]]

RULES: tuple[Rule, ...] = (
    operators.comparisons, operators.arithmetic, operators.signs, operators.augmented,
    operators.logic, operators.off_by_one,
    constants.numbers, constants.counted, constants.truth, constants.collections, constants.strings,
    names.variables, names.own_attributes, names.attributes, names.functions,
    calls.swapped, calls.arguments, calls.ranges, calls.unwrapped, calls.wrapped,
    subscripts.slices, subscripts.indices, subscripts.items, subscripts.answers,
    conditions.negated, conditions.fixed, conditions.extended, comprehensions.filters,
    conditions.bounded,
    conditions.repeated,
    values.terms, values.constants, values.results, values.rhs, values.borrowed, values.yields,
    statements.deleted, statements.reordered, statements.moved, statements.exits,
    statements.inserted, effects.unkept, effects.uncalled, effects.shared, effects.ends,
    effects.bits, effects.tallies, calls.starred, names.parts, conditions.predicates, conditions.elsewhere, formats.formatted,
    symmetry.chains, symmetry.exchanged, symmetry.counterparts, symmetry.mirrored, symmetry.gathered, symmetry.beside,
    refusals.refusals, guards.first_cases, guards.steps, guards.repeats,
    signatures.mutable_defaults, signatures.exceptions,
)  # fmt: skip
"""Each yields the changes of one kind at one node of a syntax tree."""

MOST = 12_000
"""Candidates that are kept."""

TOGETHER = " & "
"""Between the units of two edits that are tried as one."""

_LINES = 500
"""Suspicious lines that are edited."""

_MODULE_LEVEL = 0.25
"""Suspicion of constants and class bodies in a file that failing tests run."""

_SHARPNESS = 1.5
"""How much more a suspicious line counts than a likely edit."""

_USEFUL = 1.5
"""How much likelier an edit is that looks at a variable which nothing else looks at."""


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
        parts = (f"{one.start}-{one.end} {one.text!r}" for one in self.change.replacements)
        return f"{self.file}: {', '.join(parts)}"


@dataclass(frozen=True, slots=True)
class _Body:
    """The outermost functions of a file: where their bodies stand."""

    name: str
    line: int
    start: int
    end: int


def candidates(evidence: Evidence, suspects: Sequence[Suspect]) -> tuple[Candidate, ...]:
    """Return the edits to try, in order. Pure: the same evidence gives the same candidates."""
    scores: dict[str, dict[int, float]] = {}
    for suspect in suspects[:_LINES]:
        scores.setdefault(suspect.file, {})[suspect.line] = suspect.score
    found: list[tuple[float, int, str, Change, str, bool]] = []
    for file, text in evidence.sources.items():
        if is_test_file(file):
            continue
        try:
            source = Source(file, text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        bodies = list(_bodies(source))
        for score, change in _in_file(source, scores.get(file, {}), evidence):
            body = _around(bodies, change.replacements)
            unit = f"{file}:{body.name}:{body.line}" if body else file
            found.append((score, len(found), file, change, unit, body is None))
    found.sort(key=lambda one: (-one[0], one[1]))
    return tuple(
        Candidate(number, file, change, score, unit, cold)
        for number, (score, _, file, change, unit, cold) in enumerate(_distinct(found)[:MOST])
    )


def _distinct(
    found: list[tuple[float, int, str, Change, str, bool]],
) -> list[tuple[float, int, str, Change, str, bool]]:
    """Leave out what comes to the same text as a better one."""
    kept: dict[tuple[str, tuple[Replacement, ...]], tuple[float, int, str, Change, str, bool]] = {}
    for one in found:
        kept.setdefault((one[2], one[3].replacements), one)
    return list(kept.values())


def _in_file(
    source: Source, lines: Mapping[int, float], evidence: Evidence
) -> Iterator[tuple[float, Change]]:
    scopes: dict[Definition | None, Scope] = {}
    whole = max(lines.values(), default=0.5)
    for change in messages.from_messages(source, evidence):
        yield 2.0 * change.weight, _trimmed(source, change)
    for node in source.nodes(source.tree):
        if not isinstance(node, ast.expr | ast.stmt | ast.ExceptHandler | ast.comprehension):
            continue
        suspicion = _suspicion(source, node, lines, whole)
        if suspicion <= 0:
            continue
        definition = node if isinstance(node, Definition) else source.definition(node)
        if definition not in scopes:
            scopes[definition] = scope_of(source, definition, evidence)
        for rule in RULES:
            for change in rule(scopes[definition], node):
                if change.weight > 0 and not _is_nothing(source, change):
                    use = _USEFUL if _uses(change, scopes[definition].unused) else 1.0
                    score = suspicion**_SHARPNESS * change.weight * use
                    yield score, _trimmed(source, change)


def _uses(change: Change, names: frozenset[str]) -> bool:
    """Whether a change brings in one of these variables."""
    texts = [one.text for one in change.replacements]
    return any(re.search(rf"\b{name}\b", text) for name in names for text in texts)


def _suspicion(source: Source, node: ast.AST, lines: Mapping[int, float], whole: float) -> float:
    """Return how suspicious the place of a node is."""
    if isinstance(node, Definition):
        inside = (score for line, score in lines.items() if _within(node, line))
        return 0.8 * max(inside, default=0.0)
    if isinstance(node, ast.ClassDef | ast.Import | ast.ImportFrom) or _in_fstring(source, node):
        return 0.0
    statement = source.statement(node) if not isinstance(node, ast.ExceptHandler) else node
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body:
        last = max(first, body[0].lineno - 1)
    here = max((lines.get(line, 0.0) for line in range(first, last + 1)), default=0.0)
    if here or source.definition(node) is not None:
        return here
    return _MODULE_LEVEL * whole if lines else 0.0


def _within(definition: Definition, line: int) -> bool:
    return definition.lineno <= line <= (definition.end_lineno or line)


def _in_fstring(source: Source, node: ast.AST) -> bool:
    """Whether a node stands inside an f-string: before Python 3.12 its place is not known."""
    return any(isinstance(above, ast.JoinedStr) for above in source.ancestors(node))


def _is_nothing(source: Source, change: Change) -> bool:
    return all(source.text[one.start : one.end] == one.text for one in change.replacements)


def _trimmed(source: Source, change: Change) -> Change:
    """Return the change without what its replacements keep at their ends."""
    replacements = tuple(sorted(_trim(source.text, one) for one in change.replacements))
    return Change(change.kind, change.line, change.weight, replacements, change.says)


def _trim(text: str, one: Replacement) -> Replacement:
    start, end, new = one.start, one.end, one.text
    while start < end and new and text[start] == new[0]:
        start, new = start + 1, new[1:]
    while end > start and new and text[end - 1] == new[-1]:
        end, new = end - 1, new[:-1]
    return Replacement(start, end, new)


def _bodies(source: Source) -> Iterator[_Body]:
    for node in source.nodes(source.tree):
        if isinstance(node, Definition) and source.definition(node) is None:
            start = source.line_span(node.body[0].lineno)[0]
            if node.body[0].lineno == node.lineno:
                start = source.span(node.body[0])[0]
            end = source.line_span(node.end_lineno or node.lineno)[1]
            yield _Body(node.name, node.lineno, start, end)


def _around(bodies: list[_Body], replacements: tuple[Replacement, ...]) -> _Body | None:
    first = min(one.start for one in replacements)
    last = max(one.end for one in replacements)
    return next((body for body in bodies if body.start <= first and last <= body.end), None)
