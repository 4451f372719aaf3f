"""Which names and properties could stand in the place of another one. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tree_sitter import Node

from bot.code.syntax import field, parents, text_of, walk

_FUNCTIONS = frozenset({
    "function_declaration", "function_expression", "method_definition", "arrow_function",
    "generator_function_declaration", "generator_function",
})  # fmt: skip
_OWN, _OUTER, _MODULE = 0.65, 0.4, 0.15
_MOST = 10


def names_at(node: Node, *, called: bool) -> Iterator[tuple[str, float]]:
    """Yield the names that are known at a node, with how likely each was meant.

    Args:
        node: Where a name is used.
        called: Whether it is called there: then only functions are meant.
    """
    mine = text_of(node)
    known: dict[str, float] = {}
    weight = _OWN
    for above in parents(node):
        if above.type in _FUNCTIONS:
            for name, is_function in declared(above):
                if is_function == called or not called:
                    known.setdefault(name, weight)
            weight = _OUTER
        elif above.parent is None:
            for name, is_function in declared(above):
                if is_function == called:
                    known.setdefault(name, _OUTER if called else _MODULE)
    found = [(name, weight) for name, weight in known.items() if name != mine]
    crowd = max(1.0, len(found) / 4) ** 0.5
    yield from ((name, weight / crowd) for name, weight in found[:_MOST])


def declared(scope: Node) -> Iterator[tuple[str, bool]]:
    """Yield the names that a function or a file declares, and whether each is a function."""
    listed = field(scope, "parameters") or field(scope, "parameter")
    yield from ((name, False) for name in _bound(listed))
    inside = walk(scope, into=lambda inner: inner == scope or inner.type not in _FUNCTIONS)
    for node in inside:
        if node.type == "variable_declarator":
            yield from _declarator(node)
        elif node.type == "for_in_statement":
            yield from ((name, False) for name in _bound(field(node, "left")))
        for child in node.named_children if node.type in _BLOCKS else ():
            if child.type == "function_declaration":
                yield text_of(field(child, "name")), True


_BLOCKS = frozenset({"program", "statement_block", "export_statement"})


def _bound(pattern: Node | None) -> Iterator[str]:
    """Yield the names that a pattern binds."""
    for node in walk(pattern) if pattern is not None else ():
        if node.type in _NAMES and not _is_default(node):
            yield text_of(node)


_NAMES = frozenset({"identifier", "shorthand_property_identifier_pattern"})


def _declarator(node: Node) -> Iterator[tuple[str, bool]]:
    name, value = field(node, "name"), field(node, "value")
    is_function = value is not None and value.type in _FUNCTIONS
    yield from ((bound, is_function) for bound in _bound(name))


def _is_default(name: Node) -> bool:
    above = name.parent
    return (
        above is not None and above.type == "assignment_pattern" and field(above, "right") == name
    )


def properties_like(node: Node) -> Iterator[tuple[str, float]]:
    """Yield the properties that the file reads of the same object or of others, likeliest first."""
    above = node.parent
    holder = text_of(field(above, "object")) if above is not None else ""
    top = node
    for around in parents(node):
        top = around
    same: Counter[str] = Counter()
    called = _is_called(above)
    for member in walk(top):
        if member.type != "member_expression" or _is_called(member) != called:
            continue
        name = text_of(field(member, "property"))
        if text_of(field(member, "object")) == holder and name != text_of(node):
            same[name] += 1
    for pair in walk(top) if not called else ():
        key = field(pair, "key") if pair.type == "pair" else None
        if key is not None and key.type == node.type and text_of(key) != text_of(node):
            same[text_of(key)] += 0
    for n, (name, count) in enumerate(same.most_common(_MOST)):
        yield name, (0.5 if count else 0.2) * 0.85**n


def _is_called(node: Node | None) -> bool:
    above = node.parent if node is not None else None
    return (
        above is not None and above.type == "call_expression" and field(above, "function") == node
    )
