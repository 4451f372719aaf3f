"""Read one file: what it defines, and which names it uses how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tree_sitter import Language as Grammar
from tree_sitter import Node, Query, QueryCursor

from bot.code.syntax import grammar_of, line_of, parents, parse, text_of

DEFINING = ("definition", "declaration", "declarator", "item", "spec", "signature", "alias")
"""How kinds of nodes end whose `name` they define, in all grammars that are read."""

MOST_BYTES = 400_000
"""Of a file that is read: larger ones are generated, or data."""
_MOST_SYMBOLS = 400
_MOST_NAMES = 600
_HEAD_CHARACTERS = 120
_SHORTEST_NAME = 3

_NAMED = "(_ name: (_) @name) @whole"
_ASSIGNED = "(assignment left: (identifier) @name) @whole"
_NAMES = "[{}] @used"
_NAME_KINDS = (
    "identifier",
    "type_identifier",
    "property_identifier",
    "field_identifier",
    "shorthand_property_identifier",
)
_VALUES = frozenset({"arrow_function", "function_expression", "function", "class"})
_HOLDERS = ("class", "interface", "impl", "trait", "struct", "enum", "mod", "namespace", "module")


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something that a file defines.

    Attributes:
        name: Of it.
        line: Where it begins, from 1.
        last: Where it ends.
        depth: How many definitions it stands in.
        head: Its first line, without what surrounds it.
    """

    name: str
    line: int
    last: int
    depth: int
    head: str


@dataclass(frozen=True, slots=True)
class Outline:
    """A file's symbols in the order of the text, and the names it uses with how often."""

    symbols: tuple[Symbol, ...] = ()
    used: tuple[tuple[str, int], ...] = ()


def outlined(path: str, data: bytes) -> Outline:
    """Return the outline of a file; an empty one where no grammar reads it."""
    grammar = grammar_of(path)
    syntax = parse(path, data) if grammar is not None and len(data) <= MOST_BYTES else None
    if grammar is None or syntax is None:
        return Outline()
    return Outline(
        tuple(_symbols(grammar, syntax.root))[:_MOST_SYMBOLS], _used(grammar, syntax.root)
    )


def _symbols(grammar: Grammar, root: Node) -> Iterator[Symbol]:
    found: dict[int, tuple[Node, Node]] = {}
    for query in _definitions(grammar):
        for _, captures in QueryCursor(query).matches(root):
            [whole], [name] = captures["whole"], captures["name"]
            if whole.type == "assignment" or whole.type.endswith(DEFINING):
                found.setdefault(name.id, (whole, name))
    for whole, name in sorted(found.values(), key=lambda item: item[0].start_byte):
        around = [parent for parent in parents(whole) if _defines(parent)]
        if all(node.type.startswith(_HOLDERS) for node in around) and _counts(whole):
            yield Symbol(
                text_of(name), line_of(whole), whole.end_point.row + 1, len(around), _head(whole)
            )


def _defines(node: Node) -> bool:
    """Whether a node holds definitions of its own: a class or a function, not a plain name."""
    if node.type == "impl_item":
        return True
    is_plain = node.type.endswith(("declarator", "spec", "alias")) or node.type == "assignment"
    return (
        node.type.endswith(DEFINING)
        and node.child_by_field_name("body") is not None
        and not is_plain
    )


def _counts(whole: Node) -> bool:
    """Whether people look for a name: those of functions and types, and the constants of a file."""
    if whole.type == "assignment":
        inside = next(
            (parent for parent in parents(whole) if parent.type == "class_definition"), None
        )
        return inside is None
    if whole.type == "variable_declarator":
        value = whole.child_by_field_name("value")
        at_top = not any(parent.type == "statement_block" for parent in parents(whole))
        return at_top or (value is not None and value.type in _VALUES)
    return not whole.type.startswith(("import", "package", "parameter"))


def _head(whole: Node) -> str:
    first = text_of(whole).split("\n", 1)[0].strip()
    return first if len(first) <= _HEAD_CHARACTERS else f"{first[: _HEAD_CHARACTERS - 1]}…"


def _used(grammar: Grammar, root: Node) -> tuple[tuple[str, int], ...]:
    captured = QueryCursor(_uses(grammar)).captures(root).get("used", [])
    counted = Counter(node.text for node in captured if node.text)
    by_count = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    names = ((name.decode("utf-8", "replace"), count) for name, count in by_count)
    kept = [(name, count) for name, count in names if len(name) >= _SHORTEST_NAME]
    return tuple(kept[:_MOST_NAMES])


@cache
def _definitions(grammar: Grammar) -> tuple[Query, ...]:
    has_assignments = _knows(grammar, "assignment")
    sources = (_NAMED, _ASSIGNED) if has_assignments else (_NAMED,)
    return tuple(Query(grammar, source) for source in sources)


@cache
def _uses(grammar: Grammar) -> Query:
    kinds = [f"({kind})" for kind in _NAME_KINDS if _knows(grammar, kind)]
    return Query(grammar, _NAMES.format(" ".join(kinds)))


def _knows(grammar: Grammar, kind: str) -> bool:
    return grammar.id_for_node_kind(kind, True) is not None  # noqa: FBT003 - has no keywords
