"""Which nodes of a file may be at fault, and which function a change is in."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.source import Definition, SourceFile

Place = tuple[float, SourceFile, ast.AST]
"""How suspicious a node is, its file, and the node."""

_MODULE_LEVEL = 0.25
"""Suspicion of constants and class bodies in a file that failing tests run."""


def places_of(source: SourceFile, lines: Mapping[int, float]) -> Iterator[Place]:
    """Yield the nodes of a file that may be at fault, and how suspicious each is."""
    whole = max(lines.values(), default=0.5)
    for node in source.nodes(source.tree):
        if isinstance(node, ast.expr | ast.stmt | ast.ExceptHandler | ast.comprehension):
            suspicion = _suspicion(source, node, lines, whole)
            if suspicion > 0:
                yield suspicion, source, node


def _suspicion(
    source: SourceFile, node: ast.AST, lines: Mapping[int, float], whole: float
) -> float:
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


def _in_fstring(source: SourceFile, node: ast.AST) -> bool:
    """Whether a node stands inside an f-string: before Python 3.12 its place is not known."""
    return any(isinstance(above, ast.JoinedStr) for above in source.ancestors(node))


TOGETHER = " & "
"""Between the units of two edits that are tried as one."""


@dataclass(frozen=True, slots=True)
class _Body:
    """An outermost function of a file: where its body stands."""

    name: str
    line: int
    start: int
    end: int


class FunctionBodies:
    """The bodies of a file's outermost functions."""

    def __init__(self, source: SourceFile) -> None:
        """Find them."""
        self._file = source.file
        self._bodies = tuple(_bodies(source))

    def unit(self, change: Change) -> str:
        """Return the functions that a change is in, as `file:name:line`; the file for the rest."""
        around = (self._around(replacement) for replacement in sorted(change.replacements))
        units = (f"{self._file}:{body.name}:{body.line}" if body else self._file for body in around)
        return TOGETHER.join(dict.fromkeys(units))

    def outside(self, change: Change) -> bool:
        """Whether a change touches what runs at import."""
        return any(self._around(replacement) is None for replacement in change.replacements)

    def _around(self, replacement: Replacement) -> _Body | None:
        return next(
            (b for b in self._bodies if b.start <= replacement.start and replacement.end <= b.end),
            None,
        )


def _bodies(source: SourceFile) -> Iterator[_Body]:
    for node in source.nodes(source.tree):
        if isinstance(node, Definition) and source.definition(node) is None:
            start = source.line_span(node.body[0].lineno)[0]
            if node.body[0].lineno == node.lineno:
                start = source.span(node.body[0])[0]
            end = source.line_span(node.end_lineno or node.lineno)[1]
            yield _Body(node.name, node.lineno, start, end)
