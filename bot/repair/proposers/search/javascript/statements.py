"""Edits of statements, and of what a function begins with. Pure."""

from __future__ import annotations

from tree_sitter import Node

from bot.code.syntax import field, line_of, text_of
from bot.repair.proposers.search.javascript.edit import BODIES, Edits, SyntaxEdit, instead
from bot.repair.proposers.search.javascript.scope import names_at
from bot.repair.proposers.search.mutations.weights import COMMON, OCCASIONAL, RARE
from bot.reporting.reasons import search as reasons
from bot.reporting.reasons import verification


def branch(node: Node) -> Edits:
    """Turn a condition round, ask for one thing more, or leave the whole out."""
    asked = field(node, "condition")
    inner = asked.named_children[0] if asked is not None and asked.named_child_count else None
    if inner is None:
        return
    yield instead(inner, f"!({text_of(inner)})", "condition", 0.5)
    for name, weight in names_at(inner, called=False):
        text = text_of(inner)
        wrapped = f"({text})" if "||" in text or "??" in text else text
        yield instead(inner, f"{wrapped} && {name}", "missing condition", weight * 0.3)
        yield instead(inner, f"{wrapped} && !{name}", "missing condition", weight * 0.3)
        yield instead(inner, f"{text} || !{name}", "missing condition", weight * 0.3)
    body = field(node, "consequence")
    if node.type == "if_statement" and field(node, "alternative") is None and body is not None:
        yield _left_out(node, RARE)


def statement(node: Node) -> Edits:
    """Leave a statement out, return its value, leave the loop in another way, or move it one down."""
    yield _left_out(node, 0.3)
    inside = node.named_children
    if node.type == "expression_statement" and inside and inside[0].type == "call_expression":
        returned = f"return {text_of(node)}"
        yield instead(node, returned, "missing return", 0.3 if _is_last(node) else RARE)
        if (following := node.next_named_sibling) is None or following.type != "return_statement":
            return
    if node.type in {"break_statement", "continue_statement"}:
        other = "continue;" if node.type == "break_statement" else "break;"
        yield instead(node, other, "loop exit", COMMON)
    following = node.next_named_sibling
    if following is not None and following.type == "expression_statement":
        both = f"{text_of(following)}\n{' ' * node.start_point.column}{text_of(node)}"
        says = verification.instead(text_of(following), text_of(node))
        yield SyntaxEdit(
            "order", 0.2, line_of(node), node.start_byte, following.end_byte, both, says
        )


def _left_out(node: Node, weight: float) -> SyntaxEdit:
    says = verification.left_out(text_of(node))
    return SyntaxEdit(
        "dropped statement", weight, line_of(node), node.start_byte, node.end_byte, ";", says
    )


def _is_last(node: Node) -> bool:
    return node.next_named_sibling is None and (
        node.parent is not None
        and node.parent.parent is not None
        and node.parent.parent.type in BODIES
    )


def returned(node: Node) -> Edits:
    """Return the opposite or a copy, or return only under a condition."""
    given = node.named_children[0] if node.named_child_count == 1 else None
    if given is None:
        return
    if given.type in {"identifier", "member_expression"}:
        text = text_of(given)
        yield instead(node, f"if ({text}) {text_of(node)}", "missing condition: in front", 0.27)
        yield instead(given, f"!{text}", "negation", OCCASIONAL, shown=node)
        yield instead(given, f"[...{text}]", "missing copy", RARE, shown=node)
        yield instead(given, f"{{ ...{text} }}", "missing copy", RARE, shown=node)
    if given.type in {"binary_expression", "call_expression"}:
        yield instead(given, f"!({text_of(given)})", "negation", OCCASIONAL, shown=node)


def function(node: Node) -> Edits:
    """Return early where a parameter is missing, or give it a default."""
    body = field(node, "body")
    if body is None or body.type != "statement_block" or not body.named_children:
        return
    listed = field(node, "parameters")
    parameters = [
        child for child in (listed.named_children if listed else []) if child.type != "comment"
    ]
    names = [
        text_of(
            child if child.type == "identifier" else field(child, "pattern") or field(child, "left")
        )
        for child in parameters
    ]
    first = body.named_children[0]
    indent = " " * first.start_point.column
    for name in filter(str.isidentifier, names):
        for n, value in enumerate(("''", "[]", "null", "0", "undefined", name, "false", "{}")):
            for asked in (f"!{name}", f"{name}.length === 0"):
                code = f"if ({asked}) return {value};"
                yield SyntaxEdit(
                    "guard: base case", 0.3 * 0.8**n, line_of(first), first.start_byte,
                    first.start_byte, f"{code}\n{indent}", reasons.adds(code),
                )  # fmt: skip
    for child in parameters:
        if child.type == "identifier":
            for n, value in enumerate(("0", "''", "[]", "{}", "1", "false", "true")):
                text = f"{text_of(child)} = {value}"
                yield instead(child, text, "default", 0.3 * 0.8**n)
