"""The kinds of expressions that name something, in all the languages, and their parts. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tree_sitter import Node

from bot.repair.guards.syntax import LITERALS, content, field, text_of

MEMBERS = {
    "attribute": ("object", "attribute"),
    "member_expression": ("object", "property"),
    "selector_expression": ("operand", "field"),
    "field_expression": ("value", "field"),
    "scoped_identifier": ("path", "name"),
    "scoped_type_identifier": ("path", "name"),
    "qualified_type": ("package", "name"),
}
ITEMS = {"subscript": ("value", "subscript"), "subscript_expression": ("object", "index")}
NAMES = frozenset({"identifier", "type_identifier", "package_identifier"})
CALLS = frozenset({"call", "call_expression", "new_expression"})
WRAPPERS = frozenset({
    "parenthesized_expression", "await", "await_expression", "non_null_expression",
    "as_expression", "satisfies_expression", "reference_expression", "generic_type",
    "generic_function", "expression_list", "argument", "sequence_expression",
})  # fmt: skip
ASSIGNED = {
    "assignment": ("left", "right"),
    "named_expression": ("name", "value"),
    "variable_declarator": ("name", "value"),
    "assignment_expression": ("left", "right"),
    "short_var_declaration": ("left", "right"),
    "assignment_statement": ("left", "right"),
    "var_spec": ("name", "value"),
    "const_spec": ("name", "value"),
    "let_declaration": ("pattern", "value"),
    "const_item": ("name", "value"),
    "static_item": ("name", "value"),
}


def arguments(call: Node) -> list[Node]:
    """Return what a call is given, by position or name."""
    given = field(call, "arguments")
    return [one for one in given.named_children if one.type != "comment"] if given else []


def is_part(node: Node) -> bool:
    """Whether a node is only the last name of a longer one, or the name of an argument."""
    above = node.parent
    if above is None:
        return False
    if above.type in MEMBERS:
        return field(above, MEMBERS[above.type][1]) == node
    return above.type == "keyword_argument" and field(above, "name") == node


def single(node: Node | None) -> Node | None:
    """Return what stands in parentheses and the like."""
    while node is not None and node.type in WRAPPERS and len(node.named_children) == 1:
        node = node.named_children[0]
    return node


def taken(pattern: Node) -> Iterator[tuple[str, str]]:
    """Yield name and key of each part that `const {key: name} = ...` takes."""
    for one in pattern.named_children:
        if one.type == "shorthand_property_identifier_pattern":
            yield text_of(one), text_of(one)
        elif one.type == "pair_pattern":
            key, value = field(one, "key"), field(one, "value")
            if key is not None and value is not None and value.type == "identifier":
                yield text_of(value), content(key)


def written(node: Node) -> str | None:
    """Return what a literal of text says, or None for another node or one with holes."""
    if node.type not in LITERALS or node.type in {"integer", "float", "number"}:
        return None
    if any("interpolation" in one.type or "substitution" in one.type for one in node.children):
        return None
    text = text_of(node)
    if "\\" not in text:
        return content(node)
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None
    return value if isinstance(value, str) else None
