"""How suspicious each line of a program in JavaScript or TypeScript is. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tree_sitter import Node

from bot.code.files import is_test_file
from bot.code.languages import Language
from bot.code.syntax import field, language_of, line_of, parents, parse, text_of, walk
from bot.model import Failure
from bot.repair.proposers.search.javascript.trials import CoveredFile

Lines = Mapping[str, Mapping[int, float]]
"""By path and number of the line, how suspicious it is: above 0, at most 1."""

_FRAME = re.compile(r"(?<![^\s(])(?:file://)?([^\s:()]++):(\d+)")
_UNKNOWN = 0.3
"""Of a file of which it is not known what ran."""

_IN_TRACE, _IN_TRACE_FUNCTION = 1.0, 0.8
_FUNCTIONS = frozenset({
    "function_declaration", "function_expression", "method_definition", "arrow_function",
    "generator_function_declaration", "generator_function",
})  # fmt: skip


def suspected_files(failing: Mapping[str, CoveredFile]) -> tuple[str, ...]:
    """Return the files that failing tests ran and a repair may change."""
    return tuple(
        path
        for path in failing
        if language_of(path) is Language.JAVASCRIPT and not is_test_file(path)
    )


def suspicious_lines(
    sources: Mapping[str, bytes],
    failing: Mapping[str, CoveredFile],
    passing: Sequence[Mapping[str, CoveredFile]],
    failures: Sequence[Failure],
    root: str,
) -> Lines:
    """Return the lines that failing tests ran: the fewer passing tests did, the more suspicious.

    The measure is Ochiai's for one failing run (Abreu et al., On the accuracy of spectrum-based
    fault localization, 2007).

    Args:
        sources: The files that may be changed, by path.
        failing: What the failing tests ran.
        passing: What each passing test ran.
        failures: Of the failing tests; their traces say where it went wrong.
        root: Of the work tree in the sandbox.
    """
    frames = _frames(failures, root)
    found: dict[str, dict[int, float]] = {}
    for path, data in sources.items():
        covered = _lines_of(path, data, failing[path])
        others = [_lines_of(path, data, run[path]) for run in passing if path in run]
        scores = {
            line: weight / (1 + sum(line in other for other in others)) ** 0.5
            for line, weight in covered.items()
        }
        for line in frames.get(path, ()):
            around = _function_at(path, data, line)
            for near in around:
                if near in scores:
                    scores[near] = max(scores[near], _IN_TRACE_FUNCTION * scores[near] ** 0.5)
            scores[line] = _IN_TRACE
        found[path] = scores
    return found


def _frames(failures: Sequence[Failure], root: str) -> dict[str, set[int]]:
    """Return the places that the traces of failures name, by path."""
    places: dict[str, set[int]] = {}
    for failure in failures:
        for path, line in _FRAME.findall(f"{failure.message}\n{failure.detail}"):
            inside = path.removeprefix(f"{root}/").removeprefix("./")
            places.setdefault(inside, set()).add(int(line))
    return places


def _lines_of(path: str, data: bytes, seen: CoveredFile) -> dict[int, float]:
    """Return the lines that ran, with how sure that is."""
    if seen.lines:
        return dict.fromkeys(seen.lines, 1.0)
    syntax = parse(path, data)
    nodes = (
        [] if syntax is None else [node for node in walk(syntax.root) if node.type in _FUNCTIONS]
    )
    called = [node for node in nodes if name_of(node) in seen.functions]
    if called:
        return dict.fromkeys((line for node in called for line in _span(node)), 1.0)
    return dict.fromkeys(range(1, data.count(b"\n") + 2), _UNKNOWN)


def name_of(node: Node) -> str:
    """Return the name that a function has, or that of what it is assigned to."""
    named = field(node, "name")
    above = node.parent
    if named is None and above is not None:
        named = field(above, "name") or field(above, "key") or field(above, "left")
    return text_of(named).rpartition(".")[2]


def _function_at(path: str, data: bytes, line: int) -> range:
    """Return the lines of the innermost function around a line."""
    syntax = parse(path, data)
    spans = [] if syntax is None else [
        _span(node) for node in walk(syntax.root) if node.type in _FUNCTIONS and line in _span(node)
    ]  # fmt: skip
    return min(spans, key=len, default=range(0))


def _span(node: Node) -> range:
    return range(node.start_point.row + 1, node.end_point.row + 2)


def statement_at(path: str, data: bytes, line: int) -> int | None:
    """Return where the statement of a function begins that has something on a line, None outside of one."""
    syntax = parse(path, data)
    if syntax is None:
        return None
    found = None
    for node in walk(syntax.root):
        block = node.parent
        inside = block is not None and block.type == "statement_block" and node.is_named
        called = inside and any(above.type in _FUNCTIONS for above in parents(node))
        if called and line_of(node) <= line <= node.end_point.row + 1:
            found = node.start_byte
    return found
