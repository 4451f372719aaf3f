"""Edits of names and literals, and of what they are taken for. Pure."""

from __future__ import annotations

from types import MappingProxyType

from tree_sitter import Node

from bot.code.syntax import field, text_of
from bot.repair.proposers.search.javascript.edit import Edits, instead, shown_of
from bot.repair.proposers.search.javascript.expressions import COMPARISONS
from bot.repair.proposers.search.javascript.scope import names_at, properties_like
from bot.repair.proposers.search.mutations.weights import COMMON, OCCASIONAL, RARE, TYPICAL

_COUNTERPARTS = (
    ("min", "max"), ("floor", "ceil", "round", "trunc"), ("push", "unshift"), ("pop", "shift"),
    ("indexOf", "lastIndexOf"), ("startsWith", "endsWith", "includes"), ("some", "every"),
    ("find", "findLast", "filter"), ("findIndex", "findLastIndex"), ("map", "flatMap", "forEach", "filter"),
    ("slice", "splice"), ("substring", "substr", "slice"), ("toUpperCase", "toLowerCase"),
    ("trim", "trimStart", "trimEnd"), ("keys", "values", "entries"), ("padStart", "padEnd"),
    ("add", "delete", "has"), ("get", "has"), ("set", "delete"), ("match", "matchAll"), ("replace", "replaceAll"),
    ("parseInt", "parseFloat", "Number"), ("reduce", "reduceRight"), ("all", "allSettled", "race", "any"),
    ("getDate", "getDay"), ("getMonth", "getUTCMonth"), ("getHours", "getUTCHours"), ("call", "apply"),
)  # fmt: skip
"""Built-in functions and methods that are taken for each other: https://tc39.es/ecma262/."""


_OPPOSITES = MappingProxyType(
    {"true": "false", "false": "true", "null": "undefined", "undefined": "null"}
)


def number(node: Node) -> Edits:
    """Take a number near it, zero, one, or ten times as much."""
    text = text_of(node)
    if not text.isdecimal():
        if text.replace(".", "", 1).isdecimal():
            value = float(text)
            yield from (
                instead(node, f"{other:g}", "number: other", OCCASIONAL, shown=shown_of(node))
                for other in (value * 10, value / 10, 1 - value, 1 + value)
                if other >= 0
            )
        return
    value = int(text)
    near = dict.fromkeys((value + 1, value - 1, 0, 1, value * 10, value // 10, value + 2, -value))
    for other in near:
        if other != value:
            weight = TYPICAL if abs(other - value) == 1 else OCCASIONAL
            new = str(other) if other >= 0 else f"({other})" if other != -1 else "-1"
            yield instead(node, new, "number", weight, shown=shown_of(node))


def constant(node: Node) -> Edits:
    """Take the other truth value, or the other kind of nothing."""
    other = _OPPOSITES.get(text_of(node))
    if other is not None:
        yield instead(node, other, "constant", COMMON, shown=shown_of(node))


def name(node: Node) -> Edits:
    """Take another name that is known there."""
    above = node.parent
    if above is None or _is_declared(node, above):
        return
    if text_of(node) == "undefined":
        yield from constant(node)
        return
    called = above.type == "call_expression" and field(above, "function") == node
    yield from _counterparts(node)
    for name, weight in names_at(node, called=called):
        yield instead(node, name, "variable", weight, shown=shown_of(node))


def _is_declared(node: Node, above: Node) -> bool:
    """Whether an identifier stands where its name is declared, or is that of a module."""
    if above.type in {"variable_declarator", "function_declaration", "class_declaration"}:
        return field(above, "name") == node
    if above.type in {"arrow_function", "assignment_pattern", "required_parameter"}:
        return node in (field(above, "parameter"), field(above, "left"), field(above, "pattern"))
    return above.type in {
        "formal_parameters", "import_specifier", "import_clause", "namespace_import", "rest_pattern",
        "array_pattern", "catch_clause", "export_specifier", "type_annotation",
    }  # fmt: skip


def property_name(node: Node) -> Edits:
    """Take another property of the object, or the counterpart of a built-in one."""
    above = node.parent
    if above is None or above.type != "member_expression":
        return
    yield from _counterparts(node)
    for name, weight in properties_like(node):
        yield instead(node, name, "attribute", weight, shown=above)


def _counterparts(node: Node) -> Edits:
    name = text_of(node)
    for group in _COUNTERPARTS:
        if name in group:
            for other in group:
                if other != name:
                    yield instead(node, other, "counterpart", TYPICAL, shown=shown_of(node))


_SHORT_TEXT = 12
"""Characters of a text that may be a separator or a name: longer ones are for people."""


def string(node: Node) -> Edits:
    """Take a text with other spaces or letters: short ones may be separators or names."""
    text = text_of(node)
    inner = text[1:-1]
    if node.parent is not None and node.parent.type in {"import_statement", "export_statement"}:
        return
    if inner and len(inner) <= _SHORT_TEXT:
        for other in dict.fromkeys(
            (inner.strip(), f"{inner} ", f" {inner}", "", inner.lower(), inner.upper())
        ):
            if other != inner:
                yield instead(
                    node, f"{text[0]}{other}{text[-1]}", "text", RARE, shown=shown_of(node)
                )
    elif not inner:
        yield instead(node, f"{text[0]} {text[-1]}", "text", OCCASIONAL, shown=shown_of(node))


def pattern(node: Node) -> Edits:
    """Set or leave out a flag of a regular expression."""
    flags = text_of(field(node, "flags"))
    body = f"/{text_of(field(node, 'pattern'))}/"
    for flag in "gi":
        other = flags.replace(flag, "") if flag in flags else flags + flag
        yield instead(node, f"{body}{other}", "pattern", COMMON, shown=shown_of(node))


def value(node: Node, above: Node) -> Edits:
    """Take one more or one less, another default, or a number for a text."""
    text = text_of(node)
    operand = above.type == "binary_expression" and text_of(field(above, "operator")) in COMPARISONS
    index = above.type == "subscript_expression" and field(above, "index") == node
    argument = above.type == "arguments" and node.type != "call_expression"
    initial = above.type in {"variable_declarator", "return_statement"} or (
        above.type == "assignment_expression" and field(above, "right") == node
    )
    if index or operand or argument or initial:
        weight = 0.75 if index else 0.45 if operand else OCCASIONAL
        for sign in ("-", "+"):
            yield instead(node, f"{text} {sign} 1", "off by one", weight, shown=shown_of(node))
    added = above.type == "binary_expression" and text_of(field(above, "operator")) == "+"
    if added and node.type in {"identifier", "member_expression"}:
        yield instead(node, f"Number({text})", "conversion", OCCASIONAL, shown=above)
        yield instead(node, f"({text} ?? 0)", "default", RARE, shown=above)
    if above.type in {"variable_declarator", "return_statement", "pair", "assignment_expression"}:
        held = field(above, "value") or field(above, "right") or node
        if held == node:
            for n, value in enumerate(("0", "[]", "''", "{}", "null")):
                yield instead(
                    node, f"{text} ?? {value}", "fallback", 0.3 * 0.8**n, shown=shown_of(node)
                )
    if _is_asked(node, above):
        for n, other in enumerate(("undefined", "null", "''", "0")):
            sign = "!=" if other == "null" else "!=="
            yield instead(
                node, f"{text} {sign} {other}", "truth", 0.35 * 0.6**n, shown=shown_of(node)
            )


def _is_asked(node: Node, above: Node) -> bool:
    """Whether a value is only asked whether it is there: by a condition, or as what a filter returns."""
    if node.type == "binary_expression":
        return False
    if above.type == "parenthesized_expression" and above.parent is not None:
        return field(above.parent, "condition") == above
    asked = {"arrow_function": "body", "ternary_expression": "condition"}.get(above.type)
    return asked is not None and field(above, asked) == node


def bound(node: Node) -> Edits:
    """Give a default to what a pattern takes out of a list or an object."""
    wanted = {"identifier", "shorthand_property_identifier_pattern"}
    for child in node.named_children:
        for n, default in enumerate(
            ("''", "0", "[]", "{}", "null") if child.type in wanted else ()
        ):
            text = f"{text_of(child)} = {default}"
            yield instead(child, text, "default", 0.3 * 0.8**n, shown=node)


def listed(node: Node) -> Edits:
    """Put in what an item has, and not the item."""
    for child in node.named_children:
        if child.type in {"identifier", "member_expression", "subscript_expression"}:
            yield instead(child, f"...{text_of(child)}", "spread", OCCASIONAL, shown=node)
        elif child.type == "spread_element":
            yield instead(child, text_of(child.named_children[0]), "spread", OCCASIONAL, shown=node)
