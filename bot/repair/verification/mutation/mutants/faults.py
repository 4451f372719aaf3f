"""Which faults a piece of a syntax tree can have. Pure; the same for all languages that guards read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from tree_sitter import Node

from bot.code.languages import TRAITS, Language
from bot.code.syntax import content, field, line_of, parents, statements, text_of
from bot.repair.verification.mutation.mutants.mutant import (
    FaultKind,
    Mutant,
)
from bot.reporting.reasons import verification as reasons

_OPPOSITES: Mapping[str, str] = MappingProxyType({
    "==": "!=", "!=": "==", "===": "!==", "!==": "===",
    "<": ">=", ">=": "<", ">": "<=", "<=": ">",
    "in": "not in", "not in": "in", "is": "is not", "is not": "is",
})  # fmt: skip

_NEIGHBOURS: Mapping[str, str] = MappingProxyType({
    "<": "<=", "<=": "<", ">": ">=", ">=": ">",
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "**": "*",
    "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
    "and": "or", "or": "and", "&&": "||", "||": "&&", "??": "||",
    "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<",
})  # fmt: skip

_OPERATIONS = frozenset({
    "comparison_operator", "binary_operator", "boolean_operator", "binary_expression",
    "augmented_assignment", "augmented_assignment_expression", "compound_assignment_expr",
    "assignment_statement",
})  # fmt: skip
"""Nodes whose operator is a child of its own."""

_TRUTHS: Mapping[str, str] = MappingProxyType(
    {"True": "False", "False": "True", "true": "false", "false": "true"}
)
_INTEGERS = frozenset({"integer", "number", "int_literal", "integer_literal"})
_STRINGS = frozenset({"string", "string_literal", "interpreted_string_literal"})
_SIMPLE = frozenset({
    "expression_statement", "return_statement", "break_statement", "continue_statement",
    "raise_statement", "delete_statement", "throw_statement",
    "assignment_statement", "inc_statement", "dec_statement", "call_statement",
})  # fmt: skip
"""Statements that hold no others, and can be left out."""

_RAISING = frozenset({"raise_statement", "throw_statement", "assert_statement"})
_UNMOVED = frozenset({"let_condition", "let_chain"})
"""Conditions that can't be negated: they bind names."""


def faults(node: Node, language: Language) -> Iterator[Mutant]:
    """Yield the faults that a node can have by itself, not those of the nodes in it."""
    if not node.is_named:
        yield from _operator(node)
        return
    yield from _condition(node, language)
    yield from _literal(node)
    yield from _left_out(node, language)
    yield from _value(node, language)


def _operator(node: Node) -> Iterator[Mutant]:
    if node.parent is None or node.parent.type not in _OPERATIONS:
        return
    for kind, table in ((FaultKind.OPPOSITE, _OPPOSITES), (FaultKind.NEIGHBOUR, _NEIGHBOURS)):
        if other := table.get(node.type):
            yield _instead(node, kind, other)


def _condition(node: Node, language: Language) -> Iterator[Mutant]:
    """Turn round what decides on a branch, unless that is a comparison, which has its opposite."""
    asked = field(node, "condition")
    if asked is None or asked.type in _UNMOVED:
        return
    if asked.type == "parenthesized_expression" and asked.named_child_count == 1:
        asked = asked.named_children[0]
    if any(child.type in _OPPOSITES for child in asked.children) or asked.type in _TRUTHS.values():
        return
    text = text_of(asked)
    negated = TRAITS[language].negated.format(text)
    yield _instead(asked, FaultKind.OPPOSITE, negated, reasons.turned_round(text))


def _literal(node: Node) -> Iterator[Mutant]:
    text = text_of(node)
    if node.named_child_count == 0 and text in _TRUTHS:
        yield _instead(node, FaultKind.OPPOSITE, _TRUTHS[text])
    elif node.type in _INTEGERS and text.isdecimal():
        yield _instead(node, FaultKind.CONSTANT, str(int(text) + 1))
    elif node.type in _STRINGS and not _is_said(node):
        other = text.replace(content(node), "", 1) if content(node) else f"{text[:-1]}x{text[-1]}"
        if text[:1] in "\"'" and text[:3] not in {'"""', "'''"}:
            yield _instead(node, FaultKind.CONSTANT, other)


def _is_said(node: Node) -> bool:
    """Whether a text is documentation, or the words of an error: few tests compare those."""
    above = list(parents(node))
    return above[0].type == "expression_statement" or any(
        child.type in _RAISING for child in above[:4]
    )


def _left_out(node: Node, language: Language) -> Iterator[Mutant]:
    if node.type not in _SIMPLE or _is_documentation(node) or _is_sole_return(node):
        return
    yield _instead(
        node, FaultKind.LEFT_OUT, TRAITS[language].empty, reasons.left_out(text_of(node))
    )


def _is_documentation(node: Node) -> bool:
    return [child.type for child in node.named_children] == ["string"]


def _is_sole_return(node: Node) -> bool:
    """Whether a return without a value ends a block that ends there anyway."""
    if node.type != "return_statement" or node.named_child_count or node.parent is None:
        return False
    inside = statements(node.parent)
    return bool(inside) and inside[-1] == node


def _value(node: Node, language: Language) -> Iterator[Mutant]:
    """Let a returned or assigned value be nothing, and a loop run over nothing."""
    nothing = TRAITS[language].nothing
    given = None
    if language is Language.PYTHON and node.type == "for_statement":
        given, nothing = field(node, "right"), "()"
    if node.type == "return_statement" and node.named_child_count == 1:
        given = node.named_children[0]
    if node.type in {"assignment", "variable_declarator", "assignment_expression"}:
        given = field(node, "right") or field(node, "value")
    if not nothing or given is None or text_of(given) in {nothing, "undefined"}:
        return
    yield _instead(given, FaultKind.CONSTANT, nothing)


def _instead(node: Node, kind: FaultKind, text: str, says: str = "") -> Mutant:
    said = says or reasons.instead(text, text_of(node))
    return Mutant(kind, line_of(node), node.start_byte, node.end_byte, text.encode(), said)
