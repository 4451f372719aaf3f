"""Edits of one place of a program in JavaScript or TypeScript, each with how often such an edit mends. Pure.

The kinds and their weights are those of the search in Python, where a language has both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from tree_sitter import Node

from bot.code.syntax import field, line_of, parents, text_of
from bot.repair.proposers.search.javascript.scope import names_at, properties_like
from bot.repair.proposers.search.mutations.weights import COMMON, OCCASIONAL, RARE, TYPICAL
from bot.reporting.reasons import search as reasons
from bot.reporting.reasons import verification


@dataclass(frozen=True, slots=True)
class SyntaxEdit:
    """One edit of a file.

    Attributes:
        kind: The family of edits.
        weight: How often such an edit mends real code, against others: 0 to 1.
        line: Where it changes something, from 1.
        start: Byte of the file at which it begins.
        end: Byte behind what it replaces.
        text: What stands there then.
        says: What it does, as the end of a sentence.
    """

    kind: str
    weight: float
    line: int
    start: int
    end: int
    text: str
    says: str


Edits = Iterator[SyntaxEdit]

_COMPARISONS: Mapping[str, Sequence[str]] = MappingProxyType({
    "<": ("<=", ">", ">="), "<=": ("<", ">=", ">"), ">": (">=", "<", "<="), ">=": (">", "<=", "<"),
    "===": ("!==", "=="), "!==": ("===", "!="), "==": ("!=", "==="), "!=": ("==", "!=="),
})  # fmt: skip
_ARITHMETIC: Mapping[str, Sequence[str]] = MappingProxyType({
    "+": ("-", "*"), "-": ("+", "/"), "*": ("/", "**", "+"), "/": ("*", "%"), "%": ("/",), "**": ("*",),
    "&": ("|",), "|": ("&",), "^": ("|",), "<<": (">>",), ">>": ("<<", ">>>"), ">>>": (">>",),
})  # fmt: skip
_LOGIC: Mapping[str, Sequence[str]] = MappingProxyType(
    {"&&": ("||",), "||": ("&&", "??"), "??": ("||",)}
)
_UPDATES: Mapping[str, Sequence[str]] = MappingProxyType({
    "+=": ("-=", "="), "-=": ("+=", "="), "*=": ("/=", "="), "/=": ("*=",), "%=": ("/=",),
    "++": ("--",), "--": ("++",), "=": ("+=",), "||=": ("??=",), "??=": ("||=",),
    "of": ("in",), "in": ("of",),
})  # fmt: skip
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
_LITERALS = frozenset({"string", "number", "null", "true", "false"})
_HOLDERS = frozenset({
    "assignment_expression", "augmented_assignment_expression", "arguments", "binary_expression",
    "return_statement", "ternary_expression", "variable_declarator", "subscript_expression",
})  # fmt: skip
_CALCULATED = frozenset({"identifier", "member_expression", "binary_expression", "call_expression"})
_BODIES = frozenset({
    "function_declaration", "function_expression", "method_definition", "arrow_function",
    "generator_function_declaration",
})  # fmt: skip


def edits(node: Node) -> Edits:
    """Yield the edits that a node allows by itself, not those of the nodes in it."""
    yield from _RULES.get(node.type, _none)(node)
    if node.type in _LITERALS and node.parent is not None and node.parent.type in _HOLDERS:
        for name, weight in names_at(node, called=False):
            yield _instead(node, name, "variable: for a constant", 0.4 * weight, shown=_shown(node))
    if node.type in _CALCULATED and node.parent is not None:
        yield from _value(node, node.parent)


def _none(node: Node) -> Edits:
    del node
    yield from ()


def _instead(
    node: Node, new: str, kind: str, weight: float, *, shown: Node | None = None
) -> SyntaxEdit:
    """Return the edit that puts a text in the place of a node; `shown` is what a person is shown of it."""
    around = shown or node
    old, before = text_of(around), node.start_byte - around.start_byte
    whole = (
        old.encode()[:before].decode()
        + new
        + old.encode()[before + node.end_byte - node.start_byte :].decode()
    )
    says = verification.instead(whole, old)
    return SyntaxEdit(kind, weight, line_of(node), node.start_byte, node.end_byte, new, says)


def _operator(node: Node) -> Edits:
    operator, left, right = field(node, "operator"), field(node, "left"), field(node, "right")
    if operator is None or left is None or right is None:
        return
    for kind, weight, table in (
        ("comparison", 0.9, _COMPARISONS),
        ("arithmetic", 0.9, _ARITHMETIC),
        ("logic", TYPICAL, _LOGIC),
    ):
        for n, other in enumerate(table.get(operator.type, ())):
            yield _instead(operator, other, kind, weight * 0.6**n, shown=node)
    if operator.type in _LOGIC:
        yield _instead(node, text_of(left), "left out: condition", 0.35)
        yield _instead(node, text_of(right), "left out: condition", 0.35)
    elif operator.type in {*_COMPARISONS, "-", "/", "%", "**"}:
        swapped = f"{text_of(right)} {operator.type} {text_of(left)}"
        yield _instead(node, swapped, "exchanged: operands", 0.45)
    if operator.type == "/":
        yield _instead(node, f"Math.floor({text_of(node)})", "missing call", COMMON)
        yield _instead(node, f"Math.ceil({text_of(node)})", "missing call", OCCASIONAL)
    for inner in (left, right):
        if inner.type in {"binary_expression", "parenthesized_expression"}:
            yield from _regrouped(node, inner)


def _regrouped(node: Node, inner: Node) -> Edits:
    """Put parentheses where they bind the other way: `a + b * c` becomes `(a + b) * c`, and back."""
    opened = inner.named_children[0] if inner.type == "parenthesized_expression" else inner
    parts = [field(opened, name) for name in ("left", "operator", "right")]
    operator, left, right = (field(node, name) for name in ("operator", "left", "right"))
    if operator is None or None in parts or opened.type != "binary_expression":
        return
    a, sign, b = map(text_of, parts)
    if inner == left:
        text = f"{a} {sign} ({b} {operator.type} {text_of(right)})"
    else:
        text = f"({text_of(left)} {operator.type} {a}) {sign} {b}"
    yield _instead(node, text, "grouping", COMMON)
    if inner is not opened:
        yield _instead(inner, text_of(opened), "grouping", OCCASIONAL, shown=node)


def _assignment(node: Node) -> Edits:
    operator = field(node, "operator") or next(
        (child for child in node.children if child.type in _UPDATES), None
    )
    if operator is not None:
        for n, other in enumerate(_UPDATES.get(operator.type, ())):
            yield _instead(operator, other, "update", TYPICAL * 0.6**n, shown=node)
    value = field(node, "right")
    if value is not None and value.type == "identifier":
        yield _instead(value, f"[...{text_of(value)}]", "missing copy", RARE)
        yield _instead(value, f"{{ ...{text_of(value)} }}", "missing copy", RARE)


def _update(node: Node) -> Edits:
    operator = field(node, "operator")
    if operator is not None:
        yield from (
            _instead(operator, other, "update", TYPICAL, shown=node)
            for other in _UPDATES[operator.type]
        )


def _for_in(node: Node) -> Edits:
    operator = field(node, "operator")
    if operator is not None and operator.type in {"in", "of"}:
        other = "of" if operator.type == "in" else "in"
        yield SyntaxEdit(
            "loop", COMMON, line_of(node), operator.start_byte, operator.end_byte, other,
            verification.instead(other, operator.type),
        )  # fmt: skip


def _unary(node: Node) -> Edits:
    operator, argument = field(node, "operator"), field(node, "argument")
    if operator is not None and argument is not None and operator.type in {"!", "-"}:
        yield _instead(node, text_of(argument), "negation", 0.5)


def _number(node: Node) -> Edits:
    text = text_of(node)
    if not text.isdecimal():
        if text.replace(".", "", 1).isdecimal():
            value = float(text)
            yield from (
                _instead(node, f"{other:g}", "number: other", OCCASIONAL, shown=_shown(node))
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
            yield _instead(node, new, "number", weight, shown=_shown(node))


def _shown(node: Node) -> Node:
    """Return what a person should see around a small part: the expression that it stands in."""
    around = node.parent
    wanted = {
        "binary_expression",
        "call_expression",
        "subscript_expression",
        "variable_declarator",
        "pair",
    }
    while around is not None and around.type not in wanted:
        if around.type.endswith("statement") or around.end_point.row > around.start_point.row:
            return node
        around = around.parent
    return around if around is not None and around.start_point.row == around.end_point.row else node


def _constant(node: Node) -> Edits:
    other = _OPPOSITES.get(text_of(node))
    if other is not None:
        yield _instead(node, other, "constant", COMMON, shown=_shown(node))


def _identifier(node: Node) -> Edits:
    above = node.parent
    if above is None or _is_declared(node, above):
        return
    if text_of(node) == "undefined":
        yield from _constant(node)
        return
    called = above.type == "call_expression" and field(above, "function") == node
    yield from _counterparts(node)
    for name, weight in names_at(node, called=called):
        yield _instead(node, name, "variable", weight, shown=_shown(node))


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


def _property(node: Node) -> Edits:
    above = node.parent
    if above is None or above.type != "member_expression":
        return
    yield from _counterparts(node)
    for name, weight in properties_like(node):
        yield _instead(node, name, "attribute", weight, shown=above)


def _counterparts(node: Node) -> Edits:
    name = text_of(node)
    for group in _COUNTERPARTS:
        if name in group:
            for other in group:
                if other != name:
                    yield _instead(node, other, "counterpart", TYPICAL, shown=_shown(node))


def _call(node: Node) -> Edits:
    given, function = field(node, "arguments"), field(node, "function")
    if given is None or function is None:
        return
    arguments = [child for child in given.named_children if child.type != "comment"]
    for first, second in pairwise(arguments):
        both = f"{text_of(second)}, {text_of(first)}"
        says = verification.instead(both, f"{text_of(first)}, {text_of(second)}")
        yield SyntaxEdit(
            "exchanged", 0.6, line_of(node), first.start_byte, second.end_byte, both, says
        )
    if function.type == "member_expression":
        name, inner = text_of(field(function, "property")), field(function, "object")
        if name == "sort" and not arguments:
            comparing = f"{text_of(function)}((a, b) => a - b)"
            yield _instead(node, comparing, "order", TYPICAL)
        if name in {"sort", "reverse"} and inner is not None:
            copied = f"[...{text_of(inner)}]"
            yield _instead(inner, copied, "missing copy", COMMON, shown=node)
        if inner is not None and inner.type in _CALCULATED:
            yield _instead(node, text_of(inner), "left out: call", OCCASIONAL)
        if name == "parseInt" and len(arguments) == 1:
            yield _instead(node, f"{text_of(node)[:-1]}, 10)", "missing argument", COMMON)
    if len(arguments) == 1 and function.type == "identifier":
        yield _instead(node, text_of(arguments[0]), "left out: call", RARE)
    if _in_async(node) and (node.parent is None or node.parent.type != "await_expression"):
        yield _instead(node, f"await {text_of(node)}", "await: missing", COMMON)


def _in_async(node: Node) -> bool:
    around = next((above for above in parents(node) if above.type in _BODIES), None)
    return around is not None and any(child.type == "async" for child in around.children)


def _member(node: Node) -> Edits:
    inner, name = field(node, "object"), field(node, "property")
    if inner is None or name is None or inner.type in {"this", "super"}:
        return
    if not any(child.type == "optional_chain" for child in node.children):
        above = node.parent
        assigned = above is not None and field(above, "left") == node
        if not assigned:
            safe = f"{text_of(inner)}?.{text_of(name)}"
            yield _instead(node, safe, "guard", 0.3 if inner.type != "identifier" else 0.2)


def _subscript(node: Node) -> Edits:
    inner, index = field(node, "object"), field(node, "index")
    if inner is not None and index is not None and text_of(index) == "0":
        last = f"{text_of(inner)}[{text_of(inner)}.length - 1]"
        yield _instead(node, last, "other end", OCCASIONAL)


def _conditional(node: Node) -> Edits:
    condition, yes, no = (field(node, name) for name in ("condition", "consequence", "alternative"))
    if condition is None or yes is None or no is None:
        return
    text = f"{text_of(condition)} ? {text_of(no)} : {text_of(yes)}"
    yield _instead(node, text, "branch", 0.35)
    yield _instead(node, text_of(yes), "branch", RARE)
    yield _instead(node, text_of(no), "branch", RARE)


def _branch(node: Node) -> Edits:
    asked = field(node, "condition")
    inner = asked.named_children[0] if asked is not None and asked.named_child_count else None
    if inner is None:
        return
    yield _instead(inner, f"!({text_of(inner)})", "condition", 0.5)
    for name, weight in names_at(inner, called=False):
        text = text_of(inner)
        wrapped = f"({text})" if "||" in text or "??" in text else text
        yield _instead(inner, f"{wrapped} && {name}", "missing condition", weight * 0.3)
        yield _instead(inner, f"{wrapped} && !{name}", "missing condition", weight * 0.3)
        yield _instead(inner, f"{text} || !{name}", "missing condition", weight * 0.3)
    body = field(node, "consequence")
    if node.type == "if_statement" and field(node, "alternative") is None and body is not None:
        yield _left_out(node, RARE)


def _statement(node: Node) -> Edits:
    yield _left_out(node, 0.3)
    inside = node.named_children
    if node.type == "expression_statement" and inside and inside[0].type == "call_expression":
        returned = f"return {text_of(node)}"
        yield _instead(node, returned, "missing return", 0.3 if _is_last(node) else RARE)
        if (following := node.next_named_sibling) is None or following.type != "return_statement":
            return
    if node.type in {"break_statement", "continue_statement"}:
        other = "continue;" if node.type == "break_statement" else "break;"
        yield _instead(node, other, "loop exit", COMMON)
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
        and node.parent.parent.type in _BODIES
    )


def _return(node: Node) -> Edits:
    given = node.named_children[0] if node.named_child_count == 1 else None
    if given is None:
        return
    if given.type in {"identifier", "member_expression"}:
        text = text_of(given)
        yield _instead(node, f"if ({text}) {text_of(node)}", "missing condition: in front", 0.27)
        yield _instead(given, f"!{text}", "negation", OCCASIONAL, shown=node)
        yield _instead(given, f"[...{text}]", "missing copy", RARE, shown=node)
        yield _instead(given, f"{{ ...{text} }}", "missing copy", RARE, shown=node)
    if given.type in {"binary_expression", "call_expression"}:
        yield _instead(given, f"!({text_of(given)})", "negation", OCCASIONAL, shown=node)


def _function(node: Node) -> Edits:
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
                yield _instead(child, text, "default", 0.3 * 0.8**n)


def _string(node: Node) -> Edits:
    text = text_of(node)
    inner = text[1:-1]
    if node.parent is not None and node.parent.type in {"import_statement", "export_statement"}:
        return
    if inner and len(inner) <= _SHORT_TEXT:
        for other in dict.fromkeys(
            (inner.strip(), f"{inner} ", f" {inner}", "", inner.lower(), inner.upper())
        ):
            if other != inner:
                yield _instead(
                    node, f"{text[0]}{other}{text[-1]}", "text", RARE, shown=_shown(node)
                )
    elif not inner:
        yield _instead(node, f"{text[0]} {text[-1]}", "text", OCCASIONAL, shown=_shown(node))


_SHORT_TEXT = 12
"""Characters of a text that may be a separator or a name: longer ones are for people."""


def _regex(node: Node) -> Edits:
    flags = text_of(field(node, "flags"))
    body = f"/{text_of(field(node, 'pattern'))}/"
    for flag in "gi":
        other = flags.replace(flag, "") if flag in flags else flags + flag
        yield _instead(node, f"{body}{other}", "pattern", COMMON, shown=_shown(node))


def _value(node: Node, above: Node) -> Edits:
    """Take one more or one less, another default, or a number for a text."""
    text = text_of(node)
    operand = (
        above.type == "binary_expression" and text_of(field(above, "operator")) in _COMPARISONS
    )
    index = above.type == "subscript_expression" and field(above, "index") == node
    argument = above.type == "arguments" and node.type != "call_expression"
    initial = (
        above.type in {"variable_declarator", "return_statement"} and node.type != "call_expression"
    )
    if index or operand or argument or initial:
        weight = 0.75 if index else 0.45 if operand else OCCASIONAL
        for sign in ("-", "+"):
            yield _instead(node, f"{text} {sign} 1", "off by one", weight, shown=_shown(node))
    added = above.type == "binary_expression" and text_of(field(above, "operator")) == "+"
    if added and node.type in {"identifier", "member_expression"}:
        yield _instead(node, f"Number({text})", "conversion", OCCASIONAL, shown=above)
        yield _instead(node, f"({text} ?? 0)", "default", RARE, shown=above)
    if above.type in {"variable_declarator", "return_statement", "pair", "assignment_expression"}:
        held = field(above, "value") or field(above, "right") or node
        if held == node:
            for n, value in enumerate(("0", "[]", "''", "{}", "null")):
                yield _instead(
                    node, f"{text} ?? {value}", "fallback", 0.3 * 0.8**n, shown=_shown(node)
                )


_RULES: Mapping[str, Callable[[Node], Edits]] = MappingProxyType({
    "binary_expression": _operator,
    "augmented_assignment_expression": _assignment,
    "assignment_expression": _assignment,
    "update_expression": _update,
    "for_in_statement": _for_in,
    "unary_expression": _unary,
    "number": _number,
    "true": _constant, "false": _constant, "null": _constant, "undefined": _constant,
    "identifier": _identifier,
    "property_identifier": _property,
    "call_expression": _call,
    "member_expression": _member,
    "subscript_expression": _subscript,
    "ternary_expression": _conditional,
    "if_statement": _branch, "while_statement": _branch,
    "expression_statement": _statement,
    "break_statement": _statement, "continue_statement": _statement,
    "return_statement": _return,
    **dict.fromkeys(_BODIES, _function),
    "string": _string,
    "regex": _regex,
})  # fmt: skip
