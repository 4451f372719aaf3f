"""Find in one file what lets it do more than compute. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from bot.code.expressions import CALLS, ITEMS, MEMBERS, NAMES, arguments, is_part
from bot.code.imports import IMPORTS
from bot.code.names import Names
from bot.code.syntax import LITERALS, Syntax, compact, content, text_of, walk
from bot.repair.guards.capability_table import Capability, CapabilityTable, table_of

_REFERENCES = frozenset({*NAMES, *MEMBERS, *ITEMS, *CALLS}) - {"package_identifier"}
_BASES = ("object", "operand", "value", "path")
_SET = {
    "keyword_argument": ("name", "value"),
    "pair": ("key", "value"),
    "assignment": ("left", "right"),
    "assignment_expression": ("left", "right"),
    "assignment_statement": ("left", "right"),
    "keyed_element": ("key", "value"),
    "field_initializer": ("field", "value"),
}
_DEFINITIONS = frozenset({"function_definition", "function_declaration"})
_NO_VALUES = frozenset({"type", "type_annotation", *IMPORTS})
"""Nodes in which names only say of what kind something is, or bind others."""

_OUTSIDE = re.compile(r"^(?:/(?!dev/(?:null|std))|~|\.\.(?:/|\\|$)|[A-Za-z]:[\\/]|file:///)")
_WRITING = re.compile(r"^[rbtU]*[wax+][rwaxbtU+]*$")
_FLAGS = re.compile(r"\bO_(?:WRONLY|RDWR|CREAT|APPEND|TRUNC)\b")
_MOST_PARTS = 60
"""Parts of a path that are looked at."""

_SHORT = 60
"""Bytes of the names and values of settings."""

_MACRO_NAME = re.compile(r"(?<!\w)[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)+")
_BY_NAME = frozenset({"surroundings", "clock", "endings"})
"""Capabilities of which each name is one of its own: a program that asks for its folder does not know
yet what calls it."""


@dataclass(frozen=True, slots=True)
class Grants:
    """What a file can do besides computing.

    Attributes:
        gained: The places that grant a capability, by its id.
        kept: The places that use what must stay, likewise.
        by_name: Places of capabilities that are compared name by name, by the id and the name.
    """

    gained: dict[str, list[Node]] = field(default_factory=dict)
    by_name: dict[tuple[str, str], list[Node]] = field(default_factory=dict)
    kept: dict[str, list[Node]] = field(default_factory=dict)


def grants_of(syntax: Syntax) -> Grants:
    """Return what a file can do besides computing."""
    return _Reader(syntax).grants()


def relevant_calls(syntax: Syntax) -> Iterator[tuple[str, Node]]:
    """Yield the calls that can do more than compute, each with the name of what is called."""
    reader = _Reader(syntax)
    for node in walk(syntax.root, into=_has_values):
        if node.type in CALLS and (name := reader.reaches(node)):
            yield name, node


class _Reader:
    def __init__(self, syntax: Syntax) -> None:
        self._root = syntax.root
        self._table: CapabilityTable = table_of(syntax.language)
        self._names = Names(syntax, self._table.builtins)
        self._granting: dict[str, tuple[str, ...]] = {}
        self._outside_names: dict[str, bool] = {}

    def grants(self) -> Grants:
        """Read the whole file."""
        grants = Grants()
        for node in walk(self._root, into=_has_values):
            for item in self._gained(node):
                grants.gained.setdefault(item, []).append(node)
            for key in self._gained_by_name(node):
                grants.by_name.setdefault(key, []).append(node)
            for item in self._kept(node):
                grants.kept.setdefault(item, []).append(node)
        return grants

    def reaches(self, node: Node) -> str:
        """Return the name of what a call reaches, if it can do more than compute, else nothing."""
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        patterns = [
            pattern
            for capability in self._table.capabilities
            if capability.id not in _BY_NAME
            for pattern in (
                capability.names, capability.computed, capability.opens, capability.paths,
                capability.owners, capability.kept,
            )
        ]  # fmt: skip
        names = self._names.of(function)
        return next((name for name in names if any(each.search(name) for each in patterns)), "")

    def _gained(self, node: Node) -> Iterator[str]:
        kind = node.type
        if kind in _REFERENCES and not is_part(node):
            meanings = self._names.of(node)
            for meaning in meanings:
                yield from self._named(meaning)
            if any(
                meaning.endswith(".?") and meaning[:-2] in self._table.modules
                for meaning in meanings
            ):
                yield "dynamic-code"
        if kind in CALLS:
            yield from self._called(node)
        if kind in _SET or kind in CALLS:
            yield from self._set(node)
        if kind in _DEFINITIONS:
            name = node.child_by_field_name("name")
            yield from (
                capability.id
                for capability in self._table.capabilities
                if self._stays(capability, name)
            )
        if kind in LITERALS:
            yield from self._said(node)
        if kind == "token_tree":
            yield from self._in_macro(node)
        yield from (
            capability.id for capability in self._table.capabilities if kind in capability.nodes
        )

    def _gained_by_name(self, node: Node) -> Iterator[tuple[str, str]]:
        if node.type in _REFERENCES and not is_part(node):
            for meaning in self._names.of(node):
                yield from ((item, meaning) for item in self._named(meaning) if item in _BY_NAME)

    def _named(self, meaning: str) -> tuple[str, ...]:
        """Return what using a name grants."""
        if meaning not in self._granting:
            self._granting[meaning] = tuple(
                capability.id
                for capability in self._table.capabilities
                if capability.names.search(meaning)
            )
        return self._granting[meaning]

    def _kept(self, node: Node) -> Iterator[str]:
        if node.type in CALLS:
            function = node.child_by_field_name("function")
            yield from (
                capability.id
                for capability in self._table.capabilities
                if self._stays(capability, function)
            )

    def _called(self, node: Node) -> Iterator[str]:
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        meanings, given = self._names.of(function), arguments(node)
        for capability in self._table.capabilities:
            loads = any(map(capability.computed.search, meanings)) and bool(given)
            computed = loads and self._names.texts.of(given[0]) is None
            if computed or self._writes(capability, meanings, function, given):
                yield capability.id

    def _writes(
        self,
        capability: Capability,
        meanings: tuple[str, ...],
        function: Node | None,
        given: list[Node],
    ) -> bool:
        """Whether a call writes outside of the repository."""
        owner = _base(function)
        if any(map(capability.opens.search, meanings)):
            places = [*given[:1], *([owner] if owner is not None else [])]
            return any(self._for_writing(arg) for arg in given) and any(
                self._outside(place, capability) for place in places
            )
        if any(map(capability.paths.search, meanings)):
            return any(self._outside(place, capability) for place in given[:2])
        return any(map(capability.owners.search, meanings)) and self._outside(owner, capability)

    def _for_writing(self, argument: Node) -> bool:
        value = argument.child_by_field_name("value")
        said = self._names.texts.of(value if argument.type == "keyword_argument" else argument)
        return bool(_WRITING.match(said or "") or _FLAGS.search(compact(argument)))

    def _outside(self, node: Node | None, capability: Capability) -> bool:
        """Whether a path begins outside of the repository."""
        if node is None or node.type != "identifier":
            return self._leads_outside(node, capability)
        name = text_of(node)
        if name not in self._outside_names:
            self._outside_names[name] = self._leads_outside(node, capability)
        return self._outside_names[name]

    def _leads_outside(self, node: Node | None, capability: Capability) -> bool:
        waiting, seen = [node], set[int]()
        while waiting and len(seen) < _MOST_PARTS:
            part = waiting.pop()
            if part is None or part.id in seen:
                continue
            seen.add(part.id)
            if part.type in LITERALS:
                if _OUTSIDE.match(content(part).lstrip("fFrRbB'\"`")):
                    return True
            elif part.type in CALLS:
                function = part.child_by_field_name("function")
                if any(map(capability.homes.search, self._names.of(function))):
                    return True
                waiting += [_base(function), *arguments(part)[:1]]
            else:
                left = part.child_by_field_name("left")
                waiting += self._names.texts.values(part)
                waiting.append(left if left is not None else _base(part) or _only(part))
        return False

    def _set(self, node: Node) -> Iterator[str]:
        """Yield what a setting grants, and what is replaced that must stay."""
        key, value = _setting(node)
        if key is None or value is None:
            return
        name = self._last(key)
        for capability in self._table.capabilities:
            if name in capability.settings and self._may_be(value, capability.settings[name]):
                yield capability.id
            if node.type.startswith("assignment") and self._stays(capability, key):
                yield capability.id

    def _may_be(self, value: Node, among: frozenset[str]) -> bool:
        """Whether a value, or one that its name has anywhere in the file, is among some short ones."""
        values = (value, *self._names.texts.values(value))
        return any(compact(node) in among for node in values if _size(node) <= _SHORT)

    def _stays(self, capability: Capability, name: Node | None) -> bool:
        """Whether a name is that of something that must stay."""
        return any(map(capability.kept.search, self._names.of(name)))

    def _last(self, key: Node) -> str:
        """Return the last name of what is set: `verify` of `session.verify` and `more["verify"]`."""
        item = key.child_by_field_name("subscript") or key.child_by_field_name("index")
        if item is not None or key.type in LITERALS:
            return self._names.texts.of(item if item is not None else key) or ""
        last = key.child_by_field_name(MEMBERS[key.type][1]) if key.type in MEMBERS else key
        return text_of(last) if last is not None and _size(last) <= _SHORT else ""

    def _said(self, node: Node) -> Iterator[str]:
        above = node.parent
        text = "" if above is None or above.type == "expression_statement" else content(node)
        if text and not re.search(r"\s", text):
            yield from (
                capability.id
                for capability in self._table.capabilities
                if capability.texts.search(text)
            )

    def _in_macro(self, node: Node) -> Iterator[str]:
        """Yield what the names in a macro's arguments grant: Rust doesn't parse them."""
        for match in _MACRO_NAME.finditer(text_of(node)):
            first, _, rest = "".join(match[0].split()).replace("::", ".").partition(".")
            for meaning in self._names.named(first):
                yield from self._named(f"{meaning}.{rest}")


def _size(node: Node) -> int:
    """Return how many bytes a node has."""
    return node.end_byte - node.start_byte


def _has_values(node: Node) -> bool:
    return node.type not in _NO_VALUES


def _setting(node: Node) -> tuple[Node | None, Node | None]:
    """Return the name and the value that a node sets."""
    if node.type in _SET:
        first, second = _SET[node.type]
        return _only_one(node.child_by_field_name(first)), _only_one(
            node.child_by_field_name(second)
        )
    given = arguments(node)
    function = node.child_by_field_name("function")
    plain = function is not None and function.type == "identifier"
    if plain and text_of(function) == "setattr" and len(given) == 3:  # noqa: PLR2004 - what setattr takes
        return given[1], given[2]
    return (function, given[0]) if len(given) == 1 else (None, None)


def _only_one(node: Node | None) -> Node | None:
    """Return what a list of one, as Go has them, is about."""
    while node is not None and node.type in {"expression_list", "literal_element"}:
        node = node.named_children[0] if len(node.named_children) == 1 else None
    return node


def _only(node: Node) -> Node | None:
    return node.named_children[0] if len(node.named_children) == 1 else None


def _base(node: Node | None) -> Node | None:
    """Return what a member or an item is taken from."""
    if node is None:
        return None
    parts = (node.child_by_field_name(name) for name in _BASES)
    return next((part for part in parts if part is not None), None)
