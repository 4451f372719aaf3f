"""Mark a test as one that may fail, in the way of its own runner, and take that mark away. Pure.

A mark has a reason that names an issue, by which it is found again wherever it went meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime

from tree_sitter import Node

from bot.code.files import is_test_file
from bot.code.languages import Language
from bot.code.syntax import compact, field, language_of, parse, text_of, walk
from bot.model.quarantine import MarkKind
from bot.repair.flaky.javascript_marks import mark_javascript, unmark_javascript
from bot.repair.flaky.mark_edits import (
    Edit,
    MarkedTest,
    NoMark,
    edited,
    line_end,
    line_start,
    newline_of,
)
from bot.repair.flaky.python_marks import mark_python, unmark_python, without_import
from bot.repair.proposers.flaky.test_source import module_file
from bot.reporting.reasons import quarantine as reasons

_GO_PARAMETER = re.compile(r"\b(\w{1,40}) {1,4}\*testing\.T\b")


def reason_of(issue: int, until: datetime) -> str:
    """Return the reason that a mark gives."""
    return f"flaky until {until:%Y-%m-%d}, see #{issue}"


def path_of(test: str, file: str | None, paths: Collection[str]) -> str:
    """Return the file of a test; "" where that is not known.

    Args:
        test: Its id.
        file: That its failure named, or None.
        paths: Of the repository.
    """
    name, _, _ = test.partition("[")
    front, colons, _ = name.partition("::")
    if colons and front in paths:
        return front
    found = module_file(name.replace("::", "."), (path for path in paths if path.endswith(".py")))
    if found is not None and found[2]:
        return found[1]
    return file if file is not None and file in paths and is_test_file(file) else ""


def marked(path: str, data: bytes, test: str, reason: str) -> MarkedTest:
    """Return a file in which a test has a mark.

    Raises:
        NoMark: When that can't be done by a safe edit.
    """
    syntax = parse(path, data)
    language = language_of(path)
    if syntax is None or language is None or syntax.root.has_error:
        raise NoMark(reasons.not_read(path))
    act = _MARKS.get(language)
    if act is None:
        raise NoMark(reasons.NO_WAY)
    return act(syntax.root, data, test, reason)


def unmarked(path: str, data: bytes, issue: int) -> bytes | None:
    """Return a file without the mark that names an issue; None where it has no such mark."""
    syntax = parse(path, data)
    language = language_of(path)
    if syntax is None or language is None or f"see #{issue}".encode() not in data:
        return None
    ours = re.compile(rf"flaky until \d{{4}}-\d\d-\d\d, see #{issue}\b")
    edits = list(_REMOVALS[language](syntax.root, data, ours)) if language in _REMOVALS else []
    if not edits:
        return None
    changed = edited(data, edits)
    return without_import(path, changed) if language is Language.PYTHON else changed


# --- Go ---


def _in_go(root: Node, data: bytes, test: str, reason: str) -> MarkedTest:
    name, _, subtest = test.rpartition(".")[2].partition("/")
    if subtest or "/" in name:
        raise NoMark(reasons.SUBTEST)
    for node in root.named_children:
        body, parameter = (
            field(node, "body"),
            _GO_PARAMETER.search(text_of(field(node, "parameters"))),
        )
        if node.type != "function_declaration" or text_of(field(node, "name")) != name:
            continue
        if body is None or parameter is None or body.start_point.row == body.end_point.row:
            raise NoMark(reasons.NOT_SURE)
        if re.search(rf"\b{parameter[1]}\.Skip", text_of(body)):
            raise NoMark(reasons.HAS_A_MARK)
        at = line_end(data, body.start_byte)
        edit = (at, at, f'\t{parameter[1]}.Skip("{reason}"){newline_of(data)}')
        lines = node.start_point.row + 1, node.end_point.row + 1
        return MarkedTest(edited(data, [edit]), MarkKind.GO_SKIP, *lines)
    raise NoMark(reasons.NOT_FOUND)


def _from_go(root: Node, data: bytes, ours: re.Pattern[str]) -> Iterator[Edit]:
    for node in walk(root):
        skips = node.type == "call_expression" and compact(field(node, "function")).endswith(
            ".Skip"
        )
        if skips and ours.search(text_of(node)):
            yield line_start(data, node.start_byte), line_end(data, node.end_byte), ""


_MARKS: Mapping[Language, Callable[[Node, bytes, str, str], MarkedTest]] = {
    Language.PYTHON: mark_python,
    Language.JAVASCRIPT: mark_javascript,
    Language.GO: _in_go,
}
_REMOVALS: Mapping[Language, Callable[[Node, bytes, re.Pattern[str]], Iterator[Edit]]] = {
    Language.PYTHON: unmark_python,
    Language.JAVASCRIPT: unmark_javascript,
    Language.GO: _from_go,
}
