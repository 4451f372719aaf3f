"""Edits of one place of a program in JavaScript or TypeScript, each with how often such an edit mends. Pure.

The kinds and their weights are those of the search in Python, where a language has both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tree_sitter import Node

from bot.repair.proposers.search.javascript import expressions, statements, values
from bot.repair.proposers.search.javascript.edit import BODIES, Edits, instead, shown_of
from bot.repair.proposers.search.javascript.scope import names_at

_LITERALS = frozenset({"string", "number", "null", "true", "false"})


_HOLDERS = frozenset({
    "assignment_expression", "augmented_assignment_expression", "arguments", "binary_expression",
    "return_statement", "ternary_expression", "variable_declarator", "subscript_expression",
})  # fmt: skip


_CALCULATED = frozenset({
    "identifier", "member_expression", "binary_expression", "call_expression", "subscript_expression",
})  # fmt: skip


def edits(node: Node) -> Edits:
    """Yield the edits that a node allows by itself, not those of the nodes in it."""
    yield from _RULES.get(node.type, _none)(node)
    if node.type in _LITERALS and node.parent is not None and node.parent.type in _HOLDERS:
        for name, weight in names_at(node, called=False):
            yield instead(
                node, name, "variable: for a constant", 0.4 * weight, shown=shown_of(node)
            )
    if node.type in _CALCULATED and node.parent is not None:
        yield from values.value(node, node.parent)


def _none(node: Node) -> Edits:
    del node
    yield from ()


_RULES: Mapping[str, Callable[[Node], Edits]] = MappingProxyType({
    "binary_expression": expressions.operator,
    "augmented_assignment_expression": expressions.assignment,
    "assignment_expression": expressions.assignment,
    "update_expression": expressions.update,
    "for_in_statement": expressions.loop,
    "unary_expression": expressions.unary,
    "number": values.number,
    "true": values.constant, "false": values.constant, "null": values.constant, "undefined": values.constant,
    "identifier": values.name,
    "property_identifier": values.property_name,
    "call_expression": expressions.call,
    "member_expression": expressions.member,
    "subscript_expression": expressions.subscript,
    "ternary_expression": expressions.conditional,
    "if_statement": statements.branch, "while_statement": statements.branch,
    "expression_statement": statements.statement,
    "break_statement": statements.statement, "continue_statement": statements.statement,
    "return_statement": statements.returned,
    **dict.fromkeys(BODIES, statements.function),
    "array_pattern": values.bound, "object_pattern": values.bound,
    "array": values.listed,
    "string": values.string,
    "regex": values.pattern,
})  # fmt: skip
