"""Edits next to one that passes: of the same place, and of no more words than it has. Pure.

Where one of them passes too and answers otherwise, the tests don't say which of the two is right:
another constant, another comparison, another name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from bot.repair.proposers.search.evidence import UNPARSABLE, SearchEvidence
from bot.repair.proposers.search.mutations.candidates import Candidate, changes_at
from bot.repair.proposers.search.mutations.change import Change, Replacement, applied
from bot.repair.proposers.search.mutations.scope import scope_of
from bot.repair.proposers.search.mutations.source import Definition, SourceFile

_SIMPLE = ast.Return | ast.Assign | ast.AugAssign | ast.Expr
_WORD = re.compile(r"\w+|[^\w\s]+")


def neighbours(
    candidate: Candidate, evidence: SearchEvidence, *, first: int, most: int
) -> tuple[Candidate, ...]:
    """Return edits of the file as it was that differ from a candidate in one small step.

    Args:
        candidate: What passes all tests.
        evidence: Has the text as it was, and the types of variables.
        first: Number of the first of them; the others have the ones after it.
        most: How many to return, the likeliest.
    """
    before = evidence.sources[candidate.file]
    after = applied(before, candidate.change.replacements)
    try:
        source = SourceFile(candidate.file, after)
    except UNPARSABLE:
        return ()
    found: dict[str, Change] = {}
    steps = _steps(source, _places(source, candidate.change), evidence)
    for step in sorted(steps, key=lambda step: -step.weight):
        text = applied(after, step.replacements)
        if text not in (before, after):
            found.setdefault(text, step)
        if len(found) == most:
            break
    return tuple(
        Candidate(
            first + n,
            candidate.file,
            Change(step.kind, step.line, step.weight, (difference(before, text),), step.says),
            0.0,
            candidate.unit,
            candidate.cold,
        )
        for n, (text, step) in enumerate(found.items())
    )


def _steps(source: SourceFile, places: list[range], evidence: SearchEvidence) -> Iterator[Change]:
    """Yield the changes of what stands at some places that bring no more words than they take."""
    for node in source.nodes(source.tree):
        if not isinstance(node, ast.expr | ast.stmt):
            continue
        start, end = source.span(node)
        if not any(place.start <= start and end <= place.stop for place in places):
            continue
        definition = node if isinstance(node, Definition) else source.definition(node)
        scope = scope_of(source, definition, evidence)
        for change in changes_at(scope, node):
            if sum(_words(source, part) for part in change.replacements) <= 0:
                yield change


def _words(source: SourceFile, part: Replacement) -> int:
    """Return how many words a replacement brings more than it takes."""
    return len(_WORD.findall(part.text)) - len(_WORD.findall(source.text[part.start : part.end]))


def _places(source: SourceFile, change: Change) -> list[range]:
    """Return where the patched text has what a change wrote, with the expression around it."""
    places, moved = [], 0
    for part in sorted(change.replacements):
        start = part.start + moved
        places.append(_around(source, start, start + len(part.text)))
        moved += len(part.text) - (part.end - part.start)
    return places


def _around(source: SourceFile, start: int, end: int) -> range:
    """Return the span of the expression or simple statement that what was written is a part of.

    Else of itself.
    """
    holding = [
        node for node in source.nodes(source.tree)
        if isinstance(node, ast.expr) and _holds(source.span(node), start, end)
    ]  # fmt: skip
    if not holding:
        return range(start, end)
    inner = min(holding, key=lambda node: len(source.part(node)))
    above = source.parent(inner)
    return range(*source.span(above if isinstance(above, ast.expr | _SIMPLE) else inner))


def _holds(span: tuple[int, int], start: int, end: int) -> bool:
    return span[0] <= start and end <= span[1]


def difference(before: str, after: str) -> Replacement:
    """Return one replacement that makes a text of another one."""
    start = _shared(before, after)
    rest = _shared(before[start:][::-1], after[start:][::-1])
    return Replacement(start, len(before) - rest, after[start : len(after) - rest])


def _shared(text: str, other: str) -> int:
    """Return how many letters two texts begin with alike."""
    pairs = enumerate(zip(text, other, strict=False))
    return next((n for n, (left, right) in pairs if left != right), min(len(text), len(other)))
