"""The kinds of expressions that name something, in all the languages, and their parts. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tree_sitter import Node

from bot.code.syntax import LITERALS, content, field, text_of

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
    return [child for child in given.named_children if child.type != "comment"] if given else []


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
    for child in pattern.named_children:
        if child.type == "shorthand_property_identifier_pattern":
            yield text_of(child), text_of(child)
        elif child.type == "pair_pattern":
            key, value = field(child, "key"), field(child, "value")
            if key is not None and value is not None and value.type == "identifier":
                yield text_of(value), content(key)


def written(node: Node) -> str | None:
    """Return what a literal of text says, or None for another node or one with holes."""
    if node.type not in LITERALS or node.type in {"integer", "float", "number"}:
        return None
    if any(
        "interpolation" in child.type or "substitution" in child.type for child in node.children
    ):
        return None
    text = text_of(node)
    if "\\" not in text:
        return content(node)
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None
    return value if isinstance(value, str) else None


_DEEPEST, _LONGEST, _MOST = 60, 1_000, 100
"""Expressions in each other, characters of a text, and values of a name that are followed."""


class Texts:
    """The texts of one file, and what its plain names are assigned."""

    def __init__(self) -> None:
        self._values: dict[str, list[Node]] = {}
        self._texts: dict[int, str | None] = {}

    def remember(self, name: Node | None, value: Node | None) -> None:
        """Remember what a name is assigned."""
        if name is not None and value is not None and name.type == "identifier":
            known = self._values.setdefault(text_of(name), [])
            known += [value] if len(known) < _MOST else []

    def of(self, node: Node | None, depth: int = 0) -> str | None:
        """Return the text that an expression is, or None where the file does not say it."""
        if node is None or depth > _DEEPEST:
            return None
        if node.id not in self._texts:
            self._texts[node.id] = None  # for what is made of itself
            text = self._text(node, depth)
            self._texts[node.id] = text if text is None or len(text) <= _LONGEST else None
        return self._texts[node.id]

    def _text(self, node: Node, depth: int) -> str | None:
        match node.type:
            case "identifier":
                known = self.values(node)
                return self.of(known[0], depth + 1) if len(known) == 1 else None
            case "concatenated_string":
                parts = [self.of(child, depth + 1) for child in node.named_children]
            case "binary_operator" | "binary_expression":
                if text_of(field(node, "operator")) != "+":
                    return None
                sides = (field(node, "left"), field(node, "right"))
                parts = [self.of(side, depth + 1) for side in sides]
            case kind if kind in WRAPPERS and node.named_children:
                return self.of(node.named_children[0], depth + 1)
            case _:
                return written(node)
        return None if None in parts else "".join(part or "" for part in parts)

    def values(self, node: Node) -> list[Node]:
        """Return what a plain name is assigned, anywhere in the file."""
        return self._values.get(text_of(node), []) if node.type == "identifier" else []
