"""Find statements that the failing tests ran, to ask whether a patch only keeps them from running. Pure.

A patch that turns a condition round, or returns early, may pass because nothing runs any more that
could fail. With `raise` in front of such a statement all tests still pass.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.evidence import UNPARSABLE, SearchEvidence
from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.mutations.change import Change, Replacement

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
