"""Edits of operators, calls and members. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from tree_sitter import Node

from bot.code.syntax import field, line_of, parents, text_of
from bot.repair.proposers.search.javascript.edit import BODIES, Edits, SyntaxEdit, instead
from bot.repair.proposers.search.mutations.weights import COMMON, OCCASIONAL, RARE, TYPICAL
from bot.reporting.reasons import verification

COMPARISONS: Mapping[str, Sequence[str]] = MappingProxyType({
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


def operator(node: Node) -> Edits:
    """Take another operator, leave an operand out, exchange both, or put parentheses elsewhere."""
    operator, left, right = field(node, "operator"), field(node, "left"), field(node, "right")
    if operator is None or left is None or right is None:
        return
    for kind, weight, table in (
        ("comparison", 0.9, COMPARISONS),
        ("arithmetic", 0.9, _ARITHMETIC),
        ("logic", TYPICAL, _LOGIC),
    ):
        for n, other in enumerate(table.get(operator.type, ())):
            yield instead(operator, other, kind, weight * 0.6**n, shown=node)
    if operator.type in _LOGIC:
        yield instead(node, text_of(left), "left out: condition", 0.35)
        yield instead(node, text_of(right), "left out: condition", 0.35)
    elif operator.type in {*COMPARISONS, "-", "/", "%", "**"}:
        swapped = f"{text_of(right)} {operator.type} {text_of(left)}"
        yield instead(node, swapped, "exchanged: operands", 0.45)
    if operator.type == "/":
        yield instead(node, f"Math.floor({text_of(node)})", "missing call", COMMON)
        yield instead(node, f"Math.ceil({text_of(node)})", "missing call", OCCASIONAL)
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
    yield instead(node, text, "grouping", COMMON)
    if inner is not opened:
        yield instead(inner, text_of(opened), "grouping", OCCASIONAL, shown=node)


def assignment(node: Node) -> Edits:
    """Assign in another way, or assign a copy."""
    operator = field(node, "operator") or next(
        (child for child in node.children if child.type in _UPDATES), None
    )
    if operator is not None:
        for n, other in enumerate(_UPDATES.get(operator.type, ())):
            yield instead(operator, other, "update", TYPICAL * 0.6**n, shown=node)
    value = field(node, "right")
    if value is not None and value.type == "identifier":
        yield instead(value, f"[...{text_of(value)}]", "missing copy", RARE)
        yield instead(value, f"{{ ...{text_of(value)} }}", "missing copy", RARE)


def update(node: Node) -> Edits:
    """Count in the other direction."""
    operator = field(node, "operator")
    if operator is not None:
        yield from (
            instead(operator, other, "update", TYPICAL, shown=node)
            for other in _UPDATES[operator.type]
        )


def loop(node: Node) -> Edits:
    """Go through the values, and not the keys, or the reverse."""
    operator = field(node, "operator")
    if operator is not None and operator.type in {"in", "of"}:
        other = "of" if operator.type == "in" else "in"
        yield SyntaxEdit(
            "loop", COMMON, line_of(node), operator.start_byte, operator.end_byte, other,
            verification.instead(other, operator.type),
        )  # fmt: skip


def unary(node: Node) -> Edits:
    """Leave a `!` or a minus out."""
    operator, argument = field(node, "operator"), field(node, "argument")
    if operator is not None and argument is not None and operator.type in {"!", "-"}:
        yield instead(node, text_of(argument), "negation", 0.5)


_CHAINED = frozenset({"identifier", "member_expression", "call_expression", "subscript_expression"})
_MORE_CALLS: Mapping[str, Sequence[str]] = MappingProxyType({
    **dict.fromkeys(("keys", "entries", "from"), ("sort()", "reverse()")),
    **dict.fromkeys(("map", "filter", "values"), ("filter(Boolean)", "sort()", "reverse()", "flat()")),
    "split": ("filter(Boolean)", "map((part) => part.trim())", "reverse()"),
    **dict.fromkeys(("join", "replace", "slice", "substring", "toString"), ("trim()", "toLowerCase()")),
})  # fmt: skip
"""What is likely left out behind a method: what it returns is a list or a text."""


def call(node: Node) -> Edits:
    """Exchange arguments, leave the call out, wait for it, or call one thing more."""
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
        yield from _method(node, function, arguments)
    if len(arguments) == 1 and function.type == "identifier":
        yield instead(node, text_of(arguments[0]), "left out: call", RARE)
    if _in_async(node) and (node.parent is None or node.parent.type != "await_expression"):
        yield instead(node, f"await {text_of(node)}", "await: missing", COMMON)


def _method(node: Node, function: Node, arguments: Sequence[Node]) -> Edits:
    name, inner = text_of(field(function, "property")), field(function, "object")
    if name == "sort" and not arguments:
        comparing = f"{text_of(function)}((a, b) => a - b)"
        yield instead(node, comparing, "order", TYPICAL)
    if name in {"sort", "reverse"} and inner is not None:
        copied = f"[...{text_of(inner)}]"
        yield instead(inner, copied, "missing copy", COMMON, shown=node)
    if inner is not None and inner.type in _CHAINED:
        yield instead(node, text_of(inner), "left out: call", OCCASIONAL)
        for n, value in enumerate(("[]", "''")):
            fallback = f"({text_of(inner)} ?? {value})"
            yield instead(inner, fallback, "fallback", 0.3 * 0.8**n, shown=node)
    for n, more in enumerate(_MORE_CALLS.get(name, ())):
        yield instead(node, f"{text_of(node)}.{more}", "missing call", OCCASIONAL * 0.8**n)
    if name == "parseInt" and len(arguments) == 1:
        yield instead(node, f"{text_of(node)[:-1]}, 10)", "missing argument", COMMON)


def _in_async(node: Node) -> bool:
    around = next((above for above in parents(node) if above.type in BODIES), None)
    return around is not None and any(child.type == "async" for child in around.children)


def member(node: Node) -> Edits:
    """Read a property only if there is an object: `a.b` becomes `a?.b`."""
    inner, name = field(node, "object"), field(node, "property")
    if inner is None or name is None or inner.type in {"this", "super"}:
        return
    if not any(child.type == "optional_chain" for child in node.children):
        above = node.parent
        assigned = above is not None and field(above, "left") == node
        if not assigned:
            safe = f"{text_of(inner)}?.{text_of(name)}"
            yield instead(node, safe, "guard", 0.3 if inner.type != "identifier" else 0.2)


def subscript(node: Node) -> Edits:
    """Take the last item in the place of the first."""
    inner, index = field(node, "object"), field(node, "index")
    if inner is not None and index is not None and text_of(index) == "0":
        last = f"{text_of(inner)}[{text_of(inner)}.length - 1]"
        yield instead(node, last, "other end", OCCASIONAL)


def conditional(node: Node) -> Edits:
    """Exchange the ends of a choice, or take one of them always."""
    condition, yes, no = (field(node, name) for name in ("condition", "consequence", "alternative"))
    if condition is None or yes is None or no is None:
        return
    text = f"{text_of(condition)} ? {text_of(no)} : {text_of(yes)}"
    yield instead(node, text, "branch", 0.35)
    yield instead(node, text_of(yes), "branch", RARE)
    yield instead(node, text_of(no), "branch", RARE)
