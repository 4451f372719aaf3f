"""The edits of a program that are worth trying, the most promising first. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.code.syntax import line_of, parse, walk
from bot.repair.proposers.search.javascript.edit import SyntaxEdit
from bot.repair.proposers.search.javascript.edits import edits
from bot.repair.proposers.search.javascript.suspects import Lines
from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.weights import SHARPNESS


def ranked_edits(sources: Mapping[str, bytes], lines: Lines) -> tuple[Candidate, ...]:
    """Return the edits to try, in order; each different from the others."""
    found: dict[tuple[str, int, int, str], tuple[float, str, SyntaxEdit]] = {}
    for path, data in sources.items():
        for edit in _edits_of(path, data, lines.get(path, {})):
            key = (path, edit.start, edit.end, edit.text)
            score = edit.weight * lines[path][edit.line] ** SHARPNESS
            if key not in found or found[key][0] < score:
                found[key] = (score, path, edit)
    ordered = sorted(
        found.values(), key=lambda item: (-item[0], item[1], item[2].start, item[2].text)
    )
    return tuple(
        _candidate(n, score, path, edit, sources[path])
        for n, (score, path, edit) in enumerate(ordered)
    )


def _edits_of(path: str, data: bytes, lines: Mapping[int, float]) -> Iterator[SyntaxEdit]:
    syntax = parse(path, data)
    if syntax is None:
        return
    for node in walk(syntax.root):
        if node.is_named and line_of(node) in lines:
            for edit in edits(node):
                if edit.line in lines and data[edit.start : edit.end] != edit.text.encode():
                    yield edit


def _candidate(number: int, score: float, path: str, edit: SyntaxEdit, data: bytes) -> Candidate:
    start = len(data[: edit.start].decode("utf-8", "surrogateescape"))
    end = start + len(data[edit.start : edit.end].decode("utf-8", "surrogateescape"))
    change = Change(
        edit.kind, edit.line, edit.weight, (Replacement(start, end, edit.text),), edit.says
    )
    return Candidate(number, path, change, score, path, cold=True)
