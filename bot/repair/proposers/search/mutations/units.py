"""Which function a change is in: what is tried in one process belongs together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.source import Definition, Source

TOGETHER = " & "
"""Between the units of two edits that are tried as one."""


@dataclass(frozen=True, slots=True)
class _Body:
    """An outermost function of a file: where its body stands."""

    name: str
    line: int
    start: int
    end: int


class Bodies:
    """The bodies of a file's outermost functions."""

    def __init__(self, source: Source) -> None:
        """Find them."""
        self._file = source.file
        self._bodies = tuple(_bodies(source))

    def unit(self, change: Change) -> str:
        """Return the functions that a change is in, as `file:name:line`; the file for the rest."""
        around = (self._around(one) for one in sorted(change.replacements))
        units = (f"{self._file}:{one.name}:{one.line}" if one else self._file for one in around)
        return TOGETHER.join(dict.fromkeys(units))

    def outside(self, change: Change) -> bool:
        """Whether a change touches what runs at import."""
        return any(self._around(one) is None for one in change.replacements)

    def _around(self, one: Replacement) -> _Body | None:
        return next((b for b in self._bodies if b.start <= one.start and one.end <= b.end), None)


def _bodies(source: Source) -> Iterator[_Body]:
    for node in source.nodes(source.tree):
        if isinstance(node, Definition) and source.definition(node) is None:
            start = source.line_span(node.body[0].lineno)[0]
            if node.body[0].lineno == node.lineno:
                start = source.span(node.body[0])[0]
            end = source.line_span(node.end_lineno or node.lineno)[1]
            yield _Body(node.name, node.lineno, start, end)
