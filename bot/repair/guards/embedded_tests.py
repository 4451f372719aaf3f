"""Tests that stand inside of programs: doctests of Python, test modules and test functions of Rust. Pure.

What a patch changes there is put back like a test of a file of its own; what it adds stays.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tree_sitter import Node

from bot.code.files import is_test_file
from bot.code.languages import Language
from bot.code.syntax import field, language_of, parents, parse, text_of, walk

if TYPE_CHECKING:
    from doctest import Example

_CFG = re.compile(r"\bcfg\s*\(")
_TEST_WORD = re.compile(r"\btest\b")
_TEST = re.compile(r"#\[\s*(?:[\w:]+::)?(?:test|rstest|test_case)\b")
_NAMED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class _Region:
    """Where tests stand, and what each of them says.

    Attributes:
        start: First byte.
        end: First byte behind.
        parts: What has to be there as it was, in this order.
        others: What else stands there: it may change what the parts mean.
    """

    start: int
    end: int
    parts: tuple[str, ...]
    others: tuple[str, ...] = ()

    def keeps(self, other: _Region) -> bool:
        """Whether all parts of another one are here as they are there, and nothing besides but parts."""
        rest = iter(self.parts)
        return self.others == other.others and all(part in rest for part in other.parts)


def with_tests_of(path: str, before: bytes, after: bytes, *, doctests: bool) -> bytes | None:
    """Return a changed program with the tests that it had inside; None where they are as they were.

    Args:
        path: Of the program.
        before: Without the patch.
        after: With it.
        doctests: Whether examples in docstrings run as tests.
    """
    if is_test_file(path):
        return None
    every = _regions(path, before, doctests=doctests)
    old = {name: region for name, region in every if region.parts}
    if not old:
        return None
    new = dict(_regions(path, after, doctests=doctests))
    edits = []
    for name, region in old.items():
        text = before[region.start : region.end]
        if name not in new:
            edits.append((len(after), len(after), b"\n" + text + b"\n"))
        elif not new[name].keeps(region):
            edits.append((new[name].start, new[name].end, text))
    if language_of(path) is Language.PYTHON:  # a docstring has its place, if at all
        edits = [edit for edit in edits if edit[0] != edit[1]]
    for start, end, text in sorted(edits, reverse=True):
        after = after[:start] + text + after[end:]
    return after if edits else None


def test_regions(path: str, data: bytes) -> tuple[tuple[int, int], ...]:
    """Return where tests stand in a program, as first byte and first byte behind."""
    regions = (region for _, region in _regions(path, data, doctests=False))
    return tuple((region.start, region.end) for region in regions)


test_regions.__test__ = False  # type: ignore[attr-defined] # not a pytest function


def _regions(path: str, data: bytes, *, doctests: bool) -> Iterator[tuple[str, _Region]]:
    match language_of(path):
        case Language.RUST:
            syntax = parse(path, data)
            if syntax is not None:
                yield from _rust(syntax.root)
        case Language.PYTHON if doctests:
            yield from _python(data)
        case _:
            pass


def _is_for_tests(attributes: str) -> bool:
    found = _CFG.search(attributes)
    return found is not None and _TEST_WORD.search(attributes, found.end()) is not None


def _rust(root: Node) -> Iterator[tuple[str, _Region]]:
    inside: set[int] = set()
    for node in walk(root):
        if node.type not in {"mod_item", "function_item"} or node.id in inside:
            continue
        marks = list(_marks(node))
        said = " ".join(map(text_of, marks))
        if node.type == "mod_item" and not _is_for_tests(said):
            continue
        if node.type == "function_item" and not _TEST.search(said):
            continue
        inside |= {child.id for child in walk(node)}
        first = marks[-1] if marks else node
        yield _name(node), _rust_region(node, first.start_byte, said)


def _rust_region(node: Node, start: int, said: str) -> _Region:
    body = field(node, "body")
    if node.type == "function_item" or body is None:
        return _Region(start, node.end_byte, (said + text_of(node),))
    parts: list[str] = []
    others, marks = [said], ""
    for child in body.named_children:
        if child.type == "attribute_item":
            marks += text_of(child)
            continue
        is_test = child.type == "function_item" and _TEST.search(marks)
        if child.type not in {"line_comment", "block_comment"}:
            (parts if is_test else others).append(marks + text_of(child))
        marks = ""
    return _Region(start, node.end_byte, tuple(parts), tuple(others))


def _marks(node: Node) -> Iterator[Node]:
    before = node.prev_named_sibling
    while before is not None and before.type == "attribute_item":
        yield before
        before = before.prev_named_sibling


def _name(node: Node) -> str:
    above = [
        text_of(field(parent, "name")) for parent in parents(node) if parent.type == "mod_item"
    ]
    return "::".join([*reversed(above), text_of(field(node, "name"))])


def _examples(text: str) -> list[Example]:
    """Return the examples of a docstring; most have none, and doctest imports all of unittest."""
    if ">>>" not in text:
        return []
    from doctest import DocTestParser

    return DocTestParser().get_examples(text)


def _python(data: bytes) -> Iterator[tuple[str, _Region]]:
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for name, node in _docstrings(tree, ""):
        try:
            examples = _examples(str(node.value))
        except ValueError:
            continue
        first = starts[node.lineno - 1] + node.col_offset
        last = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        yield name, _Region(first, last, tuple(f"{e.source}{e.want}{e.options}" for e in examples))


def _docstrings(tree: ast.AST, above: str) -> Iterator[tuple[str, ast.Constant]]:
    if isinstance(tree, _NAMED) and tree.body:
        match tree.body[0]:
            case ast.Expr(value=ast.Constant(value=str()) as text):
                yield above, text
            case _:
                pass
    for child in ast.iter_child_nodes(tree):
        yield from _docstrings(child, f"{above}.{getattr(child, 'name', '')}".rstrip("."))
